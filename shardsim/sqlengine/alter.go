package sqlengine

import (
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/vitrodb/vitro/shardsim/store"
)

// lockWait returns innodb_lock_wait_timeout.
func (s *sqlSession) lockWait() time.Duration {
	if s.lockSeconds > 0 {
		return time.Duration(s.lockSeconds) * time.Second
	}
	return store.DefaultLockWait
}

// alter changes the newest definition of the table by edit, on a clone. convert makes rows of the new definition; nil
// keeps them. It takes effect at once.
func (t *table) alter(ctx *sql.Context, edit func(m *tableMeta) error, convert func(row []any) ([]any, error)) error {
	name := t.def.Name
	now := t.shard.db.Root().Table(name)
	if now == nil {
		return sql.ErrTableNotFound.New(name)
	}
	m := metaOf(now.Def).clone()
	if err := edit(m); err != nil {
		return err
	}
	def, err := m.definition()
	if err != nil {
		return err
	}
	return fromContext(ctx).writeError(t.shard.db.Rebuild(ctx, name, def, convert, fromContext(ctx).lockWait()), t)
}

// ShouldRewriteTable is always true: the engine then computes the rows of every new schema.
func (t *table) ShouldRewriteTable(*sql.Context, sql.PrimaryKeySchema, sql.PrimaryKeySchema, *sql.Column, *sql.Column) bool {
	return true
}

// RewriteInserter takes the rows of the new schema and replaces the table when it is closed.
func (t *table) RewriteInserter(ctx *sql.Context, _, schema sql.PrimaryKeySchema, from, to *sql.Column, pkColumns []sql.IndexColumn) (sql.RowInserter, error) {
	now := t.shard.db.Root().Table(t.def.Name)
	if now == nil {
		return nil, sql.ErrTableNotFound.New(t.meta.name)
	}
	m := metaOf(now.Def).clone()
	if from != nil && to != nil && from.Name != to.Name {
		m.renameColumn(from.Name, to.Name)
	}
	if from != nil && to == nil {
		m.forgetColumn(from.Name)
	}
	if len(pkColumns) > 0 {
		m.pkPrefix = prefixLengths(pkColumns)
	}
	m.setSchema(schema)
	m.setShapes(fromContext(ctx).st)
	m.setPreciseTimes(preciseTimes(fromContext(ctx).st.ast))
	changed := -1
	if to != nil {
		if err := m.inheritCollation(fromContext(ctx), to.Name); err != nil {
			return nil, err
		}
		changed = m.columns.IndexOfColName(to.Name)
	}
	for _, at := range m.pk {
		m.columns[at].PrimaryKey = true
		m.columns[at].Nullable = false
	}
	return &rewriter{table: t, meta: m, changed: changed}, nil
}

// inheritCollation gives a column of ALTER TABLE the table's collation if the statement names none: the engine takes its
// own default.
func (m *tableMeta) inheritCollation(s *sqlSession, name string) error {
	at := m.columns.IndexOfColName(name)
	if at < 0 || strings.Contains(strings.ToLower(s.text), sql.Collation_Default.Name()) {
		return nil
	}
	typ, ok := m.columns[at].Type.(sql.TypeWithCollation)
	if !ok || typ.Collation() != sql.Collation_Default {
		return nil
	}
	changed, err := recollated(typ, m.collation)
	m.columns[at].Type = changed
	return err
}

// renameColumn lets indexes and foreign keys follow a column that is renamed.
func (m *tableMeta) renameColumn(from, to string) {
	rename := func(names []string) {
		for i := range names {
			if strings.EqualFold(names[i], from) {
				names[i] = to
			}
		}
	}
	for i := range m.indexes {
		rename(m.indexes[i].columns)
	}
	if m.virtual[strings.ToLower(from)] {
		delete(m.virtual, strings.ToLower(from))
		m.virtual[strings.ToLower(to)] = true
	}
}

// forgetColumn takes a dropped column out of the indexes, as MySQL does.
func (m *tableMeta) forgetColumn(name string) {
	var kept []indexMeta
	for _, idx := range m.indexes {
		out := idx
		out.columns, out.prefix = nil, nil
		for i, c := range idx.columns {
			if strings.EqualFold(c, name) {
				continue
			}
			out.columns = append(out.columns, c)
			if idx.prefix != nil {
				out.prefix = append(out.prefix, idx.prefix[i])
			}
		}
		if len(out.columns) > 0 {
			kept = append(kept, out)
		}
	}
	m.indexes = kept
}

// rewriter collects the rows of an ALTER TABLE.
type rewriter struct {
	table   *table
	meta    *tableMeta
	changed int // the column that is added or changed, -1 for none
	rows    [][]any
	failed  bool
}

func (r *rewriter) StatementBegin(*sql.Context)          {}
func (r *rewriter) StatementComplete(*sql.Context) error { return nil }

