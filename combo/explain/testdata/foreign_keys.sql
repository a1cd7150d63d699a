delete from owner where id = 1;
update owner set name = 'b' where id = 2;
update toy set dog_id = 7 where id = 3;
