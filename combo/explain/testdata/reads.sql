select * from product;
select city from customer where id = 7;
select city, count(*) from customer group by city order by city limit 3 /* by city */;
select c.city, o.total from customer c join corder o on o.customer_id = c.id where c.city = 'Oslo';
select c.city, p.name from customer c join product p on p.id = c.id;
select city from customer where email = 'ann@example.com';
select id from customer where id in (1, 2, 3, 4) union all select id from corder where customer_id = 1;
select sum(weight), max(total) from corder;
show tables from commerce;