func (r *rewriter) DiscardChanges(*sql.Context, error) error {
	r.failed = true
	return nil
}

func (r *rewriter) Insert(ctx *sql.Context, row sql.Row) error {
	// ALTER TABLE sees the store's timestamps.
	stored, err := keptRow(ctx, row, r.meta.columns)
	if err == nil && r.changed >= 0 {
		fromContext(ctx).givenRow++
		err = r.meta.reshaped(ctx, stored, r.changed)
	}
	r.rows = append(r.rows, stored)
	return err
}

func (r *rewriter) Close(ctx *sql.Context) error {
	if r.failed {
		return nil
	}
	r.failed = true
	def, err := r.meta.definition()
	if err != nil {
		return err
	}
	s, db := fromContext(ctx), r.table.shard.db
	if err := db.ReplaceRows(ctx, r.table.def.Name, def, r.rows, s.lockWait()); err != nil {
		return s.writeError(err, r.table)
	}
	if at := r.meta.autoColumn(); at >= 0 {
		now := db.Root().Table(r.table.def.Name)
		for _, row := range r.rows {
			now.BumpAuto(autoValue(row[at]))
		}
	}
	return nil
}

// AddColumn is not reached, as ShouldRewriteTable is always true.
func (t *table) AddColumn(*sql.Context, *sql.Column, *sql.ColumnOrder) error {
	return errUnsupported("ALTER TABLE without rewrite")
}

// DropColumn is not reached, as ShouldRewriteTable is always true.
func (t *table) DropColumn(*sql.Context, string) error {
	return errUnsupported("ALTER TABLE without rewrite")
}

// ModifyColumn changes a column in place: a new name, a new default.
func (t *table) ModifyColumn(ctx *sql.Context, name string, column *sql.Column, order *sql.ColumnOrder) error {
	if order != nil {
		return errUnsupported("ALTER TABLE without rewrite")
	}
	at := -1
	var to sql.Type
	var changed *tableMeta
	edit := func(m *tableMeta) error {
		at = m.columns.IndexOfColName(name)
		if at < 0 {
			return sql.ErrTableColumnNotFound.New(m.name, name)
		}
		col := column.Copy()
		col.PrimaryKey = m.columns[at].PrimaryKey
		if name != col.Name {
			m.renameColumn(name, col.Name)
		}
		to = col.Type
		columns := m.columns.Copy()
		columns[at] = col
		m.setSchema(sql.NewPrimaryKeySchema(columns, m.pk...))
		m.setShapes(fromContext(ctx).st)
		changed = m
		return m.inheritCollation(fromContext(ctx), col.Name)
	}
	convert := func(row []any) ([]any, error) {
		if row[at] == nil {
			return row, nil
		}
		v, inRange, err := to.Convert(ctx, row[at])
		if err != nil {
			return nil, err
		}
		if !bool(inRange) {
			return nil, sql.ErrValueOutOfRange.New(row[at], to)
		}
		now := append([]any(nil), row...)
		now[at] = v
		fromContext(ctx).givenRow++
		return now, changed.reshaped(ctx, now, at)
	}
	return t.alter(ctx, edit, convert)
}

func (t *table) CreateIndex(ctx *sql.Context, def sql.IndexDef) error {
	return t.alter(ctx, func(m *tableMeta) error { return m.addIndex(def) }, nil)
}

// CreateIndexForForeignKey takes another name if the engine's choice is taken.
func (t *table) CreateIndexForForeignKey(ctx *sql.Context, def sql.IndexDef) error {
	return t.alter(ctx, func(m *tableMeta) error {
		if m.index(def.Name) >= 0 {
			def.Name = ""
		}
		return m.addIndex(def)
	}, nil)
}

func (t *table) DropIndex(ctx *sql.Context, name string) error {
	return t.alter(ctx, func(m *tableMeta) error {
		i := m.index(name)
		if i < 0 {
			return sql.ErrCantDropFieldOrKey.New(name)
		}
		m.indexes = append(m.indexes[:i:i], m.indexes[i+1:]...)
		return nil
	}, nil)
}

func (t *table) RenameIndex(ctx *sql.Context, from, to string) error {
	return t.alter(ctx, func(m *tableMeta) error {
		i := m.index(from)
		if i < 0 {
			return sql.ErrIndexNotFound.New(from, m.name, t.shard.keyspace)
		}
		if j := m.index(to); j >= 0 && j != i {
			return sql.ErrDuplicateKey.New(to)
		}
		m.indexes[i].name = to
		return nil
	}, nil)
}

// CreatePrimaryKey is reached after the rewrite that made the key: there is nothing left to do.
func (t *table) CreatePrimaryKey(*sql.Context, []sql.IndexColumn) error { return nil }

// DropPrimaryKey is reached after the rewrite that dropped the key.
func (t *table) DropPrimaryKey(*sql.Context) error { return nil }

