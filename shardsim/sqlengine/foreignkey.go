package sqlengine

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"vitess.io/vitess/go/vt/sqlparser"
)

// foreignKeyHint is what a SET_VAR hint says of foreign_key_checks, nil if it says nothing. The library panics on hints that are
// none.
func foreignKeyHint(stmt sqlparser.Statement) (checks *bool) {
	defer func() {
		if recover() != nil {
			checks = nil
		}
	}()
	hints, err := sqlparser.BuildQueryHints(stmt)
	if err != nil {
		return nil
	}
	return hints.ForeignKeyChecks
}

// referencesLast lets an INSERT find out that a row is there already before it looks for the row's parents: a duplicate has no
// need of them, as another row is updated, deleted or named in the error instead.
func referencesLast(destination sql.Node) sql.Node {
	keys, ok := destination.(*plan.ForeignKeyHandler)
	if !ok || len(keys.Editor.References) == 0 {
		return destination
	}
	late, editor := *keys, *keys.Editor
	editor.Editor = &referenceEditor{ForeignKeyEditor: keys.Editor.Editor, keys: keys.Editor}
	editor.References = nil
	late.Editor = &editor
	return &late
}

// referenceEditor checks the parents of rows itself: of inserted ones once they are in.
type referenceEditor struct {
	sql.ForeignKeyEditor
	keys *plan.ForeignKeyEditor
}

// Insert implements sql.RowInserter.
func (e *referenceEditor) Insert(ctx *sql.Context, row sql.Row) error {
	if err := e.ForeignKeyEditor.Insert(ctx, row); err != nil {
		return err
	}
	for _, reference := range e.keys.References {
		if err := reference.CheckReference(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// Update implements sql.RowUpdater.
func (e *referenceEditor) Update(ctx *sql.Context, old, row sql.Row) error {
	for _, reference := range e.keys.References {
		for _, at := range reference.RowMapper.IndexPositions {
			changed, err := e.keys.Schema[at].Type.Compare(ctx, old[at], row[at])
			if err == nil && changed != 0 {
				err = reference.CheckReference(ctx, row)
			}
			if err != nil {
				return err
			}
		}
	}
	return e.ForeignKeyEditor.Update(ctx, old, row)
}

// parentFails is MySQL's text for 1451.
const parentFails = "Cannot delete or update a parent row: a foreign key constraint fails"

// foreignKeyError gives a foreign key violation MySQL's text, which shows the constraint whole.
func (s *sqlSession) foreignKeyError(err error) error {
	var format, text string
	var num int
	switch {
	case sql.ErrForeignKeyChildViolation.Is(err):
		format, num = sql.ErrForeignKeyChildViolation.Message, 1452
		text = "Cannot add or update a child row: a foreign key constraint fails"
	case sql.ErrForeignKeyParentViolation.Is(err):
		format, num = sql.ErrForeignKeyParentViolation.Message, 1451
		text = parentFails
	default:
		return nil
	}
	args := kindArgs(format, err.Error())
	if len(args) == 0 {
		return mysqlError(num, "23000", "%s", text)
	}
	for _, t := range s.shard.db.Root().Tables() {
		m := metaOf(t.Def)
		for i := range m.foreignKeys {
			if fk := &m.foreignKeys[i]; strings.EqualFold(fk.Name, args[0]) {
				return mysqlError(num, "23000", "%s (`%s`.`%s`, %s)", text, s.shard.keyspace, m.name, constraintText(fk))
			}
		}
	}
	return mysqlError(num, "23000", "%s", text)
}

// constraintText prints a foreign key as SHOW CREATE TABLE does.
func constraintText(fk *sql.ForeignKeyConstraint) string {
	text := fmt.Sprintf("CONSTRAINT `%s` FOREIGN KEY (%s) REFERENCES `%s` (%s)",
		fk.Name, quoteNames(fk.Columns), fk.ParentTable, quoteNames(fk.ParentColumns))
	if a := actionText(fk.OnDelete); a != "NO ACTION" {
		text += " ON DELETE " + a
	}
	if a := actionText(fk.OnUpdate); a != "NO ACTION" {
		text += " ON UPDATE " + a
	}
	return text
}

func actionText(a sql.ForeignKeyReferentialAction) string {
	if a == sql.ForeignKeyReferentialAction_DefaultAction || a == "" {
		return "NO ACTION"
	}
	return string(a)
}

func quoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func quoteNames(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quoteName(n)
	}
	return strings.Join(quoted, ", ")
}
