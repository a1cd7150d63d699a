package vindexes

import (
	"maps"
	"slices"

	querypb "vitess.io/vitess/go/vt/proto/query"
	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"
)

// The types of a table: an ordinary one, a sequence, a reference table.
const (
	TypeTable     = ""
	TypeSequence  = "sequence"
	TypeReference = "reference"
)

// VSchema is the sharding scheme of all keyspaces. It is immutable once built
// and safe for concurrent use; WithTables and the other With methods make a
// new one.
type VSchema struct {
	// Keyspaces by name.
	Keyspaces map[string]*KeyspaceSchema
	// RoutingRules by the name routed: "table", "keyspace.table", either with
	// "@replica" or another tablet type after it.
	RoutingRules map[string]*RoutingRule
	// ViewRoutingRules are the routing rules that lead to a view.
	ViewRoutingRules map[string]*ViewRoutingRule
	// ShardRoutingRules map "keyspace.shard" to another keyspace.
	ShardRoutingRules map[string]string
	// KeyspaceRoutingRules map a keyspace, perhaps with "@replica", to another.
	KeyspaceRoutingRules map[string]string
	// MirrorRules by the table mirrored, named as in RoutingRules.
	MirrorRules map[string]*MirrorRule

	// globalTables are the names that need no keyspace; nil: ambiguous.
	globalTables map[string]*globalTable
	// globalVindexes are the same for vindexes; nil: ambiguous.
	globalVindexes map[string]Vindex
	// def and types are what the VSchema was built of.
	def   *vschemapb.SrvVSchema
	types Registry
	// tracked and udfs are what the shards told of, by keyspace.
	tracked map[string][]TableSchema
	udfs    map[string][]string
}

// Keyspace is the name of a keyspace and whether it is sharded.
type Keyspace struct {
	Name    string
	Sharded bool
}

// KeyspaceSchema is the part of the VSchema that belongs to one keyspace.
type KeyspaceSchema struct {
	Keyspace        *Keyspace
	ForeignKeyMode  vschemapb.Keyspace_ForeignKeyMode // never unspecified
	Tables          map[string]*Table
	Vindexes        map[string]Vindex
	Views           map[string]sqlparser.TableStatement
	AggregateUDFs   []string // names of loaded functions that aggregate
	MultiTenantSpec *vschemapb.MultiTenantSpec
	// RequireExplicitRouting keeps its tables and vindexes out of the names
	// that need no keyspace.
	RequireExplicitRouting bool
	// Error is why the keyspace could not be built whole; statements that
	// need it fail with it.
	Error error
}

// Table is one table of the VSchema.
type Table struct {
	Type     string // TypeTable, TypeSequence or TypeReference
	Name     sqlparser.IdentifierCS
	Keyspace *Keyspace
	// ColumnVindexes in the order of the VSchema; the first is the primary
	// vindex. A partial multi-column vindex is followed by its prefixes.
	ColumnVindexes []*ColumnVindex
	Ordered        []*ColumnVindex // the same by cost, cheapest first
	Owned          []*ColumnVindex // those this table keeps up to date
	AutoIncrement  *AutoIncrement  // nil: none
	Columns        []Column
	// ColumnListAuthoritative: Columns is complete, so that * can be expanded
	// and an unknown column is an error.
	ColumnListAuthoritative bool
	Pinned                  []byte            // keyspace id that holds the whole table; nil: not pinned
	ReferencedBy            map[string]*Table // reference tables of this source, by keyspace
	Source                  *Source           // of a reference table; nil: it is its own
	ChildForeignKeys        []ChildFKInfo
	ParentForeignKeys       []ParentFKInfo
	PrimaryKey              sqlparser.Columns
	UniqueKeys              [][]sqlparser.Expr
}

// ColumnVindex is a vindex as one table uses it.
type ColumnVindex struct {
	Columns []sqlparser.IdentifierCI
	Type    string // the vindex's type
	Name    string // the vindex's name
	Owned   bool
	Vindex  Vindex

	unique   bool
	cost     int
	partial  bool
	backfill bool
}

