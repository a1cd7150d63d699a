package explain

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/combo/gateway"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// topology is the explainer's shards as the gateway sees them.
type topology struct{ x *Explainer }

func (t topology) Keyspaces() []string { return slices.Sorted(maps.Keys(t.x.shards)) }

func (t topology) Shards(keyspace string) ([]key.Shard, error) {
	shards, ok := t.x.shards[keyspace]
	if !ok {
		return nil, vterrors.VT05003(keyspace)
	}
	return shards, nil
}

func (t topology) Tablet(keyspace, shard string, _ topodatapb.TabletType) (gateway.Tablet, error) {
	shards, err := t.Shards(keyspace)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(shards, func(s key.Shard) bool { return s.Name == shard }) {
		return nil, fmt.Errorf("keyspace %s has no shard %s", keyspace, shard)
	}
	return tablet{x: t.x, shard: keyspace + "/" + shard}, nil
}

func (t topology) TabletInfos() []gateway.TabletInfo { return nil }

// tablet connects to a shard, "keyspace/shard".
type tablet struct {
	x     *Explainer
	shard string
}

func (t tablet) Connect() gateway.Conn { return &conn{tablet: t} }

// Schema implements gateway.Tablet. Plans are made as without it.
func (t tablet) Schema() ([]vindexes.TableSchema, uint64) { return nil, 0 }

// conn notes what it is asked and makes up the answers.
type conn struct {
	tablet
	inTx  bool
	begin string      // how a transaction begins
	begun [parts]bool // the transactions that have
	// before and after go along with the next query: settings, and savepoints, which follow the beginning.
	before, after []string
}

// part is one of the transactions that Vitess has on a shard in the place of one here: consistent lookups make entries in a
// transaction that is committed before the rows, and remove them in one that is committed after.
type part int

const (
	entriesMade part = iota
	rowsChanged
	entriesRemoved
	parts
)

// Query implements gateway.Conn.
func (c *conn) Query(_ context.Context, sql string, bindVars gateway.BindVars) (*sqltypes.Result, error) {
	if strings.HasPrefix(sql, "savepoint ") && (c.begun == [parts]bool{} || strings.HasPrefix(sql, statementSavepoint)) {
		c.after = append(c.after, sql)
		return &sqltypes.Result{}, nil
	}
	keyspace, _, _ := strings.Cut(c.shard, "/")
	query, err := c.x.asMySQL(keyspace, sql, bindVars)
	if err != nil {
		return nil, err
	}
	result, err := query.answer()
	if err != nil {
		return nil, err
	}
	now := c.x.clock.wait()
	c.x.notes.query(c.shard, now, sql, bindVars)
	if query.isImpossible() {
		return result, nil
	}
	lines := c.before
	if c.inTx && !c.begun[query.part] {
		c.begun[query.part] = true
		lines = append(lines, c.begin)
	}
	lines = append(lines, c.after...)
	c.before, c.after = nil, nil
	if query.limited && !c.inTx && query.isWrite() {
		// vttablet keeps to the limit by undoing writes that exceed it.
		lines = append(lines, "begin", query.text, "commit")
	} else {
		lines = append(lines, query.text)
	}
	c.x.notes.mysql(c.shard, now, lines...)
	return result, nil
}

// Execute implements gateway.Conn.
func (c *conn) Execute(ctx context.Context, sql string, bindVars gateway.BindVars, emit gateway.Emit) error {
	result, err := c.Query(ctx, sql, bindVars)
	if err != nil {
		return err
	}
	return emit(result)
}

// Begin implements gateway.Conn. A transaction begins with its first query.
func (c *conn) Begin(_ context.Context, opts gateway.TxOptions) error {
	if opts.Isolation != "" {
		c.before = append(c.before, "set transaction isolation level "+strings.ReplaceAll(strings.ToLower(opts.Isolation), "-", " "))
	}
	c.inTx = true
	switch {
	case opts.ConsistentSnapshot && opts.ReadOnly:
		c.begin = "start transaction with consistent snapshot, read only"
	case opts.ConsistentSnapshot:
		c.begin = "start transaction with consistent snapshot"
	case opts.ReadOnly:
		c.begin = "start transaction read only"
	default:
		c.begin = "begin"
	}
	return nil
}

// CommitPart implements gateway.Conn.
func (c *conn) CommitPart(_ context.Context, p gateway.Part, _ []string) error {
	if p == gateway.EntriesMade {
		c.finish("commit", entriesMade)
	} else {
		c.finish("commit", rowsChanged)
	}
	return nil
}

// Commit implements gateway.Conn.
func (c *conn) Commit(context.Context) error {
	c.end("commit")
	return nil
}

// Rollback implements gateway.Conn.
func (c *conn) Rollback(context.Context) error {
	c.end("rollback")
	return nil
}

// end ends all that have begun.
func (c *conn) end(word string) {
	for p := range parts {
		c.finish(word, p)
	}
	c.inTx, c.before, c.after = false, nil, nil
}

func (c *conn) finish(word string, p part) {
	if c.begun[p] {
		c.begun[p] = false
		c.x.notes.mysql(c.shard, c.x.clock.wait(), word)
	}
}

// InTransaction implements gateway.Conn.
func (c *conn) InTransaction() bool { return c.inTx }

// SetSystemVariables implements gateway.Conn.
func (c *conn) SetSystemVariables(vars map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		c.before = append(c.before, "set "+name+" = "+vars[name])
	}
	return nil
}

// FoundRows implements gateway.Conn.
func (c *conn) FoundRows(bool) {}

// Warnings implements gateway.Conn.
func (c *conn) Warnings() []gateway.Warning { return nil }

// Close implements gateway.Conn.
func (c *conn) Close() {}
