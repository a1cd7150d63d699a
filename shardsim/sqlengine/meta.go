package sqlengine

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/vitrodb/vitro/shardsim/store"
)

// tableMeta describes a table in the engine's terms. It is immutable once it is in a store.TableDef: ALTER TABLE changes
// a clone and makes a new definition.
type tableMeta struct {
	name        string
	stored      string     // what the store knows a temporary table by, empty for others
	columns     sql.Schema // defaults are unresolved texts; no column is Virtual, see virtual
	pk          []int      // positions of the primary key's columns in key order
	pkPrefix    []uint16   // prefix lengths of the primary key's columns, nil if there are none
	collation   sql.CollationID
	comment     string
	partitions  string // PARTITION BY as SHOW CREATE TABLE has it, empty for none
	indexes     []indexMeta
	search      []searchIndex
	checks      []sql.CheckDefinition
	foreignKeys []sql.ForeignKeyConstraint
	// virtual names the generated columns that were declared VIRTUAL. They are stored all the same: what they hold is
	// the same, and indexes on them need no special case.
	virtual map[string]bool
}

// indexMeta is a secondary index.
type indexMeta struct {
	name    string
	columns []string
	prefix  []uint16 // prefix lengths in characters, nil if there are none
	unique  bool
	comment string

	descending []bool // by column, nil if none is
	invisible  bool
}

func metaOf(def *store.TableDef) *tableMeta { return def.Meta.(*tableMeta) }

func (m *tableMeta) clone() *tableMeta {
	c := *m
	c.columns = m.columns.Copy()
	c.pk = append([]int(nil), m.pk...)
	c.indexes = append([]indexMeta(nil), m.indexes...)
	for i := range c.indexes {
		c.indexes[i].columns = append([]string(nil), c.indexes[i].columns...)
	}
	c.search = append([]searchIndex(nil), m.search...)
	c.checks = append([]sql.CheckDefinition(nil), m.checks...)
	c.foreignKeys = append([]sql.ForeignKeyConstraint(nil), m.foreignKeys...)
	c.virtual = make(map[string]bool, len(m.virtual))
	for k, v := range m.virtual {
		c.virtual[k] = v
	}
	return &c
}

// setSchema takes over columns as the engine gives them to a table.
func (m *tableMeta) setSchema(schema sql.PrimaryKeySchema) {
	m.columns = make(sql.Schema, len(schema.Schema))
	virtual := make(map[string]bool)
	for i, c := range schema.Schema {
		col := c.Copy()
		col.Source = m.name
		if col.Extra == "auto_increment" {
			col.Extra = "" // what the engine says of a new column
		}
		name := strings.ToLower(col.Name)
		if col.Virtual || (m.virtual[name] && col.Generated != nil) {
			virtual[name] = true
			col.Virtual = false
		}
		col.Default = textDefault(col.Default)
		col.Generated = textDefault(col.Generated)
		col.OnUpdate = textDefault(col.OnUpdate)
		m.columns[i] = col
	}
	m.virtual = virtual
	m.pk = nil
	for _, at := range schema.PkOrdinals {
		if at >= 0 { // else the column was dropped
			m.pk = append(m.pk, at)
		}
	}
	if len(m.pkPrefix) != len(m.pk) {
		m.pkPrefix = nil
	}
}

// textDefault returns the default as text without table names, for the engine to resolve where it is used.
func textDefault(d *sql.ColumnDefaultValue) *sql.ColumnDefaultValue {
	if d == nil {
		return nil
	}
	expr, _, err := transform.Expr(d, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if lit, ok := e.(*expression.Literal); ok {
			if span, ok := lit.Value().(types.Timespan); ok {
				return expression.NewLiteral(string(formatTimespan(span, anyFraction)), types.Text), transform.NewTree, nil
			}
		}
		gf, ok := e.(*expression.GetField)
		if !ok {
			return e, transform.SameTree, nil
		}
		bare := expression.NewGetField(gf.Index(), gf.Type(), gf.Name(), gf.IsNullable())
		return bare.WithQuotedNames(sql.GlobalSchemaFormatter, true), transform.NewTree, nil
	})
	if err != nil {
		expr = d
	}
	text := expr.String()
	if inner := unwrapped(text); isConstantText(inner) {
		text = inner
	}
	return sql.NewUnresolvedColumnDefaultValue(text)
}

// isConstantText tells a literal's text from an expression's: ALTER TABLE gives literals in brackets.
func isConstantText(text string) bool {
	if strings.EqualFold(text, "NULL") || looksNumeric(text) {
		return true
	}
	return len(text) >= 2 && text[0] == '\'' && strings.IndexByte(text[1:], '\'') == len(text)-2
}

