package sqlengine

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// namedLocks are the locks of GET_LOCK, of all sessions of an engine. The engine's own ones are waited for in a loop that
// no KILL ends.
type namedLocks struct {
	mu      sync.Mutex
	held    map[string]*namedLock // by lower-case name
	waiting map[uint32]string     // what a session waits for
}

type namedLock struct {
	owner uint32 // session
	count int    // how often the owner took it
	gone  chan struct{}
}

func newNamedLocks() *namedLocks {
	return &namedLocks{held: make(map[string]*namedLock), waiting: make(map[uint32]string)}
}

// get takes a lock, waiting for it; a negative time is forever. It reports whether the session has it. Errors: 3058 if the
// sessions would wait for each other, and the context's.
func (l *namedLocks) get(ctx context.Context, session uint32, name string, wait time.Duration) (bool, error) {
	var timeout <-chan time.Time
	if wait >= 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		timeout = timer.C
	}
	for {
		gone, err := l.try(session, name)
		if gone == nil || err != nil {
			return err == nil, err
		}
		select {
		case <-gone:
		case <-timeout:
			l.stopWaiting(session)
			return false, nil
		case <-ctx.Done():
			l.stopWaiting(session)
			return false, context.Cause(ctx)
		}
	}
}

// try takes a lock or notes that the session waits for it: until the channel is closed.
func (l *namedLocks) try(session uint32, name string) (gone <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, session)
	lock := l.held[name]
	switch {
	case lock == nil:
		l.held[name] = &namedLock{owner: session, count: 1, gone: make(chan struct{})}
		return nil, nil
	case lock.owner == session:
		lock.count++
		return nil, nil
	}
	for at := lock; at != nil; at = l.held[l.waiting[at.owner]] {
		if at.owner == session {
			return nil, mysqlError(3058, "HY000", "Deadlock found when trying to get user-level lock; try rolling back transaction/releasing locks and restarting lock acquisition.")
		}
	}
	l.waiting[session] = name
	return lock.gone, nil
}

func (l *namedLocks) stopWaiting(session uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, session)
}

// owner returns the session that has a lock, 0 for none.
func (l *namedLocks) owner(name string) uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if lock := l.held[name]; lock != nil {
		return lock.owner
	}
	return 0
}

// release gives a lock back once, and reports whether the session had it.
func (l *namedLocks) release(session uint32, name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	lock := l.held[name]
	if lock == nil || lock.owner != session {
		return false
	}
	if lock.count--; lock.count == 0 {
		delete(l.held, name)
		close(lock.gone)
	}
	return true
}

// releaseAll gives all locks of a session back, and returns how many it had taken.
func (l *namedLocks) releaseAll(session uint32) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, lock := range l.held {
		if lock.owner == session {
			n += lock.count
			delete(l.held, name)
			close(lock.gone)
		}
	}
	return n
}

// functions are GET_LOCK and its relatives.
func (l *namedLocks) functions() []sql.Function {
	one := func(name string, eval func(s *sqlSession, lock string) any) sql.Function {
		return sql.Function1{Name: name, Fn: func(arg sql.Expression) sql.Expression {
			return &lockCall{name: name, args: []sql.Expression{arg}, eval: func(ctx *sql.Context, lock string, _ any) (any, error) {
				return eval(fromContext(ctx), lock), nil
			}}
		}}
	}
	return []sql.Function{
		sql.Function2{Name: "get_lock", Fn: func(lock, wait sql.Expression) sql.Expression {
			return &lockCall{name: "get_lock", args: []sql.Expression{lock, wait}, eval: l.evalGet}
		}},
		one("is_free_lock", func(_ *sqlSession, lock string) any { return truth(l.owner(lock) == 0) }),
		one("is_used_lock", func(_ *sqlSession, lock string) any {
			if owner := l.owner(lock); owner != 0 {
				return int64(owner)
			}
			return nil
		}),
		one("release_lock", func(s *sqlSession, lock string) any {
			if l.owner(lock) == 0 {
				return nil
			}
			return truth(l.release(s.id, lock))
		}),
		sql.Function0{Name: "release_all_locks", Fn: func() sql.Expression {
			return &lockCall{name: "release_all_locks", eval: func(ctx *sql.Context, _ string, _ any) (any, error) {
				return int64(l.releaseAll(fromContext(ctx).id)), nil
			}}
		}},
	}
}

func truth(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

func (l *namedLocks) evalGet(ctx *sql.Context, lock string, wait any) (any, error) {
	seconds, _, err := types.Float64.Convert(ctx, wait)
	if err != nil {
		return nil, err
	}
	d, _ := seconds.(float64) // NULL does not wait
	got, err := l.get(ctx, fromContext(ctx).id, lock, time.Duration(d*float64(time.Second)))
	return truth(got), err
}

// lockCall is a call of one of the functions of named locks: it is never computed ahead.
type lockCall struct {
	name string
	args []sql.Expression // the name, and how long to wait
	eval func(ctx *sql.Context, lock string, wait any) (any, error)
}

var (
	_ sql.FunctionExpression         = (*lockCall)(nil)
	_ sql.NonDeterministicExpression = (*lockCall)(nil)
)

func (c *lockCall) FunctionName() string       { return c.name }
func (c *lockCall) Description() string        { return "named lock" }
func (c *lockCall) Type() sql.Type             { return types.Int64 }
func (c *lockCall) IsNullable() bool           { return true }
func (c *lockCall) IsNonDeterministic() bool   { return true }
func (c *lockCall) Children() []sql.Expression { return c.args }
func (c *lockCall) Resolved() bool             { return (&scalarCall{args: c.args}).Resolved() }
func (c *lockCall) String() string             { return (&scalarCall{name: c.name, args: c.args}).String() }

func (c *lockCall) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(c.args) {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), len(c.args))
	}
	return &lockCall{name: c.name, args: children, eval: c.eval}, nil
}

// lockNameMax is how many characters a lock's name may have.
const lockNameMax = 64

func (c *lockCall) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	values := make([]any, 2)
	for i, a := range c.args {
		var err error
		if values[i], err = a.Eval(ctx, row); err != nil {
			return nil, err
		}
	}
	if len(c.args) == 0 {
		return c.eval(ctx, "", nil)
	}
	name := "NULL"
	if values[0] != nil {
		text, _, err := types.LongText.Convert(ctx, values[0])
		if err != nil {
			return nil, err
		}
		name = text.(string)
	}
	if n := utf8.RuneCountInString(name); values[0] == nil || n == 0 || n > lockNameMax {
		return nil, mysqlError(3057, "42000", "Incorrect user-level lock name '%s'.", name)
	}
	return c.eval(ctx, strings.ToLower(name), values[1])
}
