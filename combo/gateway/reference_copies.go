package gateway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes"
)

// A reference table with a source has a copy of it on every shard of its keyspace:
//
//	write to the source ── commit ── copy to each shard ── answer to the client
//
// Vitess leaves the copying to a workflow (Materialize), which is a moment late; here it is done before the client hears of the
// commit. Only rows that differ are written. A shard that fails keeps its old rows: the commit stands, with a warning.

// sourcesIn are the tables of a write that have copies, by keyspace.table.
func (g *Gateway) sourcesIn(plan *engine.Plan) (sources []*vindexes.Table) {
	for _, used := range plan.TablesUsed {
		keyspace, name, _ := strings.Cut(used, ".")
		ks := g.VSchema().Keyspaces[keyspace]
		if ks == nil {
			continue
		}
		if table := ks.Tables[name]; table != nil && len(table.ReferencedBy) > 0 {
			sources = append(sources, table)
		}
	}
	return sources
}

// copySources brings the copies of tables up to date; what fails is a warning.
func (s *Session) copySources(ctx context.Context, sources []*vindexes.Table) {
	for _, source := range sources {
		if err := s.gateway.copySource(context.WithoutCancel(ctx), source, false); err != nil {
			s.warn(Warning{Level: "Warning", Code: 1105, Message: fmt.Sprintf("copies of %s.%s are not up to date: %v",
				source.Keyspace.Name, source.Name.String(), err)})
		}
	}
}

// FillReferences copies the rows of sources to those copies that have none. It is for the start, when rows may have come to
// the shards directly.
func (g *Gateway) FillReferences(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(g.VSchema().Keyspaces)) {
		tables := g.VSchema().Keyspaces[name].Tables
		for _, table := range slices.Sorted(maps.Keys(tables)) {
			if len(tables[table].ReferencedBy) == 0 {
				continue
			}
			if err := g.copySource(ctx, tables[table], true); err != nil {
				return fmt.Errorf("copy the rows of %s.%s: %w", name, table, err)
			}
		}
	}
	return nil
}

// copySource copies a table's rows. One copying runs at a time, so that the last to run has seen all that is committed.
func (g *Gateway) copySource(ctx context.Context, source *vindexes.Table, onlyEmpty bool) error {
	g.copyMu.Lock()
	defer g.copyMu.Unlock()
	shards, err := g.cfg.Topology.Shards(source.Keyspace.Name)
	if err != nil {
		return err
	}
	from, err := g.openTable(source, shards[0].Name)
	if err != nil {
		return err
	}
	defer from.Close()
	var failure error
	for _, keyspace := range slices.Sorted(maps.Keys(source.ReferencedBy)) {
		target := source.ReferencedBy[keyspace]
		shards, err := g.cfg.Topology.Shards(keyspace)
		if err != nil {
			return err
		}
		for _, shard := range shards {
			err := g.copyTo(ctx, from, target, shard.Name, onlyEmpty)
			if isNoSuchTable(err) {
				continue // nobody made it yet
			}
			failure = errors.Join(failure, err)
		}
	}
	return failure
}

func isNoSuchTable(err error) bool {
	var mysqlErr *sqlerror.SQLError
	return errors.As(err, &mysqlErr) && mysqlErr.Num == sqlerror.ERNoSuchTable
}

// tableConn is a connection for one table of one shard.
type tableConn struct {
	Conn
	name string
}

func (g *Gateway) openTable(table *vindexes.Table, shard string) (*tableConn, error) {
	tablet, err := g.cfg.Topology.Tablet(table.Keyspace.Name, shard, primaryType)
	if err != nil {
		return nil, err
	}
	return &tableConn{Conn: tablet.Connect(), name: quoteName(table.Name.String())}, nil
}

