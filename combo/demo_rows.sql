-- Loaded through the gateway: each row goes to its shard, ids come from the
-- sequences.
insert into customer.customer (email, name) values
  ('alice@example.com', 'Alice'),
  ('bob@example.com', 'Bob'),
  ('charlie@example.com', 'Charlie'),
  ('dan@example.com', 'Dan'),
  ('eve@example.com', 'Eve'),
  ('frank@example.com', 'Frank'),
  ('grace@example.com', 'Grace'),
  ('heidi@example.com', 'Heidi'),
  ('ivan@example.com', 'Ivan'),
  ('judy@example.com', 'Judy'),
  ('kim@example.com', 'Kim'),
  ('leo@example.com', 'Leo');

insert into customer.corder (customer_id, sku, price) values
  (1, 'SKU-1001', 100),
  (2, 'SKU-1002', 30),
  (3, 'SKU-1002', 30),
  (4, 'SKU-1003', 12),
  (5, 'SKU-1001', 100),
  (8, 'SKU-1003', 12),
  (8, 'SKU-1001', 100),
  (10, 'SKU-1002', 30),
  (1, 'SKU-1003', 12);
