create table user (id bigint primary key, email varchar(64) not null, city varchar(64) not null, country char(2));
create table post (id bigint, user_id bigint not null, primary key (user_id, id), foreign key (user_id) references user (id));
create table by_city (city varchar(64) not null, ksid bigint unsigned not null, primary key (city, ksid));
create table country (code char(2) primary key, name varchar(64));
