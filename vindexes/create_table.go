package vindexes

import (
	"vitess.io/vitess/go/vt/sqlparser"
)

// defaultCollation is MySQL 8's for text without one.
const defaultCollation = "utf8mb4_0900_ai_ci"

// NewTableSchema is what a shard that ran a CREATE TABLE would tell of the
// table. Keys written at their columns count; foreign keys do not, as in MySQL.
func NewTableSchema(create *sqlparser.CreateTable) TableSchema {
	t := TableSchema{Name: create.Table.Name.String()}
	spec := create.TableSpec
	if spec == nil {
		return t // LIKE another, or AS a query
	}
	for _, def := range spec.Columns {
		col := Column{Name: def.Name, Type: def.Type.SQLType(), Nullable: true}
		if opts := def.Type.Options; opts != nil {
			col.CollationName = opts.Collate
			col.Nullable = opts.Null == nil || *opts.Null
			col.Default = opts.Default
			col.Invisible = opts.Invisible != nil && *opts.Invisible
			switch opts.KeyOpt {
			case sqlparser.ColKeyPrimary:
				t.PrimaryKey = append(t.PrimaryKey, def.Name)
			case sqlparser.ColKeyUnique, sqlparser.ColKeyUniqueKey:
				t.UniqueKeys = append(t.UniqueKeys, []sqlparser.Expr{sqlparser.NewColName(def.Name.String())})
			}
		}
		if col.CollationName == "" {
			col.CollationName = defaultCollation
		}
		t.Columns = append(t.Columns, col)
	}
	for _, index := range spec.Indexes {
		switch index.Info.Type {
		case sqlparser.IndexTypePrimary:
			for _, col := range index.Columns {
				t.PrimaryKey = append(t.PrimaryKey, col.Column)
			}
		case sqlparser.IndexTypeUnique:
			t.UniqueKeys = append(t.UniqueKeys, keyParts(index))
		}
	}
	for _, constraint := range spec.Constraints {
		if fk, ok := constraint.Details.(*sqlparser.ForeignKeyDefinition); ok {
			t.ForeignKeys = append(t.ForeignKeys, fk)
		}
	}
	return t
}

// keyParts are the columns and expressions of an index.
func keyParts(index *sqlparser.IndexDefinition) []sqlparser.Expr {
	var parts []sqlparser.Expr
	for _, col := range index.Columns {
		if col.Expression != nil {
			parts = append(parts, col.Expression)
			continue
		}
		parts = append(parts, sqlparser.NewColName(col.Column.String()))
	}
	return parts
}
