package sqlengine

import (
	"context"
	"fmt"
	"strings"
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

// TestAccess says which index the rows of a table are looked for in, by how many of its first columns, and whether by a range
// behind those.
func TestAccess(t *testing.T) {
	s := New().NewShard("ks", "0").Session()
	mustRun(s, `create table t (a int, b int, c int, u int, at datetime(3), d decimal(8,2), name varchar(9), day date, primary key (a, b),
		unique key u (u), key c (c), key at (at), key d (d), key name (name), key dayc (day, c))`)
	mustRun(s, "insert into t values (1, 1, 5, null, '2024-01-02 03:04:05.678', 1.50, 'x', '2024-01-02'), (2, 1, 6, null, '2024-01-03', 2, 'y', '2024-01-02')")
	for _, c := range []struct {
		where, want string
	}{
		{"a = 1 and b = 1", "PRIMARY whole: 1 key"},
		{"a = 1 and b in (1, 2, 1)", "PRIMARY whole: 2 keys"},
		{"(b = 1 or b = 7) and a in (1, 2)", "PRIMARY whole: 4 keys"},
		{"a in (1, 2, null)", "PRIMARY 1: 2 ranges"},
		{"b = 1", "PRIMARY 0: all"},
		{"c in (5, 6) order by c, a", "c 1, in order: 2 ranges"},
		{"c in (5, 6) order by a", "c 1: 2 ranges"},
		{"c = 5 order by a", "c 1, in order: 1 range"},
		{"c in (5) and a = 1", "c 2: 1 range"},
		{"c is null", "c 1: 1 range"},
		{"c = 5 or c is null or c in (6, 7)", "c 1: 4 ranges"},
		{"c = 5 or a = 1", "PRIMARY 0: all"},
		{"c = 5 or c > 7", "PRIMARY 0: all"},
		{"c in (null)", "c 1: nowhere"},
		{"u = 1 and c = 5", "u 1: 1 range"},
		{"u is null order by a, b", "u 1, in order: 1 range"},
		{"at >= '2024-01-02'", "at 0, range: 1 range"},
		{"at = '2024-01-02 03:04:05.678'", "at 1: 1 range"},
		{"at between '2024-01-02' and '2024-02-30'", "at 0, range: long way"},
		{"d > 1.25 and d < 7", "d 0, range: 1 range"},
		{"d in (1.5, 2)", "d 1: 2 ranges"},
		{"d = '1.5'", "d 1: long way"},
		{"name in ('X', 'x', 'y')", "name 1: 2 ranges"},
		{"day in ('2024-01-02', '2024-01-03') and c < 6", "dayc 1, range: 2 ranges"},
	} {
		st := s.shard.engine.statement("select a from t where " + c.where)
		p, _ := s.compilePoint(context.Background(), st, nil, false)
		if assert.NotSame(t, noPlan, p, c.where) {
			assert.Equal(t, c.want, describeAccess(&p.access, len(p.read.order) == 0 && strings.Contains(c.where, "order")), c.where)
		}
	}
}

func describeAccess(a *access, ordered bool) string {
	text := "PRIMARY"
	if a.index >= 0 {
		text = a.meta.indexes[a.index].name
	}
	if a.whole {
		text += " whole"
	} else {
		text += fmt.Sprintf(" %d", len(a.prefix))
	}
	if a.within != nil {
		text += ", range"
	}
	if ordered {
		text += ", in order"
	}
	var v accessValues
	plural := func(n int, what string) string {
		if n == 1 {
			return "1 " + what
		}
		return fmt.Sprintf("%d %ss", n, what)
	}
	switch {
	case !a.values(&v, nil, nil):
		return text + ": long way"
	case v.none:
		return text + ": nowhere"
	case v.keys != nil:
		return text + ": " + plural(len(v.keys), "key")
	case v.ranges != nil:
		return text + ": " + plural(len(v.ranges), "range")
	}
	return text + ": all"
}
