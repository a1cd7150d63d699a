package sqlengine

import (
	"io"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/vitrodb/vitro/shardsim/store"
)

// table is a table of a shard in the engine's terms. It holds a definition and no rows: those come from the transaction
// of the session that reads.
type table struct {
	shard *Shard
	def   *store.TableDef
	meta  *tableMeta
	// schema is this object's own copy: the engine resolves defaults in place.
	schema sql.Schema
	lookup *sql.IndexLookup // of an indexed access, else nil
	// reference is set for the reads of foreign key checks, which lock what they find.
	reference bool
}

var (
	_ sql.Table                    = (*table)(nil)
	_ sql.IndexAddressableTable    = (*table)(nil)
	_ sql.IndexedTable             = (*table)(nil)
	_ sql.PrimaryKeyTable          = (*table)(nil)
	_ sql.StatisticsTable          = (*table)(nil)
	_ sql.TemporaryTable           = (*table)(nil)
	_ sql.InsertableTable          = (*table)(nil)
	_ sql.UpdatableTable           = (*table)(nil)
	_ sql.DeletableTable           = (*table)(nil)
	_ sql.ReplaceableTable         = (*table)(nil)
	_ sql.TruncateableTable        = (*table)(nil)
	_ sql.AutoIncrementTable       = (*table)(nil)
	_ sql.CheckAlterableTable      = (*table)(nil)
	_ sql.CheckTable               = (*table)(nil)
	_ sql.ForeignKeyTable          = (*table)(nil)
	_ sql.AlterableTable           = (*table)(nil)
	_ sql.RewritableTable          = (*table)(nil)
	_ sql.IndexAlterableTable      = (*table)(nil)
	_ sql.PrimaryKeyAlterableTable = (*table)(nil)
	_ sql.CollationAlterableTable  = (*table)(nil)
	_ sql.CommentedTable           = (*table)(nil)
	_ sql.Databaseable             = (*table)(nil)
)

func newTable(shard *Shard, def *store.TableDef) *table {
	m := metaOf(def)
	return &table{shard: shard, def: def, meta: m, schema: m.columns.Copy()}
}

// rows returns the newest version of the table, nil if it was altered or dropped meanwhile.
func (t *table) rows() *store.Table {
	if now := t.shard.db.Root().Table(t.def.Name); now != nil && now.Def == t.def {
		return now
	}
	return nil
}

func (t *table) Name() string               { return t.meta.name }
func (t *table) String() string             { return t.meta.name }
func (t *table) Database() string           { return t.shard.keyspace }
func (t *table) Schema() sql.Schema         { return t.schema }
func (t *table) Collation() sql.CollationID { return t.meta.collation }
func (t *table) Comment() string            { return t.meta.comment }
func (t *table) IsTemporary() bool          { return t.meta.isTemporary() }

// PreciseMatch is false: the engine keeps its filters, so an index lookup may return more rows than asked for.
func (t *table) PreciseMatch() bool { return false }

func (t *table) PrimaryKeySchema() sql.PrimaryKeySchema {
	return sql.NewPrimaryKeySchema(t.schema, t.meta.pk...)
}

// RowCount is an estimate: an exact count would be baked into plans.
func (t *table) RowCount(*sql.Context) (uint64, bool, error) {
	if now := t.rows(); now != nil {
		return uint64(now.RowCount()), false, nil
	}
	return 0, false, nil
}

func (t *table) DataLength(ctx *sql.Context) (uint64, error) {
	n, _, err := t.RowCount(ctx)
	return n * uint64(len(t.schema)) * 16, err
}

// partition is the only one a table has. It carries the ranges of a lookup.
type partition struct {
	index   int // position in the definition's indexes, or store.Primary
	ranges  []store.Range
	reverse bool
}

func (p *partition) Key() []byte { return []byte("rows") }

type partitionIter struct{ part *partition }

