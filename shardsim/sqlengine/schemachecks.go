package sqlengine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"
)

// checkSchema returns MySQL's error for a statement that does not suit the tables there are. An ALTER TABLE is checked
// whole before its first clause changes anything.
func (s *Session) checkSchema(stmt sqlparser.Statement) error {
	if err := checkPartitions(stmt); err != nil {
		return err
	}
	if err := s.checkObjects(stmt); err != nil {
		return err
	}
	if err := s.checkTemporary(stmt); err != nil {
		return err
	}
	if err := s.checkSafeUpdate(stmt); err != nil {
		return err
	}
	switch ast := stmt.(type) {
	case *sqlparser.AlterTable:
		if t := s.sql.tableNamed(ast.Table.Name.String()); t != nil {
			m := metaOf(t.Def)
			if err := newAlterCheck(m).check(ast); err != nil {
				return err
			}
			return s.checkDependants(ast, m)
		}
	case *sqlparser.DropTable:
		return s.checkDrop(ast)
	case *sqlparser.CreateTable:
		return s.checkReferences(ast)
	case *sqlparser.Insert:
		if name, ok := ast.Table.Expr.(sqlparser.TableName); ok && s.isView(name.Name.String()) {
			return mysqlError(1471, "HY000", "The target table %s of the INSERT is not insertable-into", name.Name.String())
		}
		return s.checkDefaults(ast)
	case *sqlparser.Select:
		return s.checkHints(ast)
	}
	return nil
}

// checkDefaults refuses DEFAULT, and a row of nothing, for columns that have none. The engine takes it for NULL.
func (s *Session) checkDefaults(ins *sqlparser.Insert) error {
	name, isTable := ins.Table.Expr.(sqlparser.TableName)
	rows, isValues := ins.Rows.(sqlparser.Values)
	if !isTable || !isValues || bool(ins.Ignore) || !s.sql.strict() {
		return nil
	}
	t := s.sql.tableNamed(name.Name.String())
	if t == nil {
		return nil
	}
	columns := metaOf(t.Def).columns
	for _, row := range rows {
		for i, c := range columns {
			at := i
			if len(ins.Columns) > 0 {
				at = ins.Columns.FindColumn(sqlparser.NewIdentifierCI(c.Name))
			}
			asked := len(row) == 0
			if at >= 0 && at < len(row) {
				given, isDefault := row[at].(*sqlparser.Default)
				asked = isDefault && given.ColName == ""
			}
			if asked && lacksDefault(c) {
				return mysqlError(1364, "HY000", "Field '%s' doesn't have a default value", c.Name)
			}
		}
	}
	return nil
}

// lacksDefault reports whether a column must be given a value. An ENUM has its first member.
func lacksDefault(c *sql.Column) bool {
	_, isEnum := c.Type.(sql.EnumType)
	return !c.Nullable && c.Default == nil && c.Generated == nil && !c.AutoIncrement && !isEnum
}

