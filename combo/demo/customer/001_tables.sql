-- Customers and their orders, split by customer: a customer's orders are on
-- the customer's shard.
create table customer (
  customer_id bigint not null,
  email varchar(128) not null,
  name varchar(128),
  primary key (customer_id)
);

create table corder (
  order_id bigint not null,
  customer_id bigint not null,
  sku varchar(64) not null,
  price bigint not null,
  primary key (order_id),
  key corder_customer (customer_id)
);
