create table user_seq (id bigint primary key, next_id bigint, cache bigint) comment 'vitess_sequence';
create table by_email (email varchar(64) not null primary key, ksid varbinary(16) not null);
create table country (code char(2) primary key, name varchar(64));
