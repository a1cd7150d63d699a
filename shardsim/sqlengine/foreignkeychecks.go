package sqlengine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"
)

// keyedTable is what the checks of a foreign key look at in a table: as it is, or as CREATE TABLE will make it.
type keyedTable struct {
	name    string
	columns map[string]keyedColumn // by lower-case name
	keys    [][]string             // lower-case names of the columns of each key, in order
	count   int                    // the highest number in the name of a foreign key that was given none
}

type keyedColumn struct {
	notNull bool
	storage columnStorage
}

// tableOf describes a table that is there.
func tableOf(m *tableMeta) *keyedTable {
	t := &keyedTable{name: m.name, columns: make(map[string]keyedColumn)}
	for _, c := range m.columns {
		t.columns[strings.ToLower(c.Name)] = keyedColumn{notNull: !c.Nullable, storage: m.storageOf(c)}
	}
	var primary []string
	for _, at := range m.pk {
		primary = append(primary, strings.ToLower(m.columns[at].Name))
	}
	t.keys = append(t.keys, primary)
	for _, idx := range m.indexes {
		var names []string
		for _, c := range idx.columns {
			names = append(names, strings.ToLower(c))
		}
		t.keys = append(t.keys, names)
	}
	for _, fk := range m.foreignKeys {
		var n int
		if _, err := fmt.Sscanf(strings.TrimPrefix(fk.Name, m.name), "_ibfk_%d", &n); err == nil {
			t.count = max(t.count, n)
		}
	}
	return t
}

// tableToBe describes the table of a CREATE TABLE.
func tableToBe(create *sqlparser.CreateTable) *keyedTable {
	t := &keyedTable{name: create.Table.Name.String(), columns: make(map[string]keyedColumn)}
	for _, c := range create.TableSpec.Columns {
		t.add(c)
	}
	for _, idx := range create.TableSpec.Indexes {
		t.addKey(idx)
	}
	return t
}

func (t *keyedTable) add(c *sqlparser.ColumnDefinition) {
	column := keyedColumn{storage: storageToBe(c)}
	if opts := c.Type.Options; opts != nil {
		primary := opts.KeyOpt == sqlparser.ColKeyPrimary || opts.KeyOpt == sqlparser.ColKey
		column.notNull = opts.Null != nil && !*opts.Null || primary
		if opts.KeyOpt != sqlparser.ColKeyNone {
			t.keys = append(t.keys, []string{c.Name.Lowered()})
		}
	}
	t.columns[c.Name.Lowered()] = column
}

func (t *keyedTable) addKey(idx *sqlparser.IndexDefinition) {
	var names []string
	for _, c := range idx.Columns {
		names = append(names, c.Column.Lowered())
		if column, ok := t.columns[c.Column.Lowered()]; ok && idx.Info.Type == sqlparser.IndexTypePrimary {
			column.notNull = true
			t.columns[c.Column.Lowered()] = column
		}
	}
	t.keys = append(t.keys, names)
}

// hasKey reports whether a key begins with the columns.
func (t *keyedTable) hasKey(columns []string) bool {
	return slices.ContainsFunc(t.keys, func(key []string) bool {
		return len(key) >= len(columns) && slices.Equal(key[:len(columns)], columns)
	})
}

// checkForeignKey refuses a foreign key of a table that its columns or those of the parent do not allow. Types are the
// engine's to compare.
func (s *Session) checkForeignKey(t *keyedTable, def *sqlparser.ConstraintDefinition) error {
	fk, ok := def.Details.(*sqlparser.ForeignKeyDefinition)
	if !ok {
		return nil
	}
	name := def.Name.String()
	if name == "" {
		t.count++
		name = fmt.Sprintf("%s_ibfk_%d", t.name, t.count)
	}
	ref := fk.ReferenceDefinition
	if len(fk.Source) != len(ref.ReferencedColumns) {
		shown := def.Name.String()
		if shown == "" {
			shown = "foreign key without name"
		}
		return mysqlError(1239, "42000", "Incorrect foreign key definition for '%s': Key reference and table reference don't match", shown)
	}
	if ref.OnDelete == sqlparser.SetDefault || ref.OnUpdate == sqlparser.SetDefault {
		return mysqlError(1215, "HY000", "Cannot add foreign key constraint")
	}
	for _, c := range fk.Source {
		if err := checkSource(t, c, ref, name); err != nil {
			return err
		}
	}
	return s.checkParent(t, ref, name)
}

