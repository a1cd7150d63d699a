package sqlengine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// An ALTER TABLE of several clauses is run clause by clause: the engine computes the rows for each from the table as it was
// before the first, and mixes columns up. If one fails, the table is put back.

// alterSteps returns the clauses to run one by one, nil if the statement can run as it is: it changes the shape of rows
// once at most.
func alterSteps(stmt sqlparser.Statement) []sqlparser.AlterOption {
	alter, ok := stmt.(*sqlparser.AlterTable)
	if !ok {
		return nil
	}
	var steps, last []sqlparser.AlterOption
	shapes := 0
	for _, option := range alter.AlterOptions {
		switch o := option.(type) {
		case sqlparser.AlgorithmValue, *sqlparser.LockOption, *sqlparser.Force, *sqlparser.Validation:
			continue
		case *sqlparser.RenameTableName:
			last = append(last, o)
			continue
		case *sqlparser.AddColumns:
			for _, c := range o.Columns {
				shapes++
				one := *o
				one.Columns = []*sqlparser.ColumnDefinition{c}
				steps = append(steps, &one)
			}
			continue
		case *sqlparser.DropColumn, *sqlparser.ModifyColumn, *sqlparser.ChangeColumn:
			shapes++
		}
		steps = append(steps, option)
	}
	if shapes == 0 || len(steps)+len(last) < 2 {
		return nil
	}
	return append(keyedColumns(steps), last...)
}

// keyedColumns declares the key of an AUTO_INCREMENT column with the column: alone it would be refused.
func keyedColumns(steps []sqlparser.AlterOption) []sqlparser.AlterOption {
	for i, step := range steps {
		add, ok := step.(*sqlparser.AddColumns)
		if !ok || add.Columns[0].Type.Options == nil || !add.Columns[0].Type.Options.Autoincrement || add.Columns[0].Type.Options.KeyOpt != sqlparser.ColKeyNone {
			continue
		}
		for j, other := range steps {
			idx, ok := other.(*sqlparser.AddIndexDefinition)
			if !ok || len(idx.IndexDefinition.Columns) != 1 || !idx.IndexDefinition.Columns[0].Column.Equal(add.Columns[0].Name) {
				continue
			}
			key := sqlparser.ColKeyUniqueKey
			if idx.IndexDefinition.Info.Type == sqlparser.IndexTypePrimary {
				key = sqlparser.ColKeyPrimary
			}
			def, typ, opts := *add.Columns[0], *add.Columns[0].Type, *add.Columns[0].Type.Options
			opts.KeyOpt = key
			typ.Options, def.Type = &opts, &typ
			keyed := *add
			keyed.Columns = []*sqlparser.ColumnDefinition{&def}
			rest := append([]sqlparser.AlterOption(nil), steps[:j]...)
			rest = append(rest, steps[j+1:]...)
			if j < i {
				i--
			}
			rest[i] = &keyed
			return rest
		}
	}
	return steps
}

// runSteps runs the clauses. done is false if they must run together, as a column that counts and its key.
func (s *Session) runSteps(ctx context.Context, alter *sqlparser.AlterTable, steps []sqlparser.AlterOption, out *emitter) (done bool, err error) {
	name := alter.Table.Name.String()
	before := s.sql.tableNamed(name)
	if before == nil {
		return false, nil
	}
	rows, err := s.allRows(ctx, before)
	if err != nil {
		return true, err
	}
	for i, step := range usersFirst(steps, metaOf(before.Def)) {
		one := *alter
		one.AlterOptions = []sqlparser.AlterOption{step}
		one.PartitionSpec, one.PartitionOption = nil, nil
		s.sql.givenRow = 0
		quiet := &emitter{emit: func(*sqltypes.Result) error { return nil }}
		st := s.shard.engine.parse(sqlparser.String(&one))
		st.step = true
		if err = s.runEngine(ctx, st, nil, quiet); err == nil {
			continue
		}
		err = alterError(&one, s.sql.mysqlError(err), s.sql.givenRow+1)
		if i > 0 {
			if back := s.shard.db.ReplaceRows(ctx, name, before.Def, rows, s.sql.lockWait()); back != nil {
				return true, storeError(back, name)
			}
		}
		var e *sqlerror.SQLError
		if errors.As(err, &e) && e.Num == sqlerror.ERWrongAutoKey {
			return false, nil
		}
		return true, err
	}
	return true, out.send(&sqltypes.Result{})
}

// usersFirst has what is dropped that may name a column go before the columns.
func usersFirst(steps []sqlparser.AlterOption, m *tableMeta) []sqlparser.AlterOption {
	steps = slices.Clone(steps)
	slices.SortStableFunc(steps, func(a, b sqlparser.AlterOption) int { return m.dropRank(b) - m.dropRank(a) })
	return steps
}

// dropRank is 0 for a clause that keeps its place, and more for what must go before columns that it names: a generated column can
// name those declared before it.
func (m *tableMeta) dropRank(step sqlparser.AlterOption) int {
	switch o := step.(type) {
	case *sqlparser.DropKey:
		if o.Type == sqlparser.CheckKeyType {
			return len(m.columns) + 1
		}
	case *sqlparser.DropColumn:
		at := m.columns.IndexOfColName(o.Name.Name.String())
		if at >= 0 && (m.columns[at].Generated != nil || m.columns[at].Default != nil) {
			return at + 1
		}
	}
	return 0
}

// allRows reads a table.
func (s *Session) allRows(ctx context.Context, t *store.Table) ([][]any, error) {
	it, err := s.sql.tx.Open(ctx, t.Def, store.Scan{Index: store.Primary})
	if err != nil {
		return nil, storeError(err, t.Def.Name)
	}
	defer it.Close()
	var rows [][]any
	for {
		rec, err := it.Next()
		if err != nil || !rec.Exists() {
			return rows, storeError(err, t.Def.Name)
		}
		rows = append(rows, rec.Row())
	}
}

// alterError names the column, and the row, of a value that its new type does not hold: the engine names the type.
func alterError(stmt sqlparser.Statement, err error, row int) error {
	alter, ok := stmt.(*sqlparser.AlterTable)
	if !ok || err == nil {
		return err
	}
	var e *sqlerror.SQLError
	if !errors.As(err, &e) {
		return err
	}
	if e.Num == sqlerror.ERBadNullError {
		return mysqlError(1138, "22004", "Invalid use of NULL value")
	}
	if len(alter.AlterOptions) != 1 {
		return err
	}
	var column string
	switch o := alter.AlterOptions[0].(type) {
	case *sqlparser.ModifyColumn:
		column = o.NewColDefinition.Name.String()
	case *sqlparser.ChangeColumn:
		column = o.NewColDefinition.Name.String()
	default:
		return err
	}
	switch e.Num {
	case sqlerror.ERUnknownError:
		if strings.Contains(e.Message, " out of range for ") {
			return mysqlError(1264, "22003", "Out of range value for column '%s' at row %d", column, row)
		}
	case sqlerror.ERDataTooLong:
		return mysqlError(1406, "22001", "Data too long for column '%s' at row %d", column, row)
	case sqlerror.ERTruncatedWrongValueForField:
		if value, ok := strings.CutPrefix(e.Message, "Incorrect int value: "); ok {
			return mysqlError(1366, "HY000", "Incorrect integer value: %s for column '%s' at row %d", value, column, row)
		}
	}
	return err
}