// checkDrop refuses to drop some of several tables: all or none.
func (s *Session) checkDrop(drop *sqlparser.DropTable) error {
	if drop.IfExists {
		return nil
	}
	var missing []string
	for _, t := range drop.FromTables {
		if s.sql.tableNamed(t.Name.String()) == nil {
			missing = append(missing, s.shard.keyspace+"."+t.Name.String())
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return mysqlError(1051, "42S02", "Unknown table '%s'", strings.Join(missing, ","))
}

// checkReferences refuses foreign keys that their columns, or the tables they refer to, do not allow.
func (s *Session) checkReferences(create *sqlparser.CreateTable) error {
	if create.TableSpec == nil || s.exists(create) {
		return nil
	}
	t := tableToBe(create)
	for _, c := range create.TableSpec.Constraints {
		if err := s.checkForeignKey(t, c); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) foreignKeysOff() bool { return s.sql.foreignKeysOff() }

func (s *sqlSession) foreignKeysOff() bool {
	v, ok := s.vars["foreign_key_checks"]
	if !ok {
		return false
	}
	n, isInt := bigInt(v.Val)
	return isInt && n.Sign() == 0
}

// checkHints refuses index hints of indexes that are not there.
func (s *Session) checkHints(sel *sqlparser.Select) error {
	for _, from := range sel.From {
		t, ok := from.(*sqlparser.AliasedTableExpr)
		if !ok || len(t.Hints) == 0 {
			continue
		}
		name, ok := t.Expr.(sqlparser.TableName)
		if !ok {
			continue
		}
		table := s.sql.tableNamed(name.Name.String())
		if table == nil {
			continue
		}
		for _, hint := range t.Hints {
			for _, idx := range hint.Indexes {
				if m := metaOf(table.Def); hint.Type != sqlparser.UseVindexOp && hint.Type != sqlparser.IgnoreVindexOp && !strings.EqualFold(idx.String(), "primary") && m.index(idx.String()) < 0 {
					return mysqlError(1176, "42000", "Key '%s' doesn't exist in table '%s'", idx.String(), m.name)
				}
			}
		}
	}
	return nil
}

// alterCheck follows what the clauses of an ALTER TABLE do to the names of columns and keys.
type alterCheck struct {
	table   string
	storage map[string]columnStorage // of the table's columns as it is, by lower-case name
	columns []string                 // lower case
	keys    []string
	checks  []string
	foreign []string
	primary bool
}

func newAlterCheck(m *tableMeta) *alterCheck {
	a := &alterCheck{table: m.name, primary: len(m.pk) > 0, storage: make(map[string]columnStorage)}
	for _, c := range m.columns {
		a.storage[strings.ToLower(c.Name)] = m.storageOf(c)
		a.columns = append(a.columns, strings.ToLower(c.Name))
	}
	for _, x := range m.search {
		a.keys = append(a.keys, strings.ToLower(x.name))
	}
	for _, idx := range m.indexes {
		a.keys = append(a.keys, strings.ToLower(idx.name))
	}
	for _, c := range m.checks {
		a.checks = append(a.checks, strings.ToLower(c.Name))
	}
	for _, fk := range m.foreignKeys {
		a.foreign = append(a.foreign, strings.ToLower(fk.Name))
	}
	return a
}

func (a *alterCheck) check(alter *sqlparser.AlterTable) error {
	for _, option := range alter.AlterOptions {
		if err := a.clause(option); err != nil {
			return err
		}
	}
	if len(a.columns) == 0 {
		return mysqlError(1090, "42000", "You can't delete all columns with ALTER TABLE; use DROP TABLE instead")
	}
	return nil
}

func (a *alterCheck) clause(option sqlparser.AlterOption) error {
	for _, name := range newColumnNames(option) {
		if err := checkColumnName(name); err != nil {
			return err
		}
	}
	switch o := option.(type) {
	case *sqlparser.AddColumns:
		for _, c := range o.Columns {
			if err := a.add(c); err != nil {
				return err
			}
		}
		return a.after(o.After)
	case *sqlparser.DropColumn:
		at := slices.Index(a.columns, o.Name.Name.Lowered())
		if at < 0 {
			return cantDrop(o.Name.Name.String())
		}
		a.columns = slices.Delete(a.columns, at, at+1)
	case *sqlparser.ModifyColumn:
		if err := a.known(o.NewColDefinition.Name); err != nil {
			return err
		}
		return a.sameStorage(o.NewColDefinition.Name, o.NewColDefinition)
	case *sqlparser.AlterColumn:
		return a.known(o.Column.Name)
	case *sqlparser.ChangeColumn:
		if err := a.sameStorage(o.OldColumn.Name, o.NewColDefinition); err != nil {
			return err
		}
		return a.renameColumn(o.OldColumn.Name, o.NewColDefinition.Name)
	case *sqlparser.RenameColumn:
		return a.renameColumn(o.OldName.Name, o.NewName.Name)
	case *sqlparser.RenameIndex:
		at := slices.Index(a.keys, o.OldName.Lowered())
		if at < 0 {
			return mysqlError(1176, "42000", "Key '%s' doesn't exist in table '%s'", o.OldName.String(), a.table)
		}
		a.keys[at] = o.NewName.Lowered()
	case *sqlparser.DropKey:
		return a.dropKey(o)
	case *sqlparser.AddIndexDefinition:
		return a.addIndex(o.IndexDefinition)
	}
	return nil
}

func cantDrop(name string) error {
	return mysqlError(1091, "42000", "Can't DROP '%s'; check that column/key exists", name)
}

func (a *alterCheck) known(name sqlparser.IdentifierCI) error {
	if !slices.Contains(a.columns, name.Lowered()) {
		return mysqlError(1054, "42S22", "Unknown column '%s' in '%s'", name.String(), a.table)
	}
	return nil
}

// newColumnNames returns the names that a clause gives columns.
func newColumnNames(option sqlparser.AlterOption) []string {
	switch o := option.(type) {
	case *sqlparser.AddColumns:
		var names []string
		for _, c := range o.Columns {
			names = append(names, c.Name.String())
		}
		return names
	case *sqlparser.ChangeColumn:
		return []string{o.NewColDefinition.Name.String()}
	case *sqlparser.RenameColumn:
		return []string{o.NewName.Name.String()}
	}
	return nil
}

// columnStorage says where the values of a column come from.
type columnStorage int

const (
	plainColumn columnStorage = iota
	storedColumn
	virtualColumn
)

func (m *tableMeta) storageOf(c *sql.Column) columnStorage {
	switch {
	case c.Generated == nil:
		return plainColumn
	case m.virtual[strings.ToLower(c.Name)]:
		return virtualColumn
	}
	return storedColumn
}

// storageToBe is storageOf of a column that is being defined.
func storageToBe(c *sqlparser.ColumnDefinition) columnStorage {
	opts := c.Type.Options
	switch {
	case opts == nil || opts.As == nil:
		return plainColumn
	case opts.Storage == sqlparser.StoredStorage:
		return storedColumn
	}
	return virtualColumn
}

// sameStorage refuses to make a virtual column of another kind, and one of another kind virtual.
func (a *alterCheck) sameStorage(name sqlparser.IdentifierCI, now *sqlparser.ColumnDefinition) error {
	before, known := a.storage[name.Lowered()]
	after := storageToBe(now)
	if known && before != after && (before == virtualColumn || after == virtualColumn) {
		return mysqlError(3106, "HY000", "'Changing the STORED status' is not supported for generated columns.")
	}
	return nil
}

func (a *alterCheck) add(c *sqlparser.ColumnDefinition) error {
	if slices.Contains(a.columns, c.Name.Lowered()) {
		return mysqlError(1060, "42S21", "Duplicate column name '%s'", c.Name.String())
	}
	a.columns = append(a.columns, c.Name.Lowered())
	return checkColumnType(c)
}

func (a *alterCheck) after(c *sqlparser.ColName) error {
	if c == nil {
		return nil
	}
	return a.known(c.Name)
}

func (a *alterCheck) renameColumn(from, to sqlparser.IdentifierCI) error {
	if err := a.known(from); err != nil {
		return err
	}
	if !from.Equal(to) && slices.Contains(a.columns, to.Lowered()) {
		return mysqlError(1060, "42S21", "Duplicate column name '%s'", to.String())
	}
	a.columns[slices.Index(a.columns, from.Lowered())] = to.Lowered()
	return nil
}

func (a *alterCheck) dropKey(o *sqlparser.DropKey) error {
	name := o.Name.Lowered()
	switch o.Type {
	case sqlparser.PrimaryKeyType:
		if !a.primary {
			return cantDrop("PRIMARY")
		}
		a.primary = false
	case sqlparser.ForeignKeyType:
		if !slices.Contains(a.foreign, name) {
			return cantDrop(o.Name.String())
		}
	case sqlparser.NormalKeyType:
		at := slices.Index(a.keys, name)
		if at < 0 {
			return cantDrop(o.Name.String())
		}
		a.keys = slices.Delete(a.keys, at, at+1)
	case sqlparser.CheckKeyType:
		if !slices.Contains(a.checks, name) {
			return mysqlError(3821, "HY000", "Check constraint '%s' is not found in the table.", o.Name.String())
		}
	}
	return nil
}

func (a *alterCheck) addIndex(idx *sqlparser.IndexDefinition) error {
	for _, c := range idx.Columns {
		if c.Expression == nil && !slices.Contains(a.columns, c.Column.Lowered()) {
			return mysqlError(1072, "42000", "Key column '%s' doesn't exist in table", c.Column.String())
		}
	}
	if idx.Info.Type == sqlparser.IndexTypePrimary {
		if a.primary {
			return mysqlError(1068, "42000", "Multiple primary key defined")
		}
		a.primary = true
		return nil
	}
	name := idx.Info.Name.Lowered()
	if name == "" {
		name = idx.Info.ConstraintName.Lowered()
	}
	if name != "" && slices.Contains(a.keys, name) {
		return mysqlError(1061, "42000", "Duplicate key name '%s'", name)
	}
	a.keys = append(a.keys, name)
	return nil
}