func (i *partitionIter) Next(*sql.Context) (sql.Partition, error) {
	if i.part == nil {
		return nil, io.EOF
	}
	p := i.part
	i.part = nil
	return p, nil
}

func (i *partitionIter) Close(*sql.Context) error { return nil }

func (t *table) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return &partitionIter{part: &partition{index: store.Primary}}, nil
}

func (t *table) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	part := p.(*partition)
	s := fromContext(ctx)
	scan := s.scanOf(t)
	scan.Index, scan.Ranges, scan.Reverse = part.index, part.ranges, part.reverse
	def := t.def
	if s.stmt.copy {
		// The steps of an ALTER TABLE hold the table as it was before the first one.
		if now := t.shard.db.Root().Table(def.Name); now != nil && len(metaOf(now.Def).columns) == len(t.schema) {
			def = now.Def
		}
	}
	it, err := s.tx.Open(ctx, def, scan)
	if err != nil {
		return nil, storeError(err, t.meta.name)
	}
	rows := &rowIter{it: it, table: t}
	rows.timestamps, rows.zone = t.zoned(s)
	return rows, nil
}

// scanOf returns how the running statement reads the table.
func (s *sqlSession) scanOf(t *table) store.Scan {
	if t.reference {
		return store.Scan{Lock: store.Shared, RowsAlone: true}
	}
	if t.meta.isTemporary() {
		// Nobody else writes to it, and it may be younger than the transaction's snapshot.
		return store.Scan{Current: true}
	}
	mode := &s.stmt
	switch {
	case mode.locks(t.meta.name):
		return store.Scan{Lock: mode.lock, Policy: mode.policy}
	case mode.shares && !s.tx.FreshReads():
		return store.Scan{Lock: store.Shared}
	}
	return store.Scan{Current: mode.current || mode.shares}
}

// locks reports whether lock is for a table.
func (m *scanMode) locks(table string) bool {
	if m.lock == store.NoLock {
		return false
	}
	name := strings.ToLower(table)
	if m.targets != nil {
		return m.targets[name]
	}
	return !m.spared[name]
}

// rowIter gives the rows of a scan.
type rowIter struct {
	it    *store.Iter
	table *table

	timestamps []int // columns to give in the session's time zone
	zone       *time.Location
}

func (i *rowIter) Next(ctx *sql.Context) (sql.Row, error) {
	rec, err := i.it.Next()
	if err != nil {
		return nil, storeError(err, i.table.meta.name)
	}
	if !rec.Exists() {
		return nil, io.EOF
	}
	if len(i.timestamps) > 0 {
		return localRow(rec.Row(), i.timestamps, i.zone), nil
	}
	return rec.Row(), nil
}

func (i *rowIter) Close(*sql.Context) error {
	i.it.Close()
	return nil
}

func (t *table) GetChecks(*sql.Context) ([]sql.CheckDefinition, error) {
	return append([]sql.CheckDefinition(nil), t.newest().checks...), nil
}

func (t *table) GetDeclaredForeignKeys(*sql.Context) ([]sql.ForeignKeyConstraint, error) {
	return copyForeignKeys(t.newest().foreignKeys), nil
}

// newest returns the table's newest definition: the steps of a DDL statement hold the table as it was before the first.
func (t *table) newest() *tableMeta {
	if now := t.shard.db.Root().Table(t.def.Name); now != nil {
		return metaOf(now.Def)
	}
	return t.meta
}

// copyForeignKeys copies deeply: the engine renames columns in place.
func copyForeignKeys(fks []sql.ForeignKeyConstraint) []sql.ForeignKeyConstraint {
	var all []sql.ForeignKeyConstraint
	for _, fk := range fks {
		fk.Columns = append([]string(nil), fk.Columns...)
		fk.ParentColumns = append([]string(nil), fk.ParentColumns...)
		all = append(all, fk)
	}
	return all
}

