create table team (
  id bigint not null primary key,
  code varchar(40),
  boss bigint,
  size int not null default 0,
  unique key (code),
  unique key (id, code),
  key (boss),
  constraint team_boss foreign key (boss) references team (id) on delete set null
);
create table player (
  team_id bigint not null,
  id bigint not null,
  nick varchar(20),
  primary key (team_id, id),
  constraint player_team foreign key (team_id) references team (id) on delete cascade
);
create table score (
  team_id bigint not null,
  id bigint not null,
  player_id bigint,
  points int,
  primary key (team_id, id),
  key (team_id, player_id),
  constraint score_player foreign key (team_id, player_id) references player (team_id, id) on delete cascade on update cascade
);
create table badge (
  team_id bigint not null,
  id bigint not null,
  team_code varchar(40),
  primary key (team_id, id),
  key (team_id, team_code),
  constraint badge_team foreign key (team_id, team_code) references team (id, code) on delete cascade on update cascade
);
create table fine (
  team_id bigint not null,
  id bigint not null,
  amount int,
  primary key (team_id, id),
  constraint fine_team foreign key (team_id) references team (id)
);
create table fan (
  id bigint not null primary key,
  team_code varchar(40),
  name varchar(20),
  key (team_code),
  constraint fan_team foreign key (team_code) references team (code) on delete set null on update cascade
);
create table letter (
  id bigint not null primary key,
  fan_id bigint,
  serial bigint,
  unique key (serial),
  key (fan_id),
  constraint letter_fan foreign key (fan_id) references fan (id) on delete cascade
);