func (m *tableMeta) rename(to string) {
	m.name = to
	for _, c := range m.columns {
		c.Source = to
	}
	for i := range m.foreignKeys {
		fk := &m.foreignKeys[i]
		if fk.IsSelfReferential() {
			fk.ParentTable = to
		}
		fk.Table = to
	}
}

// definition makes the store's view of the table.
func (m *tableMeta) definition() (*store.TableDef, error) {
	if err := m.checkRowSize(); err != nil {
		return nil, err
	}
	if err := m.checkKeyLengths(); err != nil {
		return nil, err
	}
	def := &store.TableDef{Name: m.storedName(), Meta: m}
	if len(m.pk) > 0 {
		def.Primary = m.keyer(m.pk, m.pkPrefix)
	}
	for i := range m.indexes {
		idx := &m.indexes[i]
		positions, err := m.positions(idx.columns)
		if err != nil {
			return nil, err
		}
		def.Indexes = append(def.Indexes, store.IndexDef{Name: idx.name, Unique: idx.unique, Key: m.keyer(positions, idx.prefix)})
	}
	if def.Primary == nil {
		all := make([]int, len(m.columns))
		for i := range all {
			all[i] = i
		}
		def.Locator = len(def.Indexes)
		def.Indexes = append(def.Indexes, store.IndexDef{Key: m.exactKeyer(all)})
	}
	return def, nil
}

func (m *tableMeta) positions(columns []string) ([]int, error) {
	at := make([]int, len(columns))
	for i, name := range columns {
		at[i] = m.columns.IndexOfColName(name)
		if at[i] < 0 {
			return nil, sql.ErrKeyColumnDoesNotExist.New(name)
		}
	}
	return at, nil
}

// index returns the position of an index, or -1.
func (m *tableMeta) index(name string) int {
	for i := range m.indexes {
		if strings.EqualFold(m.indexes[i].name, name) {
			return i
		}
	}
	return -1
}

// addIndex adds an index as the engine defines it.
func (m *tableMeta) addIndex(def sql.IndexDef) error {
	switch def.Constraint {
	case sql.IndexConstraint_Fulltext:
		return errUnsupported("FULLTEXT index")
	case sql.IndexConstraint_Spatial:
		return errUnsupported("SPATIAL index")
	case sql.IndexConstraint_Vector:
		return errUnsupported("VECTOR index")
	}
	name := def.Name
	if name == "" {
		name = m.freeIndexName(def.Columns[0].Name)
	}
	if m.index(name) >= 0 {
		return sql.ErrDuplicateKey.New(name)
	}
	idx := indexMeta{name: name, unique: def.Constraint == sql.IndexConstraint_Unique, comment: def.Comment}
	for _, c := range def.Columns {
		at := m.columns.IndexOfColName(c.Name)
		if at < 0 {
			return sql.ErrKeyColumnDoesNotExist.New(c.Name)
		}
		idx.columns = append(idx.columns, m.columns[at].Name)
	}
	idx.prefix = prefixLengths(def.Columns)
	m.indexes = append(m.indexes, idx)
	m.sortIndexes()
	return nil
}

// prefixLengths returns the columns' prefix lengths, nil if there are none.
func prefixLengths(columns []sql.IndexColumn) []uint16 {
	var lengths []uint16
	for i, c := range columns {
		if c.Length > 0 && lengths == nil {
			lengths = make([]uint16, len(columns))
		}
		if lengths != nil {
			lengths[i] = uint16(c.Length)
		}
	}
	return lengths
}

// freeIndexName names an index after its first column, as MySQL does: c, c_2, c_3 ...
func (m *tableMeta) freeIndexName(column string) string {
	name := column
	for n := 2; m.index(name) >= 0 || strings.EqualFold(name, "primary"); n++ {
		name = fmt.Sprintf("%s_%d", column, n)
	}
	return name
}

// sortIndexes puts unique indexes first, those without NULLs before the others, as MySQL lists and checks them; else they keep
// the order of their creation.
func (m *tableMeta) sortIndexes() {
	rank := func(idx indexMeta) int {
		switch {
		case !idx.unique:
			return 2
		case slices.ContainsFunc(idx.columns, func(name string) bool {
			at := m.columns.IndexOfColName(name)
			return at < 0 || m.columns[at].Nullable
		}):
			return 1
		}
		return 0
	}
	slices.SortStableFunc(m.indexes, func(a, b indexMeta) int { return rank(a) - rank(b) })
}

// autoColumn returns the position of the AUTO_INCREMENT column, or -1.
func (m *tableMeta) autoColumn() int {
	for i, c := range m.columns {
		if c.AutoIncrement {
			return i
		}
	}
	return -1
}

func sortViews(all []sql.ViewDefinition) {
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
}
