package sqlengine

import querypb "vitess.io/vitess/go/vt/proto/query"

// TableSchema describes one table or view of a shard, in the terms of information_schema.
type TableSchema struct {
	Name        string
	IsView      bool
	ViewSQL     string // the SELECT of a view, empty for a table
	Columns     []ColumnSchema
	PrimaryKey  []string    // column names in key order, nil without a primary key
	UniqueKeys  []KeySchema // without the primary key
	ForeignKeys []ForeignKeySchema
}

// ColumnSchema describes one column, in table order.
type ColumnSchema struct {
	Name      string
	Type      querypb.Type
	Collation string // empty for types without a collation
	Nullable  bool
	Default   string // SQL text of the default expression, empty if there is none
	Extra     string // "auto_increment", "DEFAULT_GENERATED", "VIRTUAL GENERATED", ... as MySQL prints it
	Size      int32  // characters of a string, precision of a decimal, fractional digits of a time
	Scale     int32  // digits after the point of a decimal
	Values    []string
	Invisible bool
}

// KeySchema is a unique key: its name and its columns in key order.
type KeySchema struct {
	Name    string
	Columns []string
}

// ForeignKeySchema is one declared foreign key. Actions are MySQL's words, "NO ACTION" if none was written.
type ForeignKeySchema struct {
	Name              string
	Columns           []string
	ReferencedTable   string
	ReferencedColumns []string
	OnDelete          string
	OnUpdate          string
}

// Warning is one row of SHOW WARNINGS.
type Warning struct {
	Level   string // "Note", "Warning" or "Error"
	Code    uint16
	Message string
}