func (t *table) GetReferencedForeignKeys(*sql.Context) ([]sql.ForeignKeyConstraint, error) {
	if t.meta.isTemporary() {
		return nil, nil
	}
	var all []sql.ForeignKeyConstraint
	for _, other := range t.shard.db.Root().Tables() {
		for _, fk := range metaOf(other.Def).foreignKeys {
			if strings.EqualFold(fk.ParentTable, t.meta.name) {
				all = append(all, fk)
			}
		}
	}
	return copyForeignKeys(all), nil
}

func (t *table) PeekNextAutoIncrementValue(*sql.Context) (uint64, error) {
	if now := t.rows(); now != nil {
		return now.PeekAuto(), nil
	}
	return 0, storeError(store.ErrTableChanged, t.meta.name)
}

// GetNextAutoIncrementValue takes a value for a row that has none, or notes the one it brings.
func (t *table) GetNextAutoIncrementValue(ctx *sql.Context, given any) (uint64, error) {
	now := t.rows()
	if now == nil {
		return 0, storeError(store.ErrTableChanged, t.meta.name)
	}
	at := t.meta.autoColumn()
	zero := given == nil
	if !zero {
		cmp, err := t.schema[at].Type.Compare(ctx, given, t.schema[at].Type.Zero())
		if err != nil {
			return 0, err
		}
		zero = cmp == 0
	}
	if zero {
		return now.NextAuto(fromContext(ctx).autoSeries()), nil
	}
	v := autoValue(given)
	now.BumpAuto(v)
	return v, nil
}

// autoSeries is which AUTO_INCREMENT values the session takes.
func (s *sqlSession) autoSeries() store.Series {
	return store.Series{Step: s.positive("auto_increment_increment"), Offset: s.positive("auto_increment_offset")}
}

// positive is a variable that is a number from 1 on.
func (s *sqlSession) positive(name string) uint64 {
	v, _ := s.variable(name)
	if n, ok := bigInt(v.Val); ok && n.Sign() > 0 {
		return n.Uint64()
	}
	return 1
}

// autoValue returns a column's value as what AUTO_INCREMENT counts in: negative values do not count.
func autoValue(v any) uint64 {
	switch v := v.(type) {
	case int8:
		return uint64(max(v, 0))
	case int16:
		return uint64(max(v, 0))
	case int32:
		return uint64(max(v, 0))
	case int64:
		return uint64(max(v, 0))
	case uint8:
		return uint64(v)
	case uint16:
		return uint64(v)
	case uint32:
		return uint64(v)
	case uint64:
		return v
	case float32:
		return uint64(max(v, 0))
	case float64:
		return uint64(max(v, 0))
	}
	return 0
}

func (t *table) AutoIncrementSetter(*sql.Context) sql.AutoIncrementSetter {
	return &autoSetter{table: t}
}

// autoSetter is ALTER TABLE ... AUTO_INCREMENT = n.
type autoSetter struct{ table *table }

// SetAutoIncrementValue implements sql.AutoIncrementSetter. The next value is never one that a row has.
func (a *autoSetter) SetAutoIncrementValue(ctx *sql.Context, next uint64) error {
	now := a.table.shard.db.Root().Table(a.table.def.Name)
	if now == nil {
		return storeError(store.ErrNoTable, a.table.meta.name)
	}
	rows, err := newTable(a.table.shard, now.Def).PartitionRows(ctx, &partition{index: store.Primary})
	if err != nil {
		return err
	}
	at := metaOf(now.Def).autoColumn()
	err = eachRow(ctx, rows, func(row sql.Row) error {
		if at >= 0 {
			next = max(next, autoValue(row[at])+1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	now.SetAuto(next)
	return nil
}

func (a *autoSetter) AcquireAutoIncrementLock(*sql.Context) (func(), error) { return func() {}, nil }
func (a *autoSetter) Close(*sql.Context) error                              { return nil }
