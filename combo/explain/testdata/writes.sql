-- one shard commits by itself
update corder set total = 5 where customer_id = 3;
delete from corder where customer_id = 3 limit 5;
insert into corder(customer_id, total) values (1, 10), (4, 20);
insert into customer(id, email, city) values (9, 'bob@example.com', 'Lima');
update customer set email = 'eve@example.com' where id = 9;
delete from customer where id = 9;
begin;
update corder set weight = 1.5 where customer_id = 3;
/* two shards: undone together */
update corder set weight = 2.5 where customer_id in (1, 4);
savepoint a;
update product set name = 'chair';
rollback to a;
commit;
select city from customer where id = 7;
