package sqlengine

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// checkDependants refuses clauses that would take columns and keys from foreign keys, or give the table expressions, checks and
// foreign keys that it cannot have as the clauses before leave it. See columnusers.go for what else needs columns.
func (s *Session) checkDependants(alter *sqlparser.AlterTable, m *tableMeta) error {
	t, columns := tableOf(m), m.definedColumns()
	for _, option := range alter.AlterOptions {
		var err error
		switch o := option.(type) {
		case *sqlparser.AddColumns:
			for _, c := range o.Columns {
				if err := checkColumnExpressions(c, columns); err != nil {
					return err
				}
				t.add(c)
				columns[c.Name.Lowered()] = definedColumn{}
			}
		case *sqlparser.ModifyColumn:
			err = checkColumnExpressions(o.NewColDefinition, columns)
		case *sqlparser.AddIndexDefinition:
			if err = checkIndexName(o.IndexDefinition); err == nil {
				t.addKey(o.IndexDefinition)
			}
		case *sqlparser.AddConstraintDefinition:
			if check, ok := o.ConstraintDefinition.Details.(*sqlparser.CheckConstraintDefinition); ok {
				err = m.checkNewCheck(o.ConstraintDefinition.Name.String(), check, columns)
			} else {
				err = s.checkForeignKey(t, o.ConstraintDefinition)
			}
		case *sqlparser.DropColumn:
			err = s.checkReferredColumn(m.name, o.Name.Name.String())
		case *sqlparser.RenameColumn:
			columns[o.NewName.Name.Lowered()] = definedColumn{}
		case *sqlparser.ChangeColumn:
			columns[o.NewColDefinition.Name.Lowered()] = definedColumn{}
		case *sqlparser.DropKey:
			if o.Type == sqlparser.PrimaryKeyType {
				err = s.checkReferredPrimary(m)
			}
		case *sqlparser.AlterCheck:
			err = m.checkNamed(o.Name.String())
		case sqlparser.TableOptions:
			err = checkTableOptions(o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkNamed refuses the name of a check that is not there.
func (m *tableMeta) checkNamed(name string) error {
	for _, c := range m.checks {
		if strings.EqualFold(c.Name, name) {
			return nil
		}
	}
	return mysqlError(3821, "HY000", "Check constraint '%s' is not found in the table.", name)
}

// checkNewCheck refuses a check that ALTER TABLE adds.
func (m *tableMeta) checkNewCheck(name string, check *sqlparser.CheckConstraintDefinition, columns map[string]definedColumn) error {
	if name == "" {
		name = m.freeCheckName()
	}
	return checkOf(name, check).checkColumns(columns)
}