// copyTo makes one shard's copy as the source is.
func (g *Gateway) copyTo(ctx context.Context, from *tableConn, target *vindexes.Table, shard string, onlyEmpty bool) error {
	to, err := g.openTable(target, shard)
	if err != nil {
		return err
	}
	defer to.Close()
	cols, err := to.columns(ctx)
	if err != nil {
		return err
	}
	want, err := from.rows(ctx, cols)
	if err != nil {
		return err
	}
	have, err := to.rows(ctx, cols)
	if err != nil || onlyEmpty && len(have.list) > 0 {
		return err
	}
	gone, came := have.without(want), want.without(have)
	if len(gone)+len(came) == 0 {
		return nil
	}
	// Values come as they are: they were checked where they were written. FLUSH TABLES may have locked the copy, for the client
	// itself too.
	err = to.SetSystemVariables(map[string]string{
		"foreign_key_checks": "0", "sql_mode": "'NO_AUTO_VALUE_ON_ZERO'", "lock_wait_timeout": "50",
	})
	if err != nil {
		return err
	}
	if err := to.Begin(ctx, TxOptions{}); err != nil {
		return err
	}
	if err := to.write(ctx, cols, gone, came); err != nil {
		return errors.Join(err, to.Rollback(ctx))
	}
	return to.Commit(ctx)
}

// copiedColumns are the columns of a copy that hold values of their own, and the positions of those that identify a row: the
// primary key, or all.
type copiedColumns struct {
	names []string
	key   []int
}

// generated is what SHOW COLUMNS says of a column that is computed.
var generated = regexp.MustCompile(`(?i)\b(VIRTUAL|STORED) GENERATED\b`)

func (c *tableConn) columns(ctx context.Context) (*copiedColumns, error) {
	result, err := c.Query(ctx, "show columns from "+c.name, nil)
	if err != nil {
		return nil, err
	}
	cols := &copiedColumns{}
	for _, row := range result.Rows { // Field, Type, Null, Key, Default, Extra
		if generated.MatchString(row[5].ToString()) {
			continue
		}
		if row[3].ToString() == "PRI" {
			cols.key = append(cols.key, len(cols.names))
		}
		cols.names = append(cols.names, quoteName(row[0].ToString()))
	}
	if len(cols.key) == 0 {
		for i := range cols.names {
			cols.key = append(cols.key, i)
		}
	}
	return cols, nil
}

// copiedRows are rows by their texts. Rows of a table without a primary key may be there several times.
type copiedRows struct {
	list  []sqltypes.Row
	count map[string]int
}

func (c *tableConn) rows(ctx context.Context, cols *copiedColumns) (*copiedRows, error) {
	result, err := c.Query(ctx, "select "+strings.Join(cols.names, ", ")+" from "+c.name, nil)
	if err != nil {
		return nil, err
	}
	rows := &copiedRows{list: result.Rows, count: map[string]int{}}
	for _, row := range rows.list {
		rows.count[rowText(row)]++
	}
	return rows, nil
}

func rowText(row sqltypes.Row) string {
	var b strings.Builder
	for _, value := range row {
		b.WriteString(value.String())
		b.WriteByte(0)
	}
	return b.String()
}

// without are the rows that are not, or not as many times, among others.
func (r *copiedRows) without(others *copiedRows) (rows []sqltypes.Row) {
	for _, row := range r.list {
		if text := rowText(row); r.count[text] != others.count[text] {
			rows = append(rows, row)
		}
	}
	return rows
}

// copyBatch is how many rows one INSERT brings.
const copyBatch = 200

// write removes and adds rows.
func (c *tableConn) write(ctx context.Context, cols *copiedColumns, gone, came []sqltypes.Row) error {
	for _, row := range gone {
		vars := BindVars{}
		var conditions []string
		for _, i := range cols.key {
			name := fmt.Sprintf("c%d", i)
			vars[name] = sqltypes.ValueBindVariable(row[i])
			conditions = append(conditions, cols.names[i]+" <=> :"+name)
		}
		if _, err := c.Query(ctx, "delete from "+c.name+" where "+strings.Join(conditions, " and "), vars); err != nil {
			return err
		}
	}
	for batch := range slices.Chunk(came, copyBatch) {
		vars := BindVars{}
		var tuples []string
		for n, row := range batch {
			var values []string
			for i, value := range row {
				name := fmt.Sprintf("r%d_%d", n, i)
				vars[name] = sqltypes.ValueBindVariable(value)
				values = append(values, ":"+name)
			}
			tuples = append(tuples, "("+strings.Join(values, ", ")+")")
		}
		sql := "insert into " + c.name + "(" + strings.Join(cols.names, ", ") + ") values " + strings.Join(tuples, ", ")
		if _, err := c.Query(ctx, sql, vars); err != nil {
			return err
		}
	}
	return nil
}
