-- What is sold, and the sequences that number the rows of keyspace customer.
create table product (
  sku varchar(64) not null,
  description varchar(255),
  price bigint not null,
  primary key (sku)
);

create table customer_seq (
  id bigint not null,
  next_id bigint,
  cache bigint,
  primary key (id)
) comment 'vitess_sequence';

create table order_seq (
  id bigint not null,
  next_id bigint,
  cache bigint,
  primary key (id)
) comment 'vitess_sequence';

insert into product (sku, description, price) values
  ('SKU-1001', 'Monitor', 100),
  ('SKU-1002', 'Keyboard', 30),
  ('SKU-1003', 'Mouse', 12);
