# One statement per line. The line "# args: a | b" before a statement gives it arguments for its ? marks.
INSERT INTO customer (name, country, balance, created, note) VALUES ('Alice', 'DE', 100.50, '2024-01-02 03:04:05', 'first'), ('Bob', 'FR', 20, '2024-02-03 04:05:06', NULL), ('Carol', 'DE', 0, NULL, ''), ('dave', NULL, 33.33, '2023-12-31 23:59:59', 'night owl')
INSERT INTO customer (name, country, balance) VALUES ('Émile', 'FR', 99.99)
INSERT INTO customer (name, country, balance) VALUES ('emile', 'BE', 1.01), ('ÉMILE', 'LU', 2.02)
INSERT INTO customer (id, name, country, balance) VALUES (100, 'Zoë', 'NL', 1000), (101, 'zoe', 'NL', 2000), (102, 'Yves', 'FR', 20), (103, 'Xaver', 'AT', 20)
INSERT INTO customer (id, name) VALUES (NULL, 'next')
# args: 200 | Prepared | PT | 12.5
INSERT INTO customer (id, name, country, balance) VALUES (?, ?, ?, ?)
INSERT INTO product VALUES ('A-1', 'Anvil', 100, 5), ('B-2', 'Bolt', 0.10, 1000), ('C-3', 'Crate', 12.75, 0), ('D-4', NULL, 7, 7), ('e-5', 'Easel', 49.99, 3)
INSERT INTO corder (customer_id, sku, qty, price, placed) VALUES (1, 'A-1', 1, 100, '2024-03-01'), (1, 'B-2', 50, 5, '2024-03-01'), (2, 'B-2', 10, 1, '2024-03-02'), (3, 'C-3', 2, 25.50, '2024-03-03'), (4, 'D-4', 1, 7, NULL)
INSERT INTO corder (customer_id, sku, qty, price, placed) VALUES (100, 'A-1', 2, 200, '2024-04-01'), (101, 'A-1', 3, 300, '2024-04-02'), (102, 'e-5', 1, 49.99, '2024-04-03'), (103, 'e-5', 1, NULL, '2024-04-04'), (103, 'B-2', 100, 10, '2024-04-04')
INSERT INTO event VALUES (1, 'a', 10, 1.5, x'00ff'), (2, 'A', 20, 2.5, 'raw'), (3, 'b', NULL, NULL, NULL), (4, 'B', 40, -1.25, ''), (5, 'a', 10, 1e10, 'x'), (6, 'c', 7, 0, 'y'), (7, 'c', NULL, 0.1, 'z'), (-8, 'd', -3, -0.5, 'w')
INSERT INTO customer (id, name) VALUES (1, 'dup')
INSERT INTO event VALUES (1, 'dup', 1, 1, NULL)
INSERT IGNORE INTO event VALUES (1, 'dup', 1, 1, NULL)
INSERT INTO event (id) VALUES (50)
# sharded: 1105
INSERT INTO nowhere VALUES (1)
INSERT INTO customer (id, nope) VALUES (1, 2)
SELECT 1
SELECT 1 + 1, 'a', NULL, 2.50, x'41'
SELECT 1 FROM dual WHERE 1 = 0
SELECT UPPER('abc'), CONCAT('a', 'b', 1), LENGTH('äö'), CHAR_LENGTH('äö')
SELECT 7 DIV 2, 7 / 2, 7 % 3, -7 % 3, 1 / 0
SELECT COALESCE(NULL, 3), IFNULL(NULL, 'x'), NULLIF(1, 1), IF(1 > 2, 'a', 'b')
SELECT CAST('12.345' AS DECIMAL(10,2)), CAST(3 AS CHAR), CAST('7' AS SIGNED)
SELECT 1 IN (1, 2), 3 NOT IN (1, 2), NULL IN (1), 2 BETWEEN 1 AND 3
SELECT 'a' = 'A', 'a' = 'Ä', BINARY 'a' = 'A', 'a' COLLATE utf8mb4_bin = 'A'
SELECT DATE_ADD('2024-01-31', INTERVAL 1 MONTH), YEAR('2024-05-06'), DATEDIFF('2024-03-01', '2024-02-01')
SELECT * FROM customer ORDER BY id
SELECT id, name FROM customer ORDER BY id DESC
SELECT name FROM customer ORDER BY name, id
SELECT name, id FROM customer ORDER BY name DESC, id DESC
SELECT name FROM customer ORDER BY country, id
SELECT name FROM customer ORDER BY country DESC, id LIMIT 4
SELECT id FROM customer ORDER BY balance, id
SELECT id, balance FROM customer ORDER BY balance DESC, id LIMIT 3
SELECT id, balance FROM customer ORDER BY balance DESC, id LIMIT 3 OFFSET 2
SELECT id, balance FROM customer ORDER BY balance DESC, id LIMIT 2, 5
SELECT id FROM customer ORDER BY created, id
SELECT id FROM customer ORDER BY LENGTH(name), id
SELECT id FROM customer ORDER BY balance * 2 + id
SELECT kind, id FROM event ORDER BY kind, id
SELECT kind, n FROM event ORDER BY n, id
SELECT id FROM event ORDER BY weight, id
SELECT id FROM event ORDER BY payload, id
SELECT id, kind FROM event ORDER BY kind COLLATE utf8mb4_0900_ai_ci, id
SELECT name AS who FROM customer ORDER BY who, id
SELECT id, name FROM customer ORDER BY 2, 1
SELECT * FROM customer WHERE id = 3
SELECT name FROM customer WHERE id = 1 AND country = 'DE'
SELECT name FROM customer WHERE id = 1 AND country = 'FR'
SELECT name FROM customer WHERE id = 12345
SELECT name FROM customer WHERE id IN (1, 2, 3) ORDER BY id
SELECT name FROM customer WHERE id IN (3, 101, 999, 1, 1) ORDER BY id
SELECT name FROM customer WHERE id IN (NULL, 2)
SELECT name FROM customer WHERE id NOT IN (1, 2, 100) ORDER BY id
SELECT name FROM customer WHERE id = NULL
SELECT name FROM customer WHERE country IS NULL ORDER BY id
SELECT name FROM customer WHERE country IS NOT NULL ORDER BY id
SELECT name FROM customer WHERE country <=> NULL ORDER BY id
SELECT name FROM customer WHERE name = 'émile' ORDER BY id
SELECT name FROM customer WHERE name LIKE 'e%' ORDER BY id
SELECT name FROM customer WHERE name LIKE '%o%' ORDER BY id
SELECT name FROM customer WHERE name LIKE BINARY 'Z%' ORDER BY id
SELECT name FROM customer WHERE balance > 20 AND balance <= 1000 ORDER BY id
SELECT name FROM customer WHERE balance BETWEEN 1 AND 50 ORDER BY id
SELECT name FROM customer WHERE id = 1 OR id = 2 OR id = 103 ORDER BY id
SELECT name FROM customer WHERE id = 1 OR country = 'FR' ORDER BY id
SELECT name FROM customer WHERE NOT (id = 1 OR country = 'FR') ORDER BY id
SELECT name FROM customer WHERE (id, name) IN ((1, 'Alice'), (2, 'nobody')) ORDER BY id
SELECT name FROM customer WHERE created > '2024-01-01' ORDER BY id
SELECT name FROM customer WHERE YEAR(created) = 2024 ORDER BY id
SELECT name FROM customer WHERE id > 2 AND id < 102 ORDER BY id
SELECT name FROM customer WHERE id = '2'
SELECT name FROM customer WHERE id = 2.0
SELECT name FROM customer WHERE id = -1
SELECT description FROM product WHERE sku = 'a-1'
SELECT description FROM product WHERE sku IN ('A-1', 'E-5') ORDER BY sku
SELECT id FROM event WHERE kind = 'a' ORDER BY id
SELECT id FROM event WHERE kind IN ('A', 'c') ORDER BY id
SELECT id FROM event WHERE id = -8
SELECT id, HEX(payload) FROM event WHERE payload = 'raw'
# args: 2
SELECT name FROM customer WHERE id = ?
# args: 1 | 101
SELECT name FROM customer WHERE id IN (?, ?) ORDER BY id
# args: E% | 5
SELECT name FROM customer WHERE name LIKE ? ORDER BY id LIMIT ?
# args: DE | 20.00
SELECT id FROM customer WHERE country = ? OR balance = ? ORDER BY id
SELECT COUNT(*) FROM customer
SELECT COUNT(country) FROM customer
SELECT COUNT(*), SUM(balance), MIN(balance), MAX(balance), AVG(balance) FROM customer
SELECT MIN(name), MAX(name) FROM customer
SELECT MIN(created), MAX(created) FROM customer
SELECT COUNT(*) FROM customer WHERE id = 1
SELECT COUNT(*), SUM(balance), MIN(name) FROM customer WHERE id = 12345
SELECT COUNT(*), SUM(balance), MIN(name), AVG(balance) FROM customer WHERE balance > 99999
SELECT SUM(n), AVG(n), SUM(weight), AVG(weight) FROM event
SELECT SUM(qty * price) FROM corder
SELECT SUM(qty) / COUNT(*) FROM corder
SELECT COUNT(*) + 1, MAX(id) - MIN(id) FROM customer
SELECT COUNT(DISTINCT country) FROM customer
SELECT COUNT(DISTINCT name) FROM customer
# sharded: 1235
SELECT COUNT(DISTINCT kind), COUNT(DISTINCT n) FROM event
SELECT SUM(DISTINCT balance) FROM customer
SELECT country, COUNT(*) FROM customer GROUP BY country ORDER BY country
SELECT country, COUNT(*), SUM(balance), AVG(balance) FROM customer GROUP BY country ORDER BY country
SELECT country, MIN(id), MAX(id) FROM customer GROUP BY country ORDER BY country
SELECT country, COUNT(*) AS n FROM customer GROUP BY country ORDER BY n DESC, country
SELECT country, COUNT(*) FROM customer GROUP BY country ORDER BY country DESC LIMIT 2
SELECT country, COUNT(*) FROM customer GROUP BY country HAVING COUNT(*) > 1 ORDER BY country
SELECT country, SUM(balance) AS total FROM customer GROUP BY country HAVING total > 100 ORDER BY total
SELECT country, COUNT(DISTINCT balance) FROM customer GROUP BY country ORDER BY country
SELECT LOWER(country), COUNT(*) FROM customer GROUP BY LOWER(country) ORDER BY LOWER(country)
SELECT LENGTH(name) AS l, COUNT(*) FROM customer GROUP BY l ORDER BY l
SELECT customer_id, COUNT(*), SUM(price) FROM corder GROUP BY customer_id ORDER BY customer_id
SELECT sku, SUM(qty) FROM corder GROUP BY sku ORDER BY sku
SELECT sku, customer_id, SUM(qty) FROM corder GROUP BY sku, customer_id ORDER BY sku, customer_id
SELECT sku, MAX(placed), MIN(price) FROM corder GROUP BY sku ORDER BY sku
SELECT kind, COUNT(*), SUM(n), MAX(weight) FROM event GROUP BY kind ORDER BY kind
SELECT n, COUNT(*) FROM event GROUP BY n ORDER BY n
SELECT n IS NULL, COUNT(*) FROM event GROUP BY n IS NULL ORDER BY 1
SELECT COUNT(*) FROM customer HAVING COUNT(*) > 3
SELECT COUNT(*) FROM customer HAVING COUNT(*) > 300
SELECT SUM(price) FROM corder HAVING SUM(price) IS NOT NULL
SELECT DISTINCT country FROM customer ORDER BY country
SELECT DISTINCT country, balance FROM customer ORDER BY country, balance
SELECT DISTINCT kind FROM event ORDER BY kind
SELECT DISTINCT sku FROM corder ORDER BY sku LIMIT 2
SELECT COUNT(*) FROM (SELECT DISTINCT country FROM customer) t
SELECT COUNT(*) FROM (SELECT name FROM customer ORDER BY id LIMIT 5) t
SELECT t.n FROM (SELECT COUNT(*) AS n FROM customer) t
SELECT t.country, t.n FROM (SELECT country, COUNT(*) AS n FROM customer GROUP BY country) t WHERE t.n > 1 ORDER BY t.country
SELECT MAX(n) FROM (SELECT country, COUNT(*) AS n FROM customer GROUP BY country) t
SELECT t.name FROM (SELECT id, name FROM customer WHERE id IN (1, 2)) t ORDER BY t.id
SELECT t.name FROM (SELECT id, name FROM customer ORDER BY id LIMIT 3) t WHERE t.name = 'Bob'
SELECT c.name, o.sku FROM customer c JOIN corder o ON o.customer_id = c.id ORDER BY c.id, o.id
SELECT c.name, o.sku FROM customer c JOIN corder o ON o.customer_id = c.id WHERE c.id = 1 ORDER BY o.id
SELECT c.name, o.sku FROM customer c LEFT JOIN corder o ON o.customer_id = c.id ORDER BY c.id, o.id
SELECT c.name, o.sku FROM customer c LEFT JOIN corder o ON o.customer_id = c.id AND o.qty > 1 ORDER BY c.id, o.id
SELECT c.name FROM customer c LEFT JOIN corder o ON o.customer_id = c.id WHERE o.id IS NULL ORDER BY c.id
SELECT o.id, p.description FROM corder o JOIN product p ON p.sku = o.sku ORDER BY o.id
SELECT o.id, p.description FROM corder o JOIN product p ON p.sku = o.sku WHERE o.qty > 5 ORDER BY o.id
SELECT o.id, p.description FROM corder o LEFT JOIN product p ON p.sku = o.sku AND p.price > 10 ORDER BY o.id
SELECT c.name, p.description, o.qty FROM customer c JOIN corder o ON o.customer_id = c.id JOIN product p ON p.sku = o.sku ORDER BY o.id
SELECT c.name, p.description FROM customer c, corder o, product p WHERE c.id = o.customer_id AND o.sku = p.sku AND c.country = 'FR' ORDER BY o.id
SELECT a.name, b.name FROM customer a JOIN customer b ON a.name = b.name AND a.id < b.id ORDER BY a.id, b.id
SELECT a.id, b.id FROM customer a JOIN customer b ON a.balance = b.balance WHERE a.id < b.id ORDER BY a.id, b.id
SELECT a.id, b.id FROM event a JOIN event b ON a.n = b.n ORDER BY a.id, b.id
SELECT a.id, b.id FROM event a LEFT JOIN event b ON a.n = b.n AND a.id <> b.id ORDER BY a.id, b.id
SELECT c.id, e.id FROM customer c JOIN event e ON e.id = c.id ORDER BY c.id
SELECT c.id, e.kind FROM customer c LEFT JOIN event e ON e.id = c.id ORDER BY c.id
SELECT c.id, e.kind FROM event e RIGHT JOIN customer c ON e.id = c.id ORDER BY c.id
SELECT p.sku, c.name FROM product p JOIN customer c ON c.balance > p.price WHERE c.id < 3 ORDER BY p.sku, c.id
SELECT COUNT(*) FROM customer c JOIN corder o ON o.customer_id = c.id
SELECT COUNT(*) FROM corder o JOIN product p ON p.sku = o.sku
SELECT COUNT(*) FROM customer, product
SELECT p.sku, COUNT(*), SUM(o.qty) FROM corder o JOIN product p ON p.sku = o.sku GROUP BY p.sku ORDER BY p.sku
SELECT p.description, SUM(o.price) FROM corder o JOIN product p ON p.sku = o.sku GROUP BY p.description ORDER BY p.description
SELECT c.country, SUM(o.qty) FROM customer c JOIN corder o ON o.customer_id = c.id GROUP BY c.country ORDER BY c.country
SELECT c.country, COUNT(o.id) FROM customer c LEFT JOIN corder o ON o.customer_id = c.id GROUP BY c.country ORDER BY c.country
SELECT c.name, COUNT(p.sku), MAX(p.price) FROM customer c JOIN corder o ON o.customer_id = c.id JOIN product p ON p.sku = o.sku GROUP BY c.id, c.name ORDER BY c.id
SELECT MIN(p.price), MAX(c.name) FROM customer c JOIN product p ON p.price < c.balance
SELECT c.name, o.id FROM customer c JOIN corder o USING (id) ORDER BY c.id
SELECT o.id FROM corder o STRAIGHT_JOIN product p ON p.sku = o.sku WHERE p.price < 50 ORDER BY o.id
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM corder) ORDER BY id
SELECT name FROM customer WHERE id NOT IN (SELECT customer_id FROM corder) ORDER BY id
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM corder WHERE qty > 1000) ORDER BY id
SELECT name FROM customer WHERE id NOT IN (SELECT customer_id FROM corder WHERE qty > 1000) ORDER BY id
SELECT id FROM corder WHERE sku IN (SELECT sku FROM product WHERE price > 40) ORDER BY id
SELECT id FROM corder WHERE sku NOT IN (SELECT sku FROM product WHERE price > 40) ORDER BY id
SELECT name FROM customer WHERE balance = (SELECT MAX(balance) FROM customer)
SELECT name FROM customer WHERE balance > (SELECT AVG(balance) FROM customer) ORDER BY id
SELECT name FROM customer WHERE balance > (SELECT price FROM product WHERE sku = 'none') ORDER BY id
SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM corder o WHERE o.customer_id = c.id AND o.qty > 1) ORDER BY id
SELECT name FROM customer c WHERE NOT EXISTS (SELECT 1 FROM corder o WHERE o.customer_id = c.id) ORDER BY id
SELECT id FROM customer WHERE EXISTS (SELECT 1 FROM product WHERE price > 99) ORDER BY id
SELECT id FROM customer WHERE EXISTS (SELECT 1 FROM product WHERE price > 9999) ORDER BY id
SELECT id, (SELECT MAX(price) FROM product) FROM customer ORDER BY id LIMIT 2
SELECT id, (SELECT price FROM product WHERE sku = 'none') FROM customer ORDER BY id LIMIT 2
SELECT id, (SELECT COUNT(*) FROM corder o WHERE o.customer_id = c.id) FROM customer c ORDER BY id
# sharded: 1105
SELECT (SELECT id FROM customer)
SELECT name FROM customer WHERE id = 1 UNION ALL SELECT sku FROM product WHERE sku = 'A-1'
SELECT country FROM customer UNION SELECT sku FROM product ORDER BY 1
SELECT id FROM customer UNION ALL SELECT id FROM event ORDER BY id LIMIT 6
SELECT id FROM customer UNION SELECT id FROM event ORDER BY id
SELECT 1 UNION SELECT 2 UNION SELECT 1 ORDER BY 1
(SELECT id FROM customer ORDER BY id LIMIT 2) UNION ALL (SELECT id FROM event ORDER BY id DESC LIMIT 2) ORDER BY id
SELECT COUNT(*) FROM (SELECT id FROM customer UNION ALL SELECT id FROM event) t
SELECT COUNT(*) FROM (SELECT id FROM customer UNION SELECT id FROM event) t
WITH rich AS (SELECT id, name FROM customer WHERE balance > 90) SELECT name FROM rich ORDER BY id
WITH rich AS (SELECT id, name FROM customer WHERE balance > 90) SELECT r.name, o.sku FROM rich r JOIN corder o ON o.customer_id = r.id ORDER BY o.id
SELECT CASE WHEN balance > 100 THEN 'rich' WHEN balance > 10 THEN 'fair' ELSE 'poor' END AS class, COUNT(*) FROM customer GROUP BY class ORDER BY class
SELECT id, ROUND(balance / 3, 4), FLOOR(balance), CEIL(balance), MOD(id, 3) FROM customer ORDER BY id
SELECT id, CONCAT(name, '-', IFNULL(country, '?')), SUBSTRING(name, 2, 3), REPLACE(name, 'e', '3') FROM customer ORDER BY id
SELECT id, DATE(created), DATE_FORMAT(created, '%Y/%m'), HOUR(created) FROM customer ORDER BY id
SELECT id, n + 1, n * 2.5, weight * 2, -n, n DIV 3, n / 4 FROM event ORDER BY id
SELECT id, n > 10, n = 10 AND weight > 1, NOT n, n IS NULL FROM event ORDER BY id
SELECT id, HEX(payload), LENGTH(payload) FROM event ORDER BY id
UPDATE customer SET balance = balance + 1 WHERE id = 1
SELECT balance FROM customer WHERE id = 1
UPDATE customer SET balance = balance + 0.5 WHERE country = 'FR'
UPDATE customer SET note = 'many' WHERE id IN (1, 100, 101)
UPDATE customer SET note = 'same' WHERE id = 999
UPDATE customer SET note = 'many' WHERE id = 1
SELECT id, balance, note FROM customer ORDER BY id
# args: updated | 2
UPDATE customer SET note = ? WHERE id = ?
UPDATE product SET stock = stock + 1
UPDATE product SET stock = stock - 10 WHERE sku = 'C-3'
UPDATE product SET price = price * 1.1, description = UPPER(description) WHERE price < 50
SELECT * FROM product ORDER BY sku
UPDATE event SET n = NULL WHERE n = 10
UPDATE event SET kind = 'long enough to not fit' WHERE id = 1
UPDATE customer SET nope = 1
UPDATE customer SET name = NULL WHERE id = 1
DELETE FROM event WHERE id = 1
DELETE FROM event WHERE kind = 'c'
DELETE FROM event WHERE id IN (2, 3, 77)
# args: 4
DELETE FROM event WHERE id = ?
SELECT id FROM event ORDER BY id
BEGIN
INSERT INTO customer (id, name) VALUES (300, 'inside'), (301, 'inside too'), (302, 'and this')
SELECT COUNT(*) FROM customer WHERE name LIKE 'inside%'
UPDATE customer SET balance = 5 WHERE id IN (300, 301)
SAVEPOINT one
DELETE FROM customer WHERE id IN (300, 301, 302)
SELECT COUNT(*) FROM customer WHERE id >= 300
ROLLBACK TO one
SELECT id, balance FROM customer WHERE id >= 300 ORDER BY id
ROLLBACK
SELECT COUNT(*) FROM customer WHERE id >= 300
START TRANSACTION
INSERT INTO customer (id, name) VALUES (400, 'kept'), (401, 'kept too')
COMMIT
SELECT id, name FROM customer WHERE id >= 400 ORDER BY id
SET autocommit = 0
DELETE FROM customer WHERE id >= 400
SELECT COUNT(*) FROM customer WHERE id >= 400
ROLLBACK
SET autocommit = 1
SELECT COUNT(*) FROM customer WHERE id >= 400
DELETE FROM customer WHERE id >= 400
INSERT INTO customer (id, name, balance) VALUES (1, 'again', 1) ON DUPLICATE KEY UPDATE balance = balance + 1000
INSERT INTO customer (id, name, balance) VALUES (500, 'new', 1) ON DUPLICATE KEY UPDATE balance = balance + 1000
SELECT id, name, balance FROM customer WHERE id IN (1, 500) ORDER BY id
INSERT INTO event (id, kind, n) SELECT id, 'copied', NULL FROM customer WHERE id < 3
SELECT id, kind FROM event ORDER BY id
SELECT name FROM customer WHERE
SELECT nope FROM customer
# sharded: 1105
SELECT id FROM missing
SELECT customer.name FROM corder
# sharded: 1054
SELECT id FROM customer JOIN corder ON customer.id = corder.customer_id
UPDATE customer c JOIN corder o ON o.customer_id = c.id SET c.note = 'buyer', o.qty = o.qty + 1 WHERE o.price > 10
SELECT id, note FROM customer ORDER BY id
SELECT id, qty FROM corder ORDER BY id
UPDATE corder o JOIN product p ON p.sku = o.sku SET o.price = p.price * o.qty WHERE o.qty < 5
SELECT id, price FROM corder ORDER BY id
UPDATE event e JOIN corder o ON o.id = e.id JOIN customer c ON c.id = o.customer_id SET e.n = c.id + o.qty, c.note = 'seen'
SELECT id, n FROM event ORDER BY id
SELECT id, balance FROM customer ORDER BY id
DELETE o FROM corder o JOIN product p ON p.sku = o.sku WHERE p.price < 1
DELETE e, c FROM event e JOIN customer c ON c.id = e.id WHERE e.n IS NULL
SELECT COUNT(*) FROM customer
SELECT COUNT(*), SUM(qty) FROM corder
SELECT id FROM event ORDER BY id
SELECT DATABASE()
DELETE FROM corder
SELECT COUNT(*), MAX(id), SUM(price) FROM corder
TRUNCATE TABLE event
SELECT COUNT(*) FROM event
WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n ORDER BY i
WITH RECURSIVE n (i, s) AS (SELECT 1, 10 UNION ALL SELECT i + 1, s * 2 FROM n WHERE i < 4) SELECT n.s, c.name FROM n JOIN customer c ON c.id = n.i ORDER BY c.id
WITH RECURSIVE chain AS (SELECT id, balance, 1 AS depth FROM customer WHERE id = 1 UNION ALL SELECT c.id, c.balance, chain.depth + 1 FROM chain JOIN customer c ON c.id = chain.id + 1) SELECT id, balance, depth FROM chain ORDER BY id
WITH RECURSIVE chain AS (SELECT id FROM customer WHERE id < 3 UNION ALL SELECT c.id FROM customer c JOIN chain ON c.id = chain.id + 2) SELECT COUNT(*), MIN(id), MAX(id) FROM chain
WITH RECURSIVE r AS (SELECT id FROM customer WHERE id <= 2 UNION SELECT (r.id MOD 4) + 1 FROM r) SELECT id FROM r ORDER BY id
WITH RECURSIVE r AS (SELECT id, country FROM customer WHERE id = 2 UNION SELECT c.id, c.country FROM r JOIN customer c ON c.country = r.country) SELECT id FROM r ORDER BY id
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT r.n + 1 FROM r LEFT JOIN customer c ON c.id = r.n WHERE r.n < 4) SELECT n FROM r WHERE n > 1 ORDER BY n DESC LIMIT 2
WITH RECURSIVE o AS (SELECT id, customer_id FROM corder WHERE customer_id = 1 UNION ALL SELECT x.id, x.customer_id FROM o JOIN corder x ON x.customer_id = o.customer_id AND x.id > o.id AND x.customer_id = 1) SELECT COUNT(*) FROM o
SELECT name FROM customer WHERE id IN (WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n) ORDER BY id
CREATE VIEW german AS SELECT id, name, balance FROM customer WHERE country = 'DE'
SELECT name FROM german ORDER BY id
SELECT * FROM german ORDER BY id
CREATE VIEW spending AS SELECT c.id, c.name, SUM(o.price) AS spent, COUNT(*) AS orders FROM customer c JOIN corder o ON o.customer_id = c.id GROUP BY c.id, c.name
SELECT name, spent FROM spending WHERE spent > 10 ORDER BY spent DESC, id
SELECT COUNT(*), SUM(orders) FROM spending
CREATE VIEW by_country AS SELECT country, COUNT(*) AS n, MAX(balance) AS top FROM customer GROUP BY country
SELECT country, n, top FROM by_country ORDER BY country
SELECT SUM(n), COUNT(*) FROM by_country WHERE country IS NOT NULL
SELECT b.n, c.name FROM by_country b JOIN customer c ON c.country = b.country ORDER BY c.id
CREATE OR REPLACE VIEW german AS SELECT id FROM customer WHERE country = 'FR'
SELECT COUNT(*) FROM german
ALTER VIEW german AS SELECT id, name FROM customer WHERE country = 'NL'
SELECT name FROM german ORDER BY id
SHOW FULL TABLES LIKE 'g%'
SHOW DATABASES LIKE 'shop'
SHOW DATABASES WHERE `Database` = 'shop'
SHOW COLUMNS FROM customer LIKE 'name'
DESCRIBE corder
SHOW CREATE VIEW german
SHOW CREATE TABLE german
DROP VIEW german, spending
DROP VIEW by_country
# Writes with subqueries, of several tables, of rows that are there.
DELETE FROM customer
DELETE FROM corder
DELETE FROM product
DELETE FROM event
INSERT INTO customer (id, name, balance) VALUES (1, 'Alice', 10), (2, 'Bob', 20), (3, 'Carol', 30), (4, 'Dave', 40), (100, 'Zoe', 50), (101, 'zoe', 60), (102, 'Yves', 70)
INSERT INTO corder (id, customer_id, sku, qty, price) VALUES (1001, 1, 'A-1', 1, 100), (1002, 1, 'B-2', 50, 5), (1003, 2, 'B-2', 10, 1), (1004, 3, 'C-3', 2, 25.50), (1005, 100, 'A-1', 2, 200), (1006, 101, 'A-1', 3, 300), (1007, 102, 'e-5', 100, 49.99)
INSERT INTO product VALUES ('A-1', 'Anvil', 100, 5), ('B-2', 'Bolt', 0.10, 1000), ('C-3', 'Crate', 12.75, 0)
INSERT INTO event (id, kind, n) VALUES (1, 'a', 4), (2, 'b', 1), (4, 'c', 2), (7, 'd', 7)
INSERT INTO event (id, kind, n) VALUES (900, (SELECT MAX(sku) FROM corder), (SELECT COUNT(*) FROM corder)), ((SELECT MAX(customer_id) + 801 FROM corder), 'sub', 1)
INSERT INTO event (id, kind, n) VALUES (902, 'in', 3 IN (SELECT customer_id FROM corder)), (903, 'in', 0 IN (SELECT customer_id FROM corder WHERE qty = -1)), (904, 'in', 0 NOT IN (SELECT customer_id FROM corder WHERE qty = -1)), (905, 'in', EXISTS (SELECT 1 FROM corder WHERE qty = 10))
INSERT INTO event (id, kind, n) VALUES (906, 'none', (SELECT n FROM event WHERE id = -999))
INSERT INTO event (id, kind, n) VALUES (907, (SELECT CONCAT(name, (SELECT COUNT(*) FROM product)) FROM customer WHERE id = 102), 1)
INSERT INTO event (id, kind) SELECT 910, 'u' UNION SELECT 911, 'v' UNION ALL SELECT 912, 'w'
INSERT INTO event (id, kind, n) VALUES (900, 'x', 1) ON DUPLICATE KEY UPDATE n = (SELECT MAX(qty) FROM corder) + 1, weight = (SELECT COUNT(*) FROM product)
INSERT INTO event (id, kind, n) VALUES (900, 'x', 1), (913, 'y', 2) AS new ON DUPLICATE KEY UPDATE n = new.n + event.n
SELECT id, kind, n, weight FROM event WHERE id >= 900 ORDER BY id
UPDATE event SET n = 0 IN (SELECT customer_id FROM corder WHERE qty = -1), weight = 0 NOT IN (SELECT customer_id FROM corder WHERE qty = -1) WHERE id IN (910, 911)
UPDATE event SET n = EXISTS (SELECT 1 FROM corder WHERE qty = 10) WHERE id = 912
UPDATE event SET n = (SELECT qty + (SELECT COUNT(*) FROM product) FROM corder WHERE qty = 100) WHERE id = 913
SELECT id, n, weight FROM event WHERE id >= 910 ORDER BY id
SELECT id, 0 IN (SELECT customer_id FROM corder WHERE qty = -1) AS a, 0 NOT IN (SELECT customer_id FROM corder WHERE qty = -1) AS b FROM event WHERE id = 900
UPDATE customer SET note = 'ordered' WHERE EXISTS (SELECT 1 FROM corder WHERE corder.customer_id = customer.id AND qty > 5)
UPDATE customer SET note = 'none' WHERE NOT EXISTS (SELECT 1 FROM corder WHERE corder.customer_id = customer.id)
UPDATE customer SET balance = (SELECT COUNT(*) FROM corder WHERE corder.customer_id = customer.id) WHERE id < 5
SELECT id, note, balance FROM customer ORDER BY id
UPDATE customer c JOIN corder o ON o.customer_id = c.id SET c.note = 'joined', o.qty = o.qty + 1
UPDATE customer c LEFT JOIN corder o ON o.customer_id = c.id SET c.note = 'left', o.price = 1 WHERE c.id IN (1, 4, 101)
UPDATE customer c JOIN corder o ON o.customer_id = c.id SET c.note = 'LEFT' WHERE o.qty > 1 AND c.id = 1
UPDATE event a JOIN event b ON a.id = b.n SET a.kind = 'self'
SELECT id, note FROM customer ORDER BY id
SELECT id, qty, price FROM corder ORDER BY id
SELECT id, kind FROM event ORDER BY id
DELETE c, o FROM customer c JOIN corder o ON o.customer_id = c.id WHERE c.id IN (1, 2)
DELETE c, o FROM customer c LEFT JOIN corder o ON o.customer_id = c.id WHERE c.id IN (3, 100)
DELETE a FROM event a JOIN event b ON a.id < b.id WHERE b.id < 7
DELETE IGNORE FROM event WHERE id = 911
DELETE FROM customer WHERE NOT EXISTS (SELECT 1 FROM corder WHERE corder.customer_id = customer.id)
SELECT id FROM customer ORDER BY id
SELECT id FROM corder ORDER BY id
SELECT id FROM event ORDER BY id
INSERT INTO event (id, kind, n) VALUES (2001, 'a', 1), (2002, 'b', 2)
INSERT INTO event (id, kind, n) SELECT id, kind, n FROM event WHERE id > 2000 ON DUPLICATE KEY UPDATE n = VALUES(n) + event.n + 10
INSERT INTO event (id, kind, n) SELECT id + 1, 'c', 5 FROM event WHERE id > 2000 ON DUPLICATE KEY UPDATE kind = VALUES(kind)
SELECT id, kind, n FROM event WHERE id > 2000 ORDER BY id
