package sqlengine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestWhatGoesStraight says which statements tier 1 takes. That they give what tier 3 does is tested from outside.
func TestWhatGoesStraight(t *testing.T) {
	s := New().NewShard("ks", "0").Session()
	mustRun(s, "create table t (id int primary key, n int, name varchar(10), d decimal(8,2), f double, e enum('x','y'), key (n), key (name, n))")
	for _, c := range []struct {
		text     string
		straight bool
	}{
		{"select * from t where id = 1", true},
		{"select id from t where id > 1 and n = 2 order by n limit 3", true},
		{"select id from t where name between 'a' and 'b'", true},
		{"select id from t where n is null", true},
		{"select id, e, f from t order by e, f desc limit 3", true},
		{"select id from t where n = 1 order by id limit 1 for update skip locked", true},
		{"select count(*), sum(n), min(name), max(d), count(f) from t where id < 9", true},
		{"select n, count(*), sum(d) from t group by n order by n desc", true},
		{"select distinct n, name from t order by name", true},
		{"select x.id, y.name from t x join t y on y.id = x.n where x.name = 'a'", true},
		{"select x.*, y.n from t x left join t y on y.n = x.id and y.name = 'a' where y.id is null order by x.id", true},
		{"select count(*) from t x, t y where x.id = y.n and x.n < y.d", true},
		{"select x.id from t x, t y where x.d = y.d", false},
		{"select x.id from t x join t y on x.id = y.name", false},
		{"select x.id from t x join t y using (id)", false},
		{"select id from t x join t y on x.id = y.id", false},
		{"select x.id from t x left join t y on y.id = x.id and x.n = 1", false},
		{"select id from t where f = 1", true},
		{"select id from t where e = 'x'", true},
		{"select id from t where d > 1", true},
		{"select id from t where n = 1 or id = 1", true},
		{"select id from t where n <> 1", true},
		{"select n + 1 from t", true},
		{"select lower(name) as l, count(*) from t where name like 'a%' and d * 2 > f group by l order by l desc", true},
		{"select x.id from t x left join t y on y.id = x.id where coalesce(y.n, 0) = 0 order by x.n + 1", true},
		{"select rand() from t", false},
		{"select id from t where n in (select 1)", false},
		{"select n + :a from t", false},
		{"select id from t order by 1", false},
		{"select name as n from t order by n + 1", false},
		{"select avg(n) from t", false},
		{"select sum(f) from t", false},
		{"select min(e) from t", false},
		{"select count(distinct n) from t", false},
		{"select n from t group by n having count(*) > 1", false},
		{"select n, count(*) from t group by n with rollup", false},
		{"select id, count(*) from t group by n", false},
		{"select n, count(*) from t group by n order by count(*) desc, n", true},
		{"select n, count(*) as c from t group by n order by c", true},
		{"select n, count(*) from t group by n order by sum(d)", false},
		{"select n, count(*) as id from t group by n order by id", true},
		{"select n, count(*) as id from t group by n order by t.id", false},
		{"select count(*) from t for update", false},
		{"insert into t(id, n) values (1, 2)", true},
		{"update t set n = n + 1 where id = 1", true},
		{"update t set n = 1 where n = 2 and id > 7", false},
		{"update t set n = 1 where f = 2", false},
		{"update t set id = 1 where n = 2", false},
		{"update t set n = 1 where n = 2 limit 1", false},
		{"delete from t where name = 'x' and id = 3", false},
		{"delete from t where id = 1", true},
	} {
		st := s.shard.engine.statement(c.text)
		straight := false
		if len(st.pointTables) > 0 {
			plan, _ := s.compilePoint(context.Background(), st, nil, false)
			straight = plan != noPlan
		}
		assert.Equal(t, c.straight, straight, c.text)
	}
}
