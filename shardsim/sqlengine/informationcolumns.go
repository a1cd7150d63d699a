package sqlengine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	dolttypes "github.com/dolthub/vitess/go/sqltypes"
)

// correctedInformation gives the engine's rows, and information_schema.columns and statistics what it has otherwise than MySQL.
func (o execOverrides) correctedInformation(ctx *sql.Context, n *plan.ResolvedTable, name string) (sql.RowIter, error) {
	at := make(map[string]int)
	for i, c := range n.Schema() {
		at[strings.ToLower(c.Name)] = i
	}
	// The table is built by hand: building the node comes back here.
	parts, err := n.Table.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	described := describingRows{sql.NewTableRowIter(ctx, n.Table, parts)}
	rows := &correctedRows{RowIter: described, at: at, shard: fromContext(ctx).shard}
	switch name {
	case "columns":
		rows.values = columnValues
	case "statistics":
		rows.values = statisticValues
	default:
		return described, nil
	}
	return rows, nil
}

// describingRows are the engine's rows about all databases. It finds out about them as the rows are read.
type describingRows struct{ sql.RowIter }

func (d describingRows) Next(ctx *sql.Context) (sql.Row, error) {
	s := fromContext(ctx)
	s.describes = true
	defer func() { s.describes = false }()
	return d.RowIter.Next(ctx)
}

// correctedRows are the engine's rows about columns, with other values by column name.
type correctedRows struct {
	sql.RowIter
	at     map[string]int
	shard  *Shard
	values func(m *tableMeta, text func(column string) string) map[string]any
}

func (c *correctedRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := c.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	text := func(name string) string {
		i, ok := c.at[name]
		if !ok {
			return ""
		}
		s, _ := row[i].(string)
		return s
	}
	shard := c.shard.describedAs(text("table_schema"))
	if shard == nil {
		return row, nil
	}
	t := shard.db.Root().Table(text("table_name"))
	if t == nil {
		return row, nil
	}
	row = row.Copy()
	for name, v := range c.values(metaOf(t.Def), text) {
		if i, ok := c.at[name]; ok {
			row[i] = v
		}
	}
	return row, nil
}

func columnValues(m *tableMeta, text func(string) string) map[string]any {
	pos := m.columns.IndexOfColName(text("column_name"))
	if pos < 0 {
		return nil
	}
	return m.informationColumn(m.columns[pos])
}

// statisticValues says of an index's column how much of it is in the index, NULL for all of it, how it is sorted and whether the
// index is visible.
func statisticValues(m *tableMeta, text func(string) string) map[string]any {
	column, prefixes, columns := text("column_name"), m.pkPrefix, []string(nil)
	for _, at := range m.pk {
		columns = append(columns, m.columns[at].Name)
	}
	values := map[string]any{"sub_part": nil}
	var descending []bool
	for _, idx := range m.indexes {
		if strings.EqualFold(idx.name, text("index_name")) {
			columns, prefixes, descending = idx.columns, idx.prefix, idx.descending
			if idx.invisible {
				values["is_visible"] = "NO"
			}
		}
	}
	for i, c := range columns {
		if strings.EqualFold(c, column) && len(descending) == len(columns) && descending[i] {
			values["collation"] = "D"
		}
		if strings.EqualFold(c, column) && i < len(prefixes) && prefixes[i] > 0 {
			values["sub_part"] = int64(prefixes[i])
		}
	}
	return values
}

// informationColumn returns what of a column's row differs from the engine's.
func (m *tableMeta) informationColumn(col *sql.Column) map[string]any {
	typ, _ := shownType(col)
	values := map[string]any{
		"column_type": typ, "extra": m.extra(col), "privileges": "select,insert,update,references",
		"column_default": m.shownDefault(col), "generation_expression": "",
	}
	if col.Generated != nil {
		values["generation_expression"] = shownExpression(unwrapped(defaultExpr(col.Generated)))
	}
	switch t := col.Type.(type) {
	case sql.StringType:
		if t.Type() == dolttypes.Text || t.Type() == dolttypes.Blob {
			values["character_maximum_length"] = textBytes(t)
			values["character_octet_length"] = textBytes(t)
		}
	case types.TimeType:
		values["datetime_precision"] = uint32(timeDigits(t))
	case sql.NumberType:
		if t == types.Uint64 {
			values["numeric_precision"] = uint64(20)
		}
		if shape := shapeOf(col); shape != nil && shape.scale != notFixed {
			values["numeric_precision"], values["numeric_scale"] = uint64(shape.digits), uint64(shape.scale)
		}
	}
	return values
}