// checkSource refuses a foreign key by what one of its own columns is.
func checkSource(t *keyedTable, c sqlparser.IdentifierCI, ref *sqlparser.ReferenceDefinition, name string) error {
	column, known := t.columns[c.Lowered()]
	switch {
	case !known:
		return mysqlError(1072, "42000", "Key column '%s' doesn't exist in table", c.String())
	case column.storage == virtualColumn:
		return mysqlError(3733, "HY000", "Foreign key '%s' uses virtual column '%s' which is not supported.", name, c.String())
	case column.storage == storedColumn && (ref.OnUpdate == sqlparser.Cascade || ref.OnUpdate == sqlparser.SetNull):
		return mysqlError(3104, "HY000", "Cannot define foreign key with ON UPDATE %s clause on a generated column.", strings.ToUpper(sqlparser.String(ref.OnUpdate)))
	case column.storage == storedColumn && ref.OnDelete == sqlparser.SetNull:
		return mysqlError(3104, "HY000", "Cannot define foreign key with ON DELETE SET NULL clause on a generated column.")
	case column.notNull && (ref.OnDelete == sqlparser.SetNull || ref.OnUpdate == sqlparser.SetNull):
		return mysqlError(1830, "HY000", "Column '%s' cannot be NOT NULL: needed in a foreign key constraint '%s' SET NULL", c.String(), name)
	}
	return nil
}

// checkParent refuses a foreign key whose parent lacks what it refers to.
func (s *Session) checkParent(t *keyedTable, ref *sqlparser.ReferenceDefinition, name string) error {
	parentName := ref.ReferencedTable.Name.String()
	parent := t
	if !strings.EqualFold(parentName, t.name) {
		found := s.shard.db.Root().Table(parentName)
		switch {
		case s.foreignKeysOff() && found == nil:
			return nil
		case found == nil:
			return mysqlError(1824, "HY000", "Failed to open the referenced table '%s'", parentName)
		}
		parent = tableOf(metaOf(found.Def))
	}
	var columns []string
	for _, c := range ref.ReferencedColumns {
		column, known := parent.columns[c.Lowered()]
		if !known {
			return mysqlError(3734, "HY000", "Failed to add the foreign key constraint. Missing column '%s' for constraint '%s' in the referenced table '%s'", c.String(), name, parentName)
		}
		if column.storage == virtualColumn {
			return mysqlError(3733, "HY000", "Foreign key '%s' uses virtual column '%s' which is not supported.", name, c.String())
		}
		columns = append(columns, c.Lowered())
	}
	if !parent.hasKey(columns) {
		return mysqlError(1822, "HY000", "Failed to add the foreign key constraint. Missing index for constraint '%s' in the referenced table '%s'", name, parentName)
	}
	return nil
}

// referring is a foreign key to a table, and whose it is.
type referring struct {
	child *tableMeta
	key   *sql.ForeignKeyConstraint
}

// referringTo returns the foreign keys to a table.
func (s *Shard) referringTo(parent string) []referring {
	var all []referring
	for _, t := range permanent(s.db.Root()) {
		m := metaOf(t.Def)
		for i := range m.foreignKeys {
			if strings.EqualFold(m.foreignKeys[i].ParentTable, parent) {
				all = append(all, referring{m, &m.foreignKeys[i]})
			}
		}
	}
	return all
}

