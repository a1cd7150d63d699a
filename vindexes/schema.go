package vindexes

import (
	"vitess.io/vitess/go/vt/sqlparser"
)

// TableSchema is what a keyspace's shards tell of one of their tables or
// views. WithTables merges it into a VSchema.
type TableSchema struct {
	Name        string
	Columns     []Column
	PrimaryKey  sqlparser.Columns
	UniqueKeys  [][]sqlparser.Expr
	ForeignKeys []*sqlparser.ForeignKeyDefinition
	View        sqlparser.TableStatement // set: it is a view
}
