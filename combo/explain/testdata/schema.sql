create table customer (
  id bigint not null,
  email varchar(100) not null,
  city varchar(50),
  balance decimal(12,2),
  primary key (id)
);
create table customer_email (email varchar(100), keyspace_id varbinary(8), primary key (email));
create table corder (
  id bigint not null,
  customer_id bigint not null,
  total decimal(12,2),
  weight double,
  primary key (id)
);
create table product (id bigint primary key, name varchar(100));
create table corder_archive like corder;
create table order_seq (id int primary key, next_id bigint, cache bigint) comment 'vitess_sequence';
create table owner (id bigint primary key, name varchar(20), key (name));
create table dog (
  id bigint primary key,
  owner_id bigint,
  owner_name varchar(20),
  foreign key (owner_id) references owner (id) on delete cascade,
  foreign key (owner_name) references owner (name) on update cascade on delete set null
);
create table toy (id bigint primary key, dog_id bigint, foreign key (dog_id) references dog (id) on delete set null);
