package vindexes

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// ParentFKInfo is a foreign key as its child table sees it.
type ParentFKInfo struct {
	Table         *Table // the parent
	ParentColumns sqlparser.Columns
	ChildColumns  sqlparser.Columns
}

// ChildFKInfo is a foreign key as its parent table sees it.
type ChildFKInfo struct {
	Table         *Table // the child
	ChildColumns  sqlparser.Columns
	ParentColumns sqlparser.Columns
	Match         sqlparser.MatchAction
	OnDelete      sqlparser.ReferenceAction
	OnUpdate      sqlparser.ReferenceAction
}

// String names the key for messages and maps: child|columns||parent|columns.
func (fk *ParentFKInfo) String(child *Table) string {
	return foreignKeyName(child, fk.ChildColumns, fk.Table, fk.ParentColumns)
}

// String names the key for messages and maps: child|columns||parent|columns.
func (fk *ChildFKInfo) String(parent *Table) string {
	return foreignKeyName(fk.Table, fk.ChildColumns, parent, fk.ParentColumns)
}

func foreignKeyName(child *Table, childColumns sqlparser.Columns, parent *Table, parentColumns sqlparser.Columns) string {
	side := func(t *Table, columns sqlparser.Columns) string {
		parts := []string{t.String()}
		for _, column := range columns {
			parts = append(parts, sqlparser.String(column))
		}
		return strings.Join(parts, "|")
	}
	return side(child, childColumns) + "||" + side(parent, parentColumns)
}

// linkForeignKey records one foreign key at both of its tables.
func linkForeignKey(child, parent *Table, def *sqlparser.ForeignKeyDefinition) {
	ref := def.ReferenceDefinition
	child.ParentForeignKeys = append(child.ParentForeignKeys, ParentFKInfo{
		Table: parent, ParentColumns: ref.ReferencedColumns, ChildColumns: def.Source,
	})
	parent.ChildForeignKeys = append(parent.ChildForeignKeys, ChildFKInfo{
		Table: child, ChildColumns: def.Source, ParentColumns: ref.ReferencedColumns,
		Match: ref.Match, OnDelete: ref.OnDelete, OnUpdate: ref.OnUpdate,
	})
}