// checkReferredColumn refuses to drop a column that other tables' foreign keys refer to.
func (s *Session) checkReferredColumn(table, column string) error {
	for _, r := range s.shard.referringTo(table) {
		if slices.ContainsFunc(r.key.ParentColumns, func(c string) bool { return strings.EqualFold(c, column) }) {
			return mysqlError(1829, "HY000", "Cannot drop column '%s': needed in a foreign key constraint '%s' of table '%s'", column, r.key.Name, r.child.name)
		}
	}
	return nil
}

// checkReferredPrimary refuses to drop a primary key that foreign keys need.
func (s *Session) checkReferredPrimary(m *tableMeta) error {
	t := tableOf(m)
	t.keys = t.keys[1:]
	for _, r := range s.shard.referringTo(m.name) {
		var columns []string
		for _, c := range r.key.ParentColumns {
			columns = append(columns, strings.ToLower(c))
		}
		if !t.hasKey(columns) {
			return mysqlError(1553, "HY000", "Cannot drop index 'PRIMARY': needed in a foreign key constraint")
		}
	}
	return nil
}

// incompatible is the error for a column whose new type does not suit a foreign key, its own or one to it.
func (s *sqlSession) incompatible(column string) error {
	if s.st == nil {
		return nil
	}
	alter, ok := s.st.ast.(*sqlparser.AlterTable)
	if !ok {
		return nil
	}
	table := alter.Table.Name.String()
	all := s.shard.referringTo(table)
	if t := s.shard.db.Root().Table(table); t != nil {
		m := metaOf(t.Def)
		for i := range m.foreignKeys {
			all = append(all, referring{m, &m.foreignKeys[i]})
		}
	}
	for _, r := range all {
		for i, c := range r.key.Columns {
			parent := r.key.ParentColumns[i]
			own := strings.EqualFold(r.child.name, table) && strings.EqualFold(c, column)
			if own || strings.EqualFold(r.key.ParentTable, table) && strings.EqualFold(parent, column) {
				return mysqlError(3780, "HY000", "Referencing column '%s' and referenced column '%s' in foreign key constraint '%s' are incompatible.", c, parent, r.key.Name)
			}
		}
	}
	return nil
}

// mismatched is the error for a foreign key that is made of columns of different types. The engine names the columns alone.
func (s *sqlSession) mismatched(column, parent string) error {
	if s.st == nil {
		return nil
	}
	name, unnamed := "", 0
	table := ""
	switch ast := s.st.ast.(type) {
	case *sqlparser.CreateTable:
		table = ast.Table.Name.String()
	case *sqlparser.AlterTable:
		table = ast.Table.Name.String()
		if t := s.tableNamed(table); t != nil {
			unnamed = tableOf(metaOf(t.Def)).count
		}
	}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		def, ok := node.(*sqlparser.ConstraintDefinition)
		if !ok {
			return name == "", nil
		}
		fk, ok := def.Details.(*sqlparser.ForeignKeyDefinition)
		if !ok {
			return true, nil
		}
		called := def.Name.String()
		if called == "" {
			unnamed++
			called = fmt.Sprintf("%s_ibfk_%d", table, unnamed)
		}
		if fk.Source.FindColumn(sqlparser.NewIdentifierCI(column)) >= 0 && name == "" {
			name = called
		}
		return true, nil
	}, s.st.ast)
	return mysqlError(3780, "HY000", "Referencing column '%s' and referenced column '%s' in foreign key constraint '%s' are incompatible.", column, parent, name)
}

// keyTypeError is the error for columns whose types do not suit a foreign key, nil for other errors.
func (s *sqlSession) keyTypeError(err error) error {
	switch {
	case sql.ErrForeignKeyTypeChange.Is(err):
		if args := kindArgs(sql.ErrForeignKeyTypeChange.Message, err.Error()); len(args) == 1 {
			return s.incompatible(args[0])
		}
	case sql.ErrForeignKeyColumnTypeMismatch.Is(err):
		if args := kindArgs(sql.ErrForeignKeyColumnTypeMismatch.Message, err.Error()); len(args) == 2 {
			return s.mismatched(args[0], args[1])
		}
	}
	return nil
}