// Column is one column of a table.
type Column struct {
	Name          sqlparser.IdentifierCI
	Type          querypb.Type
	CollationName string
	Default       sqlparser.Expr
	Invisible     bool // left out of *
	Size, Scale   int32
	Nullable      bool
	Values        []string // of an enum or a set
}

// AutoIncrement says which sequence fills which column.
type AutoIncrement struct {
	Column   sqlparser.IdentifierCI
	Sequence *Table
}

// RoutingRule leads one table name to another table.
type RoutingRule struct {
	Tables []*Table // one table, or none: the name is disabled
	Error  error    // why the rule cannot be followed
}

// ViewRoutingRule leads one table name to a view.
type ViewRoutingRule struct {
	TargetKeyspace, TargetViewName string
}

// MirrorRule sends a share of a table's reads to another table as well.
type MirrorRule struct {
	Error   error
	Percent float32
	Table   *Table
}

// Source names the table a reference table is a copy of.
type Source struct {
	sqlparser.TableName
}

// String prints the source as keyspace.table.
func (s *Source) String() string { return sqlparser.String(s.TableName) }

// GetTableName is the table's name with its keyspace before it.
func (t *Table) GetTableName() sqlparser.TableName {
	return sqlparser.NewTableNameWithQualifier(t.Name.String(), t.Keyspace.Name)
}

// String prints the table as keyspace.table, quoted where SQL wants it.
func (t *Table) String() string {
	if t.Keyspace == nil {
		return sqlparser.String(t.Name)
	}
	return sqlparser.String(t.GetTableName())
}

// IsReferenceInKeyspace says whether the table has a copy in the keyspace.
func (t *Table) IsReferenceInKeyspace(keyspace string) bool {
	return t.ReferenceInKeyspace(keyspace) != nil
}

// ReferenceInKeyspace is the table's copy in the keyspace, or nil.
func (t *Table) ReferenceInKeyspace(keyspace string) *Table {
	return t.ReferencedBy[keyspace]
}

// FindColumn is the table's column of that name, case aside, or nil.
func (t *Table) FindColumn(name sqlparser.IdentifierCI) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name.Equal(name) {
			return &t.Columns[i]
		}
	}
	return nil
}

// ColumnTypes are the types of columns, NULL_TYPE where they are not known.
func (t *Table) ColumnTypes(columns []sqlparser.IdentifierCI) []querypb.Type {
	types := make([]querypb.Type, len(columns))
	for i, name := range columns {
		if col := t.FindColumn(name); col != nil {
			types[i] = col.Type
		}
	}
	return types
}

// IsUnique says whether the columns at hand map to at most one keyspace id; a
// prefix of a multi-column vindex never does.
func (c *ColumnVindex) IsUnique() bool { return c.unique }

// Cost is the vindex's cost, one more for each column missing.
func (c *ColumnVindex) Cost() int { return c.cost }

// IsPartialVindex says whether columns of the vindex are missing.
func (c *ColumnVindex) IsPartialVindex() bool { return c.partial }

// IsBackfilling says whether the vindex is still being filled and must not
// route.
func (c *ColumnVindex) IsBackfilling() bool { return c.backfill }

// NewColumnVindex makes a ColumnVindex over all columns of a vindex.
func NewColumnVindex(vindexType string, vindex Vindex, owned bool, columns []sqlparser.IdentifierCI) *ColumnVindex {
	backfilling := false
	if lookup, ok := vindex.(LookupBackfill); ok {
		backfilling = lookup.IsBackfilling()
	}
	return &ColumnVindex{
		Columns: columns, Type: vindexType, Name: vindex.String(), Owned: owned, Vindex: vindex,
		unique: vindex.IsUnique(), cost: vindex.Cost(), backfill: backfilling,
	}
}

// KeyspaceNames lists the keyspaces, sorted.
func (vs *VSchema) KeyspaceNames() []string {
	return slices.Sorted(maps.Keys(vs.Keyspaces))
}
