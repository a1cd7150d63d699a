package sqlengine

import (
	"sort"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

// Schema returns the shard's tables and views in the order of their names, and a version that changes with each DDL.
// What it returns is shared and must not be changed.
func (s *Shard) Schema() ([]TableSchema, uint64) {
	s.schemaMu.Lock()
	defer s.schemaMu.Unlock()
	root := s.db.Root()
	if s.schemaAt == root.SchemaVersion {
		return s.schema, s.schemaAt
	}
	var all []TableSchema
	for _, t := range permanent(root) {
		all = append(all, metaOf(t.Def).tableSchema())
	}
	meta, _ := root.Meta.(shardMeta)
	for _, v := range meta.views {
		all = append(all, TableSchema{Name: v.Name, IsView: true, ViewSQL: v.TextDefinition})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	s.schema, s.schemaAt = all, root.SchemaVersion
	return s.schema, s.schemaAt
}

func (m *tableMeta) tableSchema() TableSchema {
	t := TableSchema{Name: m.name}
	for _, c := range m.columns {
		t.Columns = append(t.Columns, m.columnSchema(c))
	}
	for _, at := range m.pk {
		t.PrimaryKey = append(t.PrimaryKey, m.columns[at].Name)
	}
	for _, idx := range m.indexes {
		if idx.unique {
			t.UniqueKeys = append(t.UniqueKeys, KeySchema{Name: idx.name, Columns: idx.columns})
		}
	}
	for _, fk := range m.foreignKeys {
		t.ForeignKeys = append(t.ForeignKeys, ForeignKeySchema{
			Name: fk.Name, Columns: fk.Columns, ReferencedTable: fk.ParentTable, ReferencedColumns: fk.ParentColumns,
			OnDelete: actionText(fk.OnDelete), OnUpdate: actionText(fk.OnUpdate),
		})
	}
	return t
}

func (m *tableMeta) columnSchema(c *sql.Column) ColumnSchema {
	col := ColumnSchema{Name: c.Name, Type: querypb.Type(c.Type.Type()), Nullable: c.Nullable, Extra: m.extra(c)}
	if c.Default != nil {
		col.Default = defaultExpr(c.Default)
	}
	switch t := c.Type.(type) {
	case sql.DecimalType:
		col.Size, col.Scale = int32(t.Precision()), int32(t.Scale())
	case sql.EnumType:
		col.Values, col.Collation = t.Values(), t.Collation().Name()
	case sql.SetType:
		col.Values, col.Collation = t.Values(), t.Collation().Name()
	case sql.StringType:
		col.Size = int32(min(t.Length(), 1<<31-1))
		if t.Collation() != sql.Collation_binary {
			col.Collation = t.Collation().Name()
		}
	case sql.DatetimeType:
		col.Size = int32(t.Precision())
	case types.TimeType:
		col.Size = timeDigits(t)
	}
	return col
}

// extra is the Extra column of SHOW COLUMNS.
func (m *tableMeta) extra(c *sql.Column) string {
	var words []string
	if c.AutoIncrement {
		words = append(words, "auto_increment")
	}
	if c.Generated != nil {
		if m.virtual[strings.ToLower(c.Name)] {
			words = append(words, "VIRTUAL GENERATED")
		} else {
			words = append(words, "STORED GENERATED")
		}
	}
	if c.Default != nil && isExpressionDefault(columnDefault(c)) {
		words = append(words, "DEFAULT_GENERATED")
	}
	if c.OnUpdate != nil {
		words = append(words, "on update "+unwrapped(defaultExpr(c.OnUpdate)))
	}
	return strings.Join(words, " ")
}

// isExpressionDefault tells an expression from a literal by its text.
func isExpressionDefault(text string) bool {
	return strings.HasPrefix(text, "(") || strings.HasPrefix(strings.ToUpper(text), "CURRENT_TIMESTAMP") ||
		strings.HasPrefix(strings.ToUpper(text), "NOW(")
}
