package sqlengine

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/vitrodb/vitro/shardsim/store"
)

// editor writes rows of one table in the session's transaction. It is what the engine inserts, updates and deletes by,
// and what its foreign key checks read by.
type editor struct {
	table *table
	marks []int // undo positions of StatementBegin
}

var _ sql.ForeignKeyEditor = (*editor)(nil)

func (t *table) Inserter(*sql.Context) sql.RowInserter                 { return &editor{table: t} }
func (t *table) Updater(*sql.Context) sql.RowUpdater                   { return &editor{table: t} }
func (t *table) Deleter(*sql.Context) sql.RowDeleter                   { return &editor{table: t} }
func (t *table) Replacer(*sql.Context) sql.RowReplacer                 { return &editor{table: t} }
func (t *table) GetForeignKeyEditor(*sql.Context) sql.ForeignKeyEditor { return &editor{table: t} }

func (e *editor) StatementBegin(ctx *sql.Context) {
	e.marks = append(e.marks, fromContext(ctx).tx.Mark())
}

func (e *editor) DiscardChanges(ctx *sql.Context, _ error) error {
	if n := len(e.marks); n > 0 {
		fromContext(ctx).tx.RollbackToMark(e.marks[n-1])
		e.marks = e.marks[:n-1]
	}
	return nil
}

func (e *editor) StatementComplete(*sql.Context) error {
	if n := len(e.marks); n > 0 {
		e.marks = e.marks[:n-1]
	}
	return nil
}

func (e *editor) Close(*sql.Context) error { return nil }

func (e *editor) Insert(ctx *sql.Context, row sql.Row) error {
	s := fromContext(ctx)
	stored, err := e.table.stored(ctx, row)
	if err != nil {
		return err
	}
	if err := s.tx.Insert(ctx, e.table.def, stored); err != nil {
		return s.writeError(err, e.table)
	}
	s.writtenRows++
	if at := e.table.meta.autoColumn(); at >= 0 && stored[at] != nil {
		s.givenAuto = autoValue(stored[at])
		e.table.countOn(s.givenAuto)
	}
	return nil
}

// countOn has the table count on from an AUTO_INCREMENT value that a row has been given.
func (t *table) countOn(v uint64) {
	if now := t.rows(); now != nil {
		now.BumpAuto(v)
	}
}

func (e *editor) Update(ctx *sql.Context, old, row sql.Row) error {
	s := fromContext(ctx)
	stored, err := e.table.stored(ctx, row)
	if err != nil {
		return err
	}
	for i, v := range stored {
		if v == nil && !e.table.schema[i].Nullable && !s.writes(e.table) {
			return mysqlError(1451, "23000", "%s", parentFails) // a cascade sets it
		}
	}
	err = s.tx.Update(ctx, e.table.def, e.table.original(s, old), stored)
	if errors.Is(err, store.ErrRowGone) {
		return nil
	}
	if at := e.table.meta.autoColumn(); err == nil && at >= 0 && stored[at] != old[at] {
		e.table.countOn(autoValue(stored[at]))
	}
	if s.writes(e.table) {
		s.metRows++
		if !sameRow(old, row) {
			s.changedRows++
		}
	}
	return s.writeError(err, e.table)
}

func (e *editor) Delete(ctx *sql.Context, row sql.Row) error {
	s := fromContext(ctx)
	err := s.tx.Delete(ctx, e.table.def, e.table.original(s, row))
	if errors.Is(err, store.ErrRowGone) {
		return nil
	}
	if s.writes(e.table) {
		s.deletedRows++
	}
	return s.writeError(err, e.table)
}

// writes tells whether a table is the statement's own. What a foreign key does to another one is not counted.
func (s *sqlSession) writes(t *table) bool {
	return s.target == nil || s.target.meta.name == t.meta.name
}

// stored returns the row as the store keeps it.
func (t *table) stored(ctx *sql.Context, row sql.Row) ([]any, error) {
	kept, err := keptRow(ctx, row, t.schema)
	if err != nil {
		return nil, err
	}
	return t.original(fromContext(ctx), kept), nil
}

// keptRow returns a row of a schema as the store keeps it but for its timestamps: a copy of its own, without the engine's lazy
// wrappers.
func keptRow(ctx *sql.Context, row sql.Row, schema sql.Schema) ([]any, error) {
	kept := make([]any, len(row))
	for i, v := range row {
		if w, ok := v.(sql.AnyWrapper); ok {
			plain, err := sql.UnwrapAny(ctx, w)
			if err != nil {
				return nil, err
			}
			v = plain
		}
		if span, ok := v.(types.Timespan); ok {
			// The engine keeps microseconds.
			v = roundTimespan(span, timeDigits(schema[i].Type))
		}
		kept[i] = v
	}
	return kept, nil
}

// original returns a row as the store has it, from one as the statement sees it.
func (t *table) original(s *sqlSession, row []any) []any {
	if timestamps, zone := t.zoned(s); len(timestamps) > 0 {
		return storedRow(row, timestamps, zone)
	}
	return row
}

// writeError turns the store's error into the engine's, and notes a duplicate for the message.
func (s *sqlSession) writeError(err error, t *table) error {
	var dup *store.DuplicateError
	if errors.As(err, &dup) {
		s.duplicate = dup
		existing := dup.Existing
		if timestamps, zone := t.zoned(s); len(timestamps) > 0 {
			existing = localRow(existing, timestamps, zone)
		}
		return sql.NewUniqueKeyErr(dup.Index, dup.Position < 0, existing)
	}
	return storeError(err, t.meta.name)
}

// newWriteError gives errors of the store MySQL's words at once.
func newWriteError(err error, table string) error {
	var dup *store.DuplicateError
	if errors.As(err, &dup) {
		return duplicateError(dup)
	}
	return storeError(err, table)
}

// IndexedAccess lets foreign key checks read the table, the transaction's own rows included.
func (e *editor) IndexedAccess(_ *sql.Context, lookup sql.IndexLookup) sql.IndexedTable {
	t := *e.table
	t.lookup = &lookup
	t.reference = true
	return &t
}

func (e *editor) GetIndexes(ctx *sql.Context) ([]sql.Index, error) { return e.table.GetIndexes(ctx) }
func (e *editor) PreciseMatch() bool                               { return true }
