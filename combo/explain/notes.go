package explain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	querypb "vitess.io/vitess/go/vt/proto/query"

	"github.com/vitrodb/vitro/combo/gateway"
	"github.com/vitrodb/vitro/planner/engine"
)

// Tablet is what one shard was asked.
type Tablet struct {
	// Queries are those of the gateway; MySQL are what becomes of them in the tablet.
	Queries []Query
	MySQL   []Query
}

// Query is one query at its logical time.
type Query struct {
	Time int
	SQL  string
	// BindVars are nil for queries to MySQL, which have their values in place.
	BindVars gateway.BindVars
	// call is the text of the call that the query belongs to.
	call string
}

// notes are those of one statement.
type notes struct {
	// trailing are the comments at the statement's end, which every query carries on.
	trailing string
	plans    []*engine.Plan
	trace    []string

	mu      sync.Mutex
	tablets map[string]*Tablet
}

func (n *notes) tablet(shard string) *Tablet {
	if n.tablets[shard] == nil {
		n.tablets[shard] = &Tablet{}
	}
	return n.tablets[shard]
}

// query notes a query of the gateway.
func (n *notes) query(shard string, now int, sql string, bindVars gateway.BindVars) {
	n.mu.Lock()
	defer n.mu.Unlock()
	kept := make(map[string]*querypb.BindVariable, len(bindVars)+1)
	for name, value := range bindVars {
		if strings.Contains(sql, ":"+name) {
			kept[name] = value
		}
	}
	kept["#maxLimit"] = maxLimit
	t := n.tablet(shard)
	t.Queries = append(t.Queries, Query{Time: now, SQL: join(sql, n.trailing), BindVars: kept, call: sql})
}

// mysql notes what MySQL gets.
func (n *notes) mysql(shard string, now int, sqls ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	t := n.tablet(shard)
	call := strings.Join(sqls, ";")
	for _, sql := range sqls {
		t.MySQL = append(t.MySQL, Query{Time: now, SQL: sql, call: call})
	}
}

// sort brings what a shard was asked at one time, in no order, into that of the texts.
func (n *notes) sort() {
	for _, t := range n.tablets {
		for _, queries := range [][]Query{t.Queries, t.MySQL} {
			slices.SortStableFunc(queries, func(a, b Query) int {
				return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.call, b.call))
			})
		}
	}
}

// statementSavepoint is how a gateway's savepoint for a single statement begins.
const statementSavepoint = "savepoint `__vitro_"

// nameSavepoints names the savepoint of the statement x1, x2, ... Vitess sets one only where several shards are written.
func (x *Explainer) nameSavepoints() {
	shards := 0
	for _, tablet := range x.notes.tablets {
		for _, query := range tablet.MySQL {
			if strings.HasPrefix(query.SQL, statementSavepoint) {
				shards++
			}
		}
	}
	if shards > 1 {
		x.savepoints++
	}
	for _, tablet := range x.notes.tablets {
		kept := tablet.MySQL[:0]
		for _, query := range tablet.MySQL {
			if strings.HasPrefix(query.SQL, statementSavepoint) {
				if shards == 1 {
					continue
				}
				query.SQL = "savepoint x" + strconv.Itoa(x.savepoints)
			}
			kept = append(kept, query)
		}
		tablet.MySQL = kept
	}
}

// join puts texts together that are not empty.
func join(texts ...string) string {
	var kept []string
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, " ")
}
