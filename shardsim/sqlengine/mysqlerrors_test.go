package sqlengine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
)

// mysqlErrors are mistakes with MySQL's number, SQLSTATE and wording. Statements without a number prepare the others: all run
// in order, on one shard.
var mysqlErrors = []struct {
	errno   int
	state   string
	query   string
	message string
}{
	{query: "create table t (id int primary key, v int not null, u varchar(10) unique, n int unsigned, d date, e enum('a','b'), c char(3))"},
	{query: "create table p (id int primary key, x int)"},
	{query: "create table k (id int primary key, pid int, constraint fk_p foreign key (pid) references p (id))"},
	{query: "create view vw as select id from t"},
	{query: "insert into t (id, v, u) values (1, 1, 'a')"},
	{query: "insert into p values (1, 1)"},
	{query: "insert into k values (1, 1)"},
	{1049, "42000", "use nodb", "Unknown database 'nodb'"},
	{1048, "23000", "insert into t (id, v) values (2, null)", "Column 'v' cannot be null"},
	{1050, "42S01", "create table t (id int)", "Table 't' already exists"},
	{1051, "42S02", "drop table nope", "Unknown table 'ks.nope'"},
	{1052, "23000", "select id from t a, t b", "Column 'id' in field list is ambiguous"},
	{1054, "42S22", "select nope from t", "Unknown column 'nope' in 'field list'"},
	{1054, "42S22", "select id from t where nope = 1", "Unknown column 'nope' in 'where clause'"},
	{1054, "42S22", "select id from t order by nope", "Unknown column 'nope' in 'order clause'"},
	{1054, "42S22", "select id from t group by nope", "Unknown column 'nope' in 'group statement'"},
	{1054, "42S22", "select a.id from t", "Unknown column 'a.id' in 'field list'"},
	{1054, "42S22", "select v, count(*) from t group by id, nope", "Unknown column 'nope' in 'group statement'"},
	{1060, "42S21", "create table d1 (a int, a int)", "Duplicate column name 'a'"},
	{1061, "42000", "create table d2 (a int, key k (a), key k (a))", "Duplicate key name 'k'"},
	{1060, "42S21", "alter table t add column v int", "Duplicate column name 'v'"},
	{1062, "23000", "insert into t (id, v) values (1, 2)", "Duplicate entry '1' for key 't.PRIMARY'"},
	{1064, "42000", "select", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'select' at line 1"},
	{1064, "42000", "select 1 from", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'select 1 from' at line 1"},
	{1091, "42000", "alter table t drop column nope", "Can't DROP 'nope'; check that column/key exists"},
	{1091, "42000", "alter table t drop index nope", "Can't DROP 'nope'; check that column/key exists"},
	{1091, "42000", "alter table t drop foreign key nope", "Can't DROP 'nope'; check that column/key exists"},
	{1093, "HY000", "update t set v = (select max(v) from t)", "You can't specify target table 't' for update in FROM clause"},
	{1093, "HY000", "delete from t where id in (select id from t)", "You can't specify target table 't' for update in FROM clause"},
	{1093, "HY000", "update t set v = 5 where id = (select id from t limit 1)", "You can't specify target table 't' for update in FROM clause"},
	{1111, "HY000", "select * from t where sum(v) > 1", "Invalid use of group function"},
	{1111, "HY000", "update t set v = max(v)", "Invalid use of group function"},
	{1054, "42S22", "select id from t, p where nope.id = 1", "Unknown column 'nope.id' in 'where clause'"},
	{1109, "42S02", "delete nope from t", "Unknown table 'nope' in MULTI DELETE"},
	{1054, "42S22", "update t set nope = 1", "Unknown column 'nope' in 'field list'"},
	{1110, "42000", "insert into t (id, id) values (1, 2)", "Column 'id' specified twice"},
	{1054, "42S22", "insert into t (id, nope) values (1, 2)", "Unknown column 'nope' in 'field list'"},
	{1136, "21S01", "insert into t values (1, 2)", "Column count doesn't match value count at row 1"},
	{1136, "21S01", "insert into t (id, v) values (1)", "Column count doesn't match value count at row 1"},
	{1364, "HY000", "insert into t (id) values (5)", "Field 'v' doesn't have a default value"},
	{1055, "42000", "select id, v from t group by v", "Expression #1 of SELECT list is not in GROUP BY clause and contains nonaggregated column 'ks.t.id' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by"},
	{1140, "42000", "select count(*), v from t", "In aggregated query without GROUP BY, expression #2 of SELECT list contains nonaggregated column 'ks.t.v'; this is incompatible with sql_mode=only_full_group_by"},
	{1222, "21000", "select v from t union select id, v from t", "The used SELECT statements have a different number of columns"},
	{1241, "21000", "select (select id, v from t)", "Operand should contain 1 column(s)"},
	{1241, "21000", "select 1 = (select id, v from t)", "Operand should contain 1 column(s)"},
	{1241, "21000", "select 1 in (select id, v from t)", "Operand should contain 1 column(s)"},
	{query: "insert into p values (2, 2)"},
	{1242, "21000", "select (select id from p)", "Subquery returns more than 1 row"},
	{1170, "42000", "create table bt (a text, key (a))", "BLOB/TEXT column 'a' used in key specification without a key length"},
	{1170, "42000", "create table b2 (a text primary key)", "BLOB/TEXT column 'a' used in key specification without a key length"},
	{1101, "42000", "create table b3 (a blob default 'x')", "BLOB, TEXT, GEOMETRY or JSON column 'a' can't have a default value"},
	{1075, "42000", "create table b4 (id int auto_increment)", "Incorrect table definition; there can be only one auto column and it must be defined as a key"},
	{1075, "42000", "create table b5 (id int auto_increment primary key, b int auto_increment)", "Incorrect table definition; there can be only one auto column and it must be defined as a key"},
	{1068, "42000", "create table b6 (id int primary key, primary key (id))", "Multiple primary key defined"},
	{1072, "42000", "create table b7 (id int, key (nope))", "Key column 'nope' doesn't exist in table"},
	{1074, "42000", "create table b8 (id varchar(70000))", "Column length too big for column 'id' (max = 16383); use BLOB or TEXT instead"},
	{1067, "42000", "create table b9 (id int default 'x')", "Invalid default value for 'id'"},
	{1824, "HY000", "create table b12 (id int, constraint c foreign key (id) references nope (id))", "Failed to open the referenced table 'nope'"},
	{1286, "42000", "create table b15 (a int) engine=foo", "Unknown storage engine 'foo'"},
	{1273, "HY000", "create table b17 (a varchar(10) collate foo_ci)", "Unknown collation: 'foo_ci'"},
	{1291, "HY000", "create table b19 (a enum('x','x'))", "Column 'a' has duplicated value 'x' in ENUM"},
	{1426, "42000", "create table b20 (a decimal(70,2))", "Too-big precision 70 specified for 'a'. Maximum is 65."},
	{1427, "42000", "create table b21 (a decimal(10,20))", "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column 'a')."},
	{1074, "42000", "create table b24 (a char(300))", "Column length too big for column 'a' (max = 255); use BLOB or TEXT instead"},
	{1068, "42000", "alter table t add primary key (v)", "Multiple primary key defined"},
	{1054, "42S22", "alter table t modify nope int", "Unknown column 'nope' in 't'"},
	{1054, "42S22", "alter table t change nope x int", "Unknown column 'nope' in 't'"},
	{1146, "42S02", "alter table nope add column x int", "Table 'ks.nope' doesn't exist"},
	{1061, "42000", "alter table t add index u (v)", "Duplicate key name 'u'"},
	{1146, "42S02", "rename table nope to x", "Table 'ks.nope' doesn't exist"},
	{1146, "42S02", "truncate table nope", "Table 'ks.nope' doesn't exist"},
	{1051, "42S02", "drop view nope", "Unknown table 'ks.nope'"},
	{1051, "42S02", "drop table vw", "Unknown table 'ks.vw'"},
	{1050, "42S01", "create view vw as select 1", "Table 'vw' already exists"},
	{1353, "HY000", "create view v2 (a, b) as select 1", "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts"},
	{1072, "42000", "create index i on t (nope)", "Key column 'nope' doesn't exist in table"},
	{1176, "42000", "select * from t force index (nope)", "Key 'nope' doesn't exist in table 't'"},
	{1193, "HY000", "set nope = 1", "Unknown system variable 'nope'"},
	{1231, "42000", "set sql_mode = 'nope'", "Variable 'sql_mode' can't be set to the value of 'nope'"},
	{1231, "42000", "set autocommit = 5", "Variable 'autocommit' can't be set to the value of '5'"},
	{1238, "HY000", "set version = 'x'", "Variable 'version' is a read only variable"},
	{1115, "42000", "set names nope", "Unknown character set: 'nope'"},
	{1229, "HY000", "set session max_connections = 5", "Variable 'max_connections' is a GLOBAL variable and should be set with SET GLOBAL"},
	{1452, "23000", "insert into k values (2, 99)", "Cannot add or update a child row: a foreign key constraint fails (`ks`.`k`, CONSTRAINT `fk_p` FOREIGN KEY (`pid`) REFERENCES `p` (`id`))"},
	{1451, "23000", "delete from p where id = 1", "Cannot delete or update a parent row: a foreign key constraint fails (`ks`.`k`, CONSTRAINT `fk_p` FOREIGN KEY (`pid`) REFERENCES `p` (`id`))"},
	{1451, "23000", "update p set id = 5 where id = 1", "Cannot delete or update a parent row: a foreign key constraint fails (`ks`.`k`, CONSTRAINT `fk_p` FOREIGN KEY (`pid`) REFERENCES `p` (`id`))"},
	{3730, "HY000", "drop table p", "Cannot drop table 'p' referenced by a foreign key constraint 'fk_p'."},
	{1701, "42000", "truncate table p", "Cannot truncate a table referenced in a foreign key constraint (`ks`.`k`, CONSTRAINT `fk_p`)"},
	{1264, "22003", "insert into t (id, v) values (300, 99999999999)", "Out of range value for column 'v' at row 1"},
	{1406, "22001", "insert into t (id, v, c) values (300, 1, 'abcd')", "Data too long for column 'c' at row 1"},
	{1265, "01000", "insert into t (id, v, e) values (300, 1, 'z')", "Data truncated for column 'e' at row 1"},
	{1292, "22007", "insert into t (id, v, d) values (300, 1, '2024-13-01')", "Incorrect date value: '2024-13-01' for column 'd' at row 1"},
	{1366, "HY000", "insert into t (id, v) values (300, 'abc')", "Incorrect integer value: 'abc' for column 'v' at row 1"},
	{1264, "22003", "insert into t (id, v, n) values (300, 1, -1)", "Out of range value for column 'n' at row 1"},
	{1690, "22003", "select 9223372036854775807 + 1", "BIGINT value is out of range in '(9223372036854775807 + 1)'"},
	{1690, "22003", "select cast(1 as unsigned) - 2", "BIGINT UNSIGNED value is out of range in '(convert(1, unsigned) - 2)'"},
	{1690, "22003", "select -9223372036854775808 - 1", "BIGINT value is out of range in '(-9223372036854775808 - 1)'"},
	{1690, "22003", "select 1e308 * 10", "DOUBLE value is out of range in '(1e308 * 10)'"},
	{1690, "22003", "select pow(10, 400)", "DOUBLE value is out of range in 'pow(10,400)'"},
	{1690, "22003", "select exp(1000)", "DOUBLE value is out of range in 'exp(1000)'"},
	{1690, "22003", "select 18446744073709551615 * 2", "BIGINT UNSIGNED value is out of range in '(18446744073709551615 * 2)'"},
	{1690, "22003", "select abs(-9223372036854775808)", "BIGINT value is out of range in 'abs(-9223372036854775808)'"},
	{1525, "HY000", "select * from t where d = 'x'", "Incorrect DATE value: 'x'"},
	{query: "create table ck (a int check (a > 0))"},
	{3819, "HY000", "insert into ck values (-1)", "Check constraint 'ck_chk_1' is violated."},
	{1054, "42S22", "create table ck2 (a int, constraint ck_chk_1 check (nope > 0))", "Unknown column 'nope' in 'field list'"},
	{query: "create table gen (a int, b int generated always as (a + 1))"},
	{3105, "HY000", "insert into gen (a, b) values (1, 5)", "The value specified for generated column 'b' in table 'gen' is not allowed."},
	{3105, "HY000", "update gen set b = 3", "The value specified for generated column 'b' in table 'gen' is not allowed."},
	{1305, "42000", "rollback to nope", "SAVEPOINT nope does not exist"},
	{1305, "42000", "release savepoint nope", "SAVEPOINT nope does not exist"},
	{1305, "42000", "select nofunc(1)", "FUNCTION ks.nofunc does not exist"},
	{1305, "42000", "call noproc()", "PROCEDURE ks.noproc does not exist"},
	{3143, "42000", `select json_extract('{"a":1}', 'a')`, "Invalid JSON path expression. The error is around character position 1."},
	{3143, "42000", `select json_extract('{"a":1}', '$.a[')`, "Invalid JSON path expression. The error is around character position 1."},
	{1267, "HY000", "select 'a' collate utf8mb4_bin = 'a' collate utf8mb4_general_ci", "Illegal mix of collations (utf8mb4_bin,EXPLICIT) and (utf8mb4_general_ci,EXPLICIT) for operation '='"},
	{1253, "42000", "select 'a' collate latin1_bin", "COLLATION 'latin1_bin' is not valid for CHARACTER SET 'utf8mb4'"},
	{1066, "42000", "with a as (select 1), a as (select 2) select * from a", "Not unique table/alias: 'a'"},
	{3636, "HY000", "with recursive c as (select 1 n union all select n + 1 from c) select count(*) from c", "Recursive query aborted after 1001 iterations. Try increasing @@cte_max_recursion_depth to a larger value."},
	{1471, "HY000", "insert into vw (id) values (5)", "The target table vw of the INSERT is not insertable-into"},
	{1146, "42S02", "select * from t natural join nope", "Table 'ks.nope' doesn't exist"},
	{query: "start transaction read only"},
	{1792, "25006", "insert into p values (7, 7)", "Cannot execute statement in a READ ONLY transaction."},
	{query: "commit"},
	{3691, "HY000", "select regexp_like('a', '(')", "Mismatched parenthesis in regular expression."},
	{1146, "42S02", "create table lk like nope", "Table 'ks.nope' doesn't exist"},
	{1146, "42S02", "select id from ks.nope", "Table 'ks.nope' doesn't exist"},
	{1091, "42000", "drop index nope on t", "Can't DROP 'nope'; check that column/key exists"},
	{1305, "42000", "drop procedure nope", "PROCEDURE ks.nope does not exist"},
	{1146, "42S02", "show columns from nope", "Table 'ks.nope' doesn't exist"},
	{1146, "42S02", "show create table nope", "Table 'ks.nope' doesn't exist"},
	{1146, "42S02", "show index from nope", "Table 'ks.nope' doesn't exist"},
	{1146, "42S02", "describe nope", "Table 'ks.nope' doesn't exist"},
	{1146, "42S02", "explain select * from nope", "Table 'ks.nope' doesn't exist"},
	{1146, "42S02", "analyze table nope", "Table 'ks.nope' doesn't exist"},
	{1090, "42000", "alter table t drop primary key, drop column id, drop column v, drop column u, drop column n, drop column d, drop column e, drop column c", "You can't delete all columns with ALTER TABLE; use DROP TABLE instead"},
	{query: "create table onecol (a int)"},
	{1090, "42000", "alter table onecol drop column a", "You can't delete all columns with ALTER TABLE; use DROP TABLE instead"},
	{1054, "42S22", "alter table t add column z int after nope", "Unknown column 'nope' in 't'"},
	{1054, "42S22", "alter table t alter column nope set default 1", "Unknown column 'nope' in 't'"},
	{1054, "42S22", "alter table t rename column nope to z", "Unknown column 'nope' in 't'"},
	{1176, "42000", "alter table t rename index nope to z", "Key 'nope' doesn't exist in table 't'"},
	{3819, "HY000", "alter table t add constraint ckx check (id > 100)", "Check constraint 'ckx' is violated."},
	{3821, "HY000", "alter table t drop check nope", "Check constraint 'nope' is not found in the table."},
	{1091, "42000", "alter table t modify v varchar(1) not null, add column zz int, drop column nope", "Can't DROP 'nope'; check that column/key exists"},
	{1054, "42S22", "insert into t (id, v) values (1, 5) on duplicate key update nope = 1", "Unknown column 'nope' in 'field list'"},
	{3057, "42000", "select get_lock(null, 1)", "Incorrect user-level lock name 'NULL'."},
	{1210, "HY000", "select sleep(-1)", "Incorrect arguments to sleep."},
	{query: "create table z1 (id int primary key, v int, d date)"},
	{1365, "22012", "insert into z1 values (1, 1 / 0, null)", "Division by 0"},
	{1365, "22012", "insert into z1 values (1, 5 % 0, null)", "Division by 0"},
	{1292, "22007", "insert into z1 values (1, 'abc' + 1, null)", "Truncated incorrect DOUBLE value: 'abc'"},
	{1411, "HY000", "insert into z1 values (1, 1, str_to_date('x', '%Y'))", "Incorrect value: 'x' for function str_to_date"},
	{1171, "42000", "create table z2 (a int null primary key)", "All parts of a PRIMARY KEY must be NOT NULL; if you need NULL in a key, use UNIQUE instead"},
	{query: "create procedure nf() begin declare d int default 0; declare continue handler for not found set d = 1; select d; end"},
	{query: "create table pt (id int primary key) partition by range (id) (partition p0 values less than (10), partition p1 values less than (100))"},
	{1235, "42000", "select * from pt partition (p1)", "This version of MySQL doesn't yet support 'PARTITION'"},
	{1235, "42000", "delete from pt partition (p1)", "This version of MySQL doesn't yet support 'PARTITION'"},
	{1235, "42000", "update pt partition (p1) set id = 1", "This version of MySQL doesn't yet support 'PARTITION'"},
	{1235, "42000", "insert into pt partition (p1) values (1)", "This version of MySQL doesn't yet support 'PARTITION'"},
	{1235, "42000", "alter table pt drop partition p0", "This version of MySQL doesn't yet support 'PARTITION'"},
	{1235, "42000", "alter table pt truncate partition p0", "This version of MySQL doesn't yet support 'PARTITION'"},
	{1118, "42000", "create table big1 (a varchar(16383), b varchar(10))", "Row size too large. The maximum row size for the used table type, not counting BLOBs, is 65535. This includes storage overhead, check the manual. You have to change some columns to TEXT or BLOBs"},
	{1118, "42000", "create table big2 (a varbinary(65533))", "Row size too large. The maximum row size for the used table type, not counting BLOBs, is 65535. This includes storage overhead, check the manual. You have to change some columns to TEXT or BLOBs"},
	{query: "create table big3 (a varbinary(65532))"},
	{query: "create table big4 (a varbinary(65510) not null, b text, c json)"},
	{1118, "42000", "alter table big3 add column b int", "Row size too large. The maximum row size for the used table type, not counting BLOBs, is 65535. This includes storage overhead, check the manual. You have to change some columns to TEXT or BLOBs"},
	{query: "create table nulls (id int, v int)"},
	{query: "insert into nulls values (1, null)"},
	{1138, "22004", "alter table nulls modify v int not null", "Invalid use of NULL value"},
	{1138, "22004", "alter table nulls add primary key (v)", "Invalid use of NULL value"},
	{1166, "42000", "create table blank (`a ` int)", "Incorrect column name 'a '"},
	{1166, "42000", "alter table nulls add column `b ` int", "Incorrect column name 'b '"},
	{1166, "42000", "alter table nulls rename column v to `v `", "Incorrect column name 'v '"},
	{1103, "42000", "create table `blank ` (a int)", "Incorrect table name 'blank '"},
	{query: "create table safe (id int primary key, k int, v int, key (k))"},
	{query: "insert into safe values (1, 1, 1), (2, 2, 2)"},
	{query: "set sql_safe_updates = 1"},
	{1175, "HY000", "update safe set v = 1", "You are using safe update mode and you tried to update a table without a WHERE that uses a KEY column. "},
	{1175, "HY000", "update safe set v = 1 where v = 2", "You are using safe update mode and you tried to update a table without a WHERE that uses a KEY column. "},
	{1175, "HY000", "delete from safe where id + 0 = 1", "You are using safe update mode and you tried to update a table without a WHERE that uses a KEY column. "},
	{query: "update safe set v = 1 where k > 1 and v = 2"},
	{query: "update safe set v = 5 limit 1"},
	{query: "delete from safe where id in (7, 8)"},
	{query: "set sql_safe_updates = 0"},
	{1215, "HY000", "create temporary table tfk (id int, foreign key (id) references p (id))", "Cannot add foreign key constraint"},
	{1221, "HY000", "update safe a join safe b on a.id = b.id set a.v = 1 limit 1", "Incorrect usage of UPDATE and LIMIT"},
	{1232, "42000", "set sql_select_limit = 'abc'", "Incorrect argument type to variable 'sql_select_limit'"},
	{1232, "42000", "set lock_wait_timeout = 1.5", "Incorrect argument type to variable 'lock_wait_timeout'"},
	{1232, "42000", "set innodb_lock_wait_timeout = 'x'", "Incorrect argument type to variable 'innodb_lock_wait_timeout'"},
	{1288, "HY000", "update safe a join (select 1 as id) d on a.id = d.id set d.id = 1", "The target table d of the UPDATE is not updatable"},
	{1327, "42000", "select 1 into nope", "Undeclared variable: nope"},
	{1426, "42000", "create table pr (a datetime(7))", "Too-big precision 7 specified for 'a'. Maximum is 6."},
	{1439, "42000", "create table bt (a bit(65))", "Display width out of range for column 'a' (max = 64)"},
	{1235, "42000", "select * from z1 into outfile 'rows.txt'", "This version of MySQL doesn't yet support 'SELECT ... INTO OUTFILE'"},
}

func TestErrorsAreMySQLs(t *testing.T) {
	s := New().NewShard("ks", "0").Session()
	defer s.Close()
	for _, c := range mysqlErrors {
		t.Run(c.query, func(t *testing.T) {
			_, err := s.Query(context.Background(), c.query, nil)
			if c.errno == 0 {
				require.NoError(t, err)
				return
			}
			var e *sqlerror.SQLError
			require.True(t, errors.As(err, &e), "%v", err)
			require.Equal(t, c.message, e.Message)
			require.Equal(t, c.errno, int(e.Num))
			require.Equal(t, c.state, e.State)
		})
	}
}

// TestDeadlockIsMySQLs has two sessions wait for each other.
func TestDeadlockIsMySQLs(t *testing.T) {
	shard := New().NewShard("ks", "0")
	a, b := shard.Session(), shard.Session()
	t.Cleanup(a.Close)
	t.Cleanup(b.Close)
	query := func(s *Session, text string) error {
		_, err := s.Query(context.Background(), text, nil)
		return err
	}
	require.NoError(t, query(a, "create table t (id int primary key, v int)"))
	require.NoError(t, query(a, "insert into t values (1, 1), (2, 2)"))
	for _, s := range []*Session{a, b} {
		require.NoError(t, query(s, "begin"))
	}
	require.NoError(t, query(a, "update t set v = 5 where id = 1"))
	require.NoError(t, query(b, "update t set v = 6 where id = 2"))
	failed := make(chan error, 2)
	go func() { failed <- query(a, "update t set v = 7 where id = 2") }()
	go func() { failed <- query(b, "update t set v = 8 where id = 1") }()
	victim, other := <-failed, <-failed
	if victim == nil {
		victim, other = other, nil
	}
	require.NoError(t, other, "the other one goes on")
	var e *sqlerror.SQLError
	require.True(t, errors.As(victim, &e), "%v", victim)
	require.Equal(t, "1213 40001 Deadlock found when trying to get lock; try restarting transaction", fmt.Sprint(int(e.Num), " ", e.State, " ", e.Message))
}
