package shardsim

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"github.com/vitrodb/vitro/shardsim/sqlengine"
)

// Conn is one client's session on a shard. It runs one statement at a time and is not safe for concurrent use.
// All errors are *sqlerror.SQLError.
type Conn struct {
	tablet  *Tablet
	session *sqlengine.Session
	parts   parts // what is committed of the open transaction
}

// Tablet returns the tablet the connection is to.
func (c *Conn) Tablet() *Tablet { return c.tablet }

// Execute runs one statement in the dialect of vitess.io/vitess/go/vt/sqlparser with :name and ::list bind variables.
// The first result given to emit carries the fields, also if there are no rows; further ones carry rows only, at most
// 1000 each. A statement without a result set emits one result with RowsAffected, InsertID and Info as MySQL's OK packet
// has them. An error of emit stops the statement and is returned as it is.
func (c *Conn) Execute(ctx context.Context, sql string, bindVars map[string]*querypb.BindVariable, emit func(*sqltypes.Result) error) error {
	if err := c.before(ctx, sql); err != nil {
		return err
	}
	return c.session.Execute(ctx, sql, bindVars, emit)
}

// Query runs one statement as Execute does and returns its whole result.
func (c *Conn) Query(ctx context.Context, sql string, bindVars map[string]*querypb.BindVariable) (*sqltypes.Result, error) {
	if err := c.before(ctx, sql); err != nil {
		return nil, err
	}
	return c.session.Query(ctx, sql, bindVars)
}

func (c *Conn) before(ctx context.Context, sql string) error {
	if c.tablet.faults == nil {
		return nil
	}
	return c.tablet.faults.Before(ctx, c.tablet.keyspace, c.tablet.shard, sql)
}

// Begin starts a transaction, committing an open one first, as MySQL does.
func (c *Conn) Begin(ctx context.Context, opts TxOptions) error {
	if err := c.before(ctx, "begin"); err != nil {
		return err
	}
	c.parts = noParts
	return c.session.Begin(ctx, opts)
}

// SetOwner says for whom the connection's next transactions are: LockWaits tells by these numbers who waits for whom.
func (c *Conn) SetOwner(owner uint64) { c.session.SetOwner(owner) }

// Commit commits the open transaction. Without one it does nothing.
func (c *Conn) Commit(ctx context.Context) error {
	text := [...]string{noParts: "commit", withEntries: "commit /* post */", allRows: ""}[c.parts]
	if text != "" {
		if err := c.before(ctx, text); err != nil {
			return err
		}
	}
	return c.session.Commit(ctx)
}

// CommitPart commits a part of the open transaction, which goes on: first EntriesMade, then RowsChanged, and the rest with
// Commit. Entry tables are those whose rows point at rows of other tables. An error ends the transaction. Rules of faults
// see "commit /* pre */", "commit" for the rows, and "commit /* post */" for the Commit after them, which without entry tables
// only lets go of the locks and cannot fail.
func (c *Conn) CommitPart(ctx context.Context, part Part, entryTables []string) error {
	text := "commit /* pre */"
	if part == RowsChanged {
		text = "commit"
	}
	if err := c.before(ctx, text); err != nil {
		return err
	}
	c.parts = withEntries
	if len(entryTables) == 0 {
		c.parts = allRows
	}
	return c.session.CommitPart(ctx, part, entryTables)
}

// parts tells which parts of a transaction are committed.
type parts int

const (
	noParts     parts = iota
	withEntries       // entries that were removed are left
	allRows           // nothing is left
)

// Rollback rolls the open transaction back. Without one it does nothing.
func (c *Conn) Rollback(ctx context.Context) error {
	if err := c.before(ctx, "rollback"); err != nil {
		return err
	}
	return c.session.Rollback(ctx)
}

// InTransaction reports whether a transaction is open. A deadlock (1213) ends it.
func (c *Conn) InTransaction() bool { return c.session.InTransaction() }

// SetSystemVariables sets session variables; values are SQL texts: 'a string', 1, on.
func (c *Conn) SetSystemVariables(vars map[string]string) error {
	return c.session.SetSystemVariables(vars)
}

// FoundRows sets CLIENT_FOUND_ROWS: an UPDATE then reports matched rows, not changed ones.
func (c *Conn) FoundRows(on bool) { c.session.FoundRows(on) }

// Warnings returns the warnings of the last statement.
func (c *Conn) Warnings() []Warning { return c.session.Warnings() }

// ResultSets returns how many result sets the procedures of the last statement gave, also if it failed later.
func (c *Conn) ResultSets() int { return c.session.ResultSets() }

// Reset rolls an open transaction back and makes the session as new.
func (c *Conn) Reset() { c.session.Reset() }

// Close rolls an open transaction back and returns the session to its pool. The Conn must not be used afterwards.
func (c *Conn) Close() {
	if c.session != nil {
		c.session.Close()
		c.session = nil
	}
}