func (t *table) CreateCheck(ctx *sql.Context, check *sql.CheckDefinition) error {
	return t.alter(ctx, func(m *tableMeta) error {
		c := *check
		c.CheckExpression = t.shard.engine.quotedExpression(c.CheckExpression)
		if c.Name == "" {
			c.Name = m.freeCheckName()
		}
		for _, other := range m.checks {
			if strings.EqualFold(other.Name, c.Name) {
				return mysqlError(3822, "HY000", "Duplicate check constraint name '%s'.", c.Name)
			}
		}
		m.checks = append(m.checks, c)
		return nil
	}, nil)
}

// checkName is the name MySQL gives the n-th check without one.
func checkName(table string, n int) string { return fmt.Sprintf("%s_chk_%d", table, n) }

// freeCheckName names a check as MySQL does: t_chk_1, t_chk_2 ...
func (m *tableMeta) freeCheckName() string {
	for n := 1; ; n++ {
		name := checkName(m.name, n)
		taken := false
		for _, c := range m.checks {
			taken = taken || strings.EqualFold(c.Name, name)
		}
		if !taken {
			return name
		}
	}
}

func (t *table) DropCheck(ctx *sql.Context, name string) error {
	return t.alter(ctx, func(m *tableMeta) error {
		for i := range m.checks {
			if strings.EqualFold(m.checks[i].Name, name) {
				m.checks = append(m.checks[:i:i], m.checks[i+1:]...)
				return nil
			}
		}
		return mysqlError(3821, "HY000", "Check constraint '%s' is not found in the table.", name)
	}, nil)
}

func (t *table) AddForeignKey(ctx *sql.Context, fk sql.ForeignKeyConstraint) error {
	for _, other := range t.shard.db.Root().Tables() {
		for _, there := range metaOf(other.Def).foreignKeys {
			if strings.EqualFold(there.Name, fk.Name) {
				return sql.ErrForeignKeyDuplicateName.New(fk.Name)
			}
		}
	}
	return t.alter(ctx, func(m *tableMeta) error {
		m.foreignKeys = append(m.foreignKeys, copyForeignKeys([]sql.ForeignKeyConstraint{fk})...)
		return nil
	}, nil)
}

func (t *table) DropForeignKey(ctx *sql.Context, name string) error {
	return t.editForeignKey(ctx, name, func(m *tableMeta, i int) {
		m.foreignKeys = append(m.foreignKeys[:i:i], m.foreignKeys[i+1:]...)
	})
}

func (t *table) UpdateForeignKey(ctx *sql.Context, name string, fk sql.ForeignKeyConstraint) error {
	return t.editForeignKey(ctx, name, func(m *tableMeta, i int) {
		m.foreignKeys[i] = copyForeignKeys([]sql.ForeignKeyConstraint{fk})[0]
	})
}

func (t *table) editForeignKey(ctx *sql.Context, name string, edit func(m *tableMeta, i int)) error {
	return t.alter(ctx, func(m *tableMeta) error {
		for i := range m.foreignKeys {
			if strings.EqualFold(m.foreignKeys[i].Name, name) {
				edit(m, i)
				return nil
			}
		}
		return sql.ErrForeignKeyNotFound.New(name, m.name)
	}, nil)
}

func (t *table) ModifyDefaultCollation(ctx *sql.Context, collation sql.CollationID) error {
	return t.alter(ctx, func(m *tableMeta) error {
		m.collation = collation
		return nil
	}, nil)
}

func (t *table) ModifyStoredCollation(ctx *sql.Context, collation sql.CollationID) error {
	return t.alter(ctx, func(m *tableMeta) error {
		m.collation = collation
		for i, c := range m.columns {
			typ, ok := c.Type.(sql.TypeWithCollation)
			if st, str := c.Type.(sql.StringType); !ok || str && st.Collation() == sql.Collation_binary {
				continue
			}
			changed, err := recollated(typ, collation)
			if err != nil {
				return err
			}
			m.columns[i].Type = changed
		}
		return nil
	}, nil)
}

// Truncate removes all rows. The engine calls it for TRUNCATE TABLE and for some DELETEs without WHERE, which belong to a
// transaction and go row by row.
func (t *table) Truncate(ctx *sql.Context) (int, error) {
	s := fromContext(ctx)
	if s.stmt.truncate {
		return 0, storeError(t.shard.db.Truncate(ctx, t.def.Name, s.lockWait()), t.meta.name)
	}
	it, err := s.tx.Open(ctx, t.def, store.Scan{Index: store.Primary, Lock: store.Exclusive})
	if err != nil {
		return 0, storeError(err, t.meta.name)
	}
	for n := 0; ; n++ {
		rec, err := it.Next()
		if err != nil {
			return 0, storeError(err, t.meta.name)
		}
		if !rec.Exists() {
			return n, nil
		}
		if err := s.tx.DeleteAt(ctx, t.def, it.PK(), rec); err != nil {
			return 0, s.writeError(err, t)
		}
	}
}
