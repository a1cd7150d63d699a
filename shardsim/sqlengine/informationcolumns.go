package sqlengine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	dolttypes "github.com/dolthub/vitess/go/sqltypes"
)

// informationColumns gives information_schema.columns what the engine has otherwise than MySQL, or not at all.
func (o execOverrides) informationColumns(ctx *sql.Context, n *plan.ResolvedTable, outer sql.Row) (sql.RowIter, error) {
	if n.Database() == nil || !strings.EqualFold(n.Database().Name(), "information_schema") || !strings.EqualFold(n.Name(), "columns") {
		return nil, nil
	}
	at := make(map[string]int)
	for i, c := range n.Schema() {
		at[strings.ToLower(c.Name)] = i
	}
	// The table is built by hand: building the node comes back here.
	parts, err := n.Table.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	shard := fromContext(ctx).shard
	return &columnRows{RowIter: sql.NewTableRowIter(ctx, n.Table, parts), at: at, shard: shard}, nil
}

type columnRows struct {
	sql.RowIter
	at    map[string]int
	shard *Shard
}

func (c *columnRows) Next(ctx *sql.Context) (sql.Row, error) {
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
	t := c.shard.db.Root().Table(text("table_name"))
	if t == nil || !strings.EqualFold(text("table_schema"), c.shard.keyspace) {
		return row, nil
	}
	m := metaOf(t.Def)
	pos := m.columns.IndexOfColName(text("column_name"))
	if pos < 0 {
		return row, nil
	}
	row = row.Copy()
	for name, v := range m.informationColumn(m.columns[pos]) {
		if i, ok := c.at[name]; ok {
			row[i] = v
		}
	}
	return row, nil
}

// informationColumn returns what of a column's row differs from the engine's.
func (m *tableMeta) informationColumn(col *sql.Column) map[string]any {
	typ, _ := columnTypeText(col.Type)
	values := map[string]any{
		"column_type": typ, "extra": m.extra(col), "privileges": "select,insert,update,references",
		"column_default": m.shownDefault(col), "generation_expression": "",
	}
	if col.Generated != nil {
		values["generation_expression"] = unwrapped(defaultExpr(col.Generated))
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
	}
	return values
}
