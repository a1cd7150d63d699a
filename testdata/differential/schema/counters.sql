CREATE TABLE customer_seq (id INT NOT NULL, next_id BIGINT, cache BIGINT, PRIMARY KEY (id)) COMMENT 'vitess_sequence';
CREATE TABLE order_seq (id INT NOT NULL, next_id BIGINT, cache BIGINT, PRIMARY KEY (id)) COMMENT 'vitess_sequence';
CREATE TABLE account_seq (id INT NOT NULL, next_id BIGINT, cache BIGINT, PRIMARY KEY (id)) COMMENT 'vitess_sequence';
