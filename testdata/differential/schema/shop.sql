CREATE TABLE customer (
  id BIGINT NOT NULL PRIMARY KEY,
  name VARCHAR(64) NOT NULL,
  country VARCHAR(2),
  balance DECIMAL(10,2) NOT NULL DEFAULT 0.00,
  created DATETIME,
  note TEXT,
  KEY by_country (country)
);
CREATE TABLE corder (
  id BIGINT NOT NULL PRIMARY KEY,
  customer_id BIGINT NOT NULL,
  sku VARCHAR(32) NOT NULL,
  qty INT NOT NULL,
  price DECIMAL(8,2),
  placed DATE,
  KEY by_customer (customer_id)
);
CREATE TABLE product (
  sku VARCHAR(32) NOT NULL PRIMARY KEY,
  description VARCHAR(128),
  price DECIMAL(8,2) NOT NULL,
  stock INT UNSIGNED NOT NULL DEFAULT 0
);
CREATE TABLE event (
  id BIGINT NOT NULL PRIMARY KEY,
  kind VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
  n INT,
  weight DOUBLE,
  payload VARBINARY(32),
  UNIQUE KEY by_kind_n (id, kind)
);
CREATE TABLE account (
  id BIGINT NOT NULL PRIMARY KEY,
  email VARCHAR(40),
  nick VARCHAR(20),
  hits INT NOT NULL DEFAULT 0,
  UNIQUE KEY by_email (email)
);
CREATE TABLE account_email (email VARCHAR(40) NOT NULL PRIMARY KEY, ksid VARBINARY(16));
CREATE TABLE account_nick (nick VARCHAR(20) NOT NULL, id BIGINT NOT NULL, ksid VARBINARY(16), PRIMARY KEY (nick, id));
CREATE TABLE currency (
  code CHAR(3) NOT NULL PRIMARY KEY,
  name VARCHAR(20),
  rate DECIMAL(8,3)
);
