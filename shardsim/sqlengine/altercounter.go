package sqlengine

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// counterColumn returns the AUTO_INCREMENT column an ALTER TABLE adds, nil if it adds none.
func counterColumn(stmt sqlparser.Statement) *sqlparser.AddColumns {
	alter, ok := stmt.(*sqlparser.AlterTable)
	if !ok || len(alter.AlterOptions) != 1 {
		return nil
	}
	add, ok := alter.AlterOptions[0].(*sqlparser.AddColumns)
	if !ok || len(add.Columns) != 1 || add.Columns[0].Type.Options == nil || !add.Columns[0].Type.Options.Autoincrement {
		return nil
	}
	return add
}

// addCounter adds an AUTO_INCREMENT column, which the engine stumbles over: it is added with zeroes, and then counts the
// rows and becomes a key.
func (s *Session) addCounter(ctx context.Context, alter *sqlparser.AlterTable, add *sqlparser.AddColumns, out *emitter) error {
	def, typ, opts := *add.Columns[0], *add.Columns[0].Type, *add.Columns[0].Type.Options
	key, notNull := opts.KeyOpt, false
	if key != sqlparser.ColKeyPrimary && key != sqlparser.ColKeyUnique && key != sqlparser.ColKeyUniqueKey {
		return mysqlError(1075, "42000", "Incorrect table definition; there can be only one auto column and it must be defined as a key")
	}
	opts.Autoincrement, opts.KeyOpt, opts.Null, opts.Default = false, 0, &notNull, sqlparser.NewIntLiteral("0")
	typ.Options, def.Type = &opts, &typ
	plain, column := *alter, *add
	column.Columns = []*sqlparser.ColumnDefinition{&def}
	plain.AlterOptions = []sqlparser.AlterOption{&column}
	quiet := &emitter{emit: func(*sqltypes.Result) error { return nil }}
	if err := s.runEngine(ctx, s.shard.engine.parse(sqlparser.String(&plain)), nil, quiet); err != nil {
		return err
	}
	name := alter.Table.Name.String()
	t := newTable(s.shard, s.sql.tableNamed(name).Def)
	at := t.meta.columns.IndexOfColName(def.Name.String())
	n := uint64(0)
	err := t.alter(s.sql.ctx(), func(m *tableMeta) error {
		col := m.columns[at]
		col.AutoIncrement, col.Default = true, nil
		if key != sqlparser.ColKeyPrimary {
			return m.addIndex(sql.IndexDef{Columns: []sql.IndexColumn{{Name: col.Name}}, Constraint: sql.IndexConstraint_Unique})
		}
		if len(m.pk) > 0 {
			return mysqlError(1068, "42000", "Multiple primary key defined")
		}
		m.pk, col.PrimaryKey = []int{at}, true
		return nil
	}, func(row []any) ([]any, error) {
		n++
		counted := append([]any(nil), row...)
		v, _, err := t.meta.columns[at].Type.Convert(ctx, n)
		counted[at] = v
		return counted, err
	})
	if err != nil {
		return err
	}
	s.sql.tableNamed(name).SetAuto(n + 1)
	return out.send(&sqltypes.Result{})
}
