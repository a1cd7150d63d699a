package faults

import (
	"context"
	"regexp"
	"sync"
	"time"

	"vitess.io/vitess/go/mysql/sqlerror"
)

// Lost is MySQL's error for a connection that broke during a statement.
var Lost = sqlerror.NewSQLError(sqlerror.CRServerLost, sqlerror.SSUnknownSQLState, "Lost connection to MySQL server during query")

// Rule says which statements a fault befalls. Empty fields match everything.
type Rule struct {
	Keyspace string
	Shard    string
	SQL      string          // regular expression; transactions are "begin", "commit" (and its parts, see shardsim.Conn.CommitPart) and "rollback"
	After    int             // let that many matching statements pass first
	Times    int             // befall that many statements, 0: all
	Delay    time.Duration   // wait so long, or until the statement's context ends
	Gate     <-chan struct{} // wait until it is closed, or until the statement's context ends
	Err      error           // then fail so; nil: run the statement
}

// Rules is a list of rules. It is safe for concurrent use and implements shardsim.Faults.
type Rules struct {
	after func(time.Duration) <-chan time.Time

	mu    sync.Mutex
	rules []*active
	last  int
}

type active struct {
	Rule
	id      int
	pattern *regexp.Regexp
	matched int
}

// New returns an empty list.
func New() *Rules { return &Rules{after: time.After} }

// Add appends a rule and returns its number, for Remove. It panics if the regular expression is broken.
func (r *Rules) Add(rule Rule) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	r.rules = append(r.rules, &active{Rule: rule, id: r.last, pattern: regexp.MustCompile(rule.SQL)})
	return r.last
}

// Remove takes a rule out and returns how many statements it matched.
func (r *Rules) Remove(id int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, a := range r.rules {
		if a.id == id {
			r.rules = append(r.rules[:i:i], r.rules[i+1:]...)
			return a.matched
		}
	}
	return 0
}

// Before waits and fails as the first rule says that applies to the statement.
func (r *Rules) Before(ctx context.Context, keyspace, shard, sql string) error {
	a := r.applying(keyspace, shard, sql)
	if a == nil {
		return nil
	}
	if a.Delay > 0 {
		select {
		case <-r.after(a.Delay):
		case <-ctx.Done():
			return interrupted()
		}
	}
	if a.Gate != nil {
		select {
		case <-a.Gate:
		case <-ctx.Done():
			return interrupted()
		}
	}
	return a.Err
}

func interrupted() error {
	return sqlerror.NewSQLError(sqlerror.ERQueryInterrupted, sqlerror.SSQueryInterrupted, "Query execution was interrupted")
}

// applying counts the statement for the rules it matches, up to the first that applies.
func (r *Rules) applying(keyspace, shard, sql string) *active {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.rules {
		if a.Keyspace != "" && a.Keyspace != keyspace || a.Shard != "" && a.Shard != shard || !a.pattern.MatchString(sql) {
			continue
		}
		a.matched++
		if a.matched > a.After && (a.Times == 0 || a.matched <= a.After+a.Times) {
			return a
		}
	}
	return nil
}
