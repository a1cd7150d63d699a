package sqlengine

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
)

// parseBody parses the statement of a routine.
func parseBody(ctx *sql.Context, text string) (dolt.Statement, error) {
	if err := checkRoutineText(text); err != nil {
		return nil, err
	}
	stmt, err := parseEngine(ctx, "create procedure body() "+hideStatements(text))
	if err != nil {
		return nil, syntaxError(text, err)
	}
	ddl, ok := stmt.(*dolt.DDL)
	if !ok || ddl.ProcedureSpec == nil {
		return nil, errUnsupported("this kind of trigger")
	}
	return ddl.ProcedureSpec.Body, checkBody(ddl.ProcedureSpec.Body, text)
}

// eachStatement calls f with each statement of a body that is run by itself.
func eachStatement(stmt dolt.Statement, f func(dolt.Statement) error) error {
	all := func(lists ...dolt.Statements) error {
		for _, list := range lists {
			for _, stmt := range list {
				if err := eachStatement(stmt, f); err != nil {
					return err
				}
			}
		}
		return nil
	}
	switch stmt := stmt.(type) {
	case *dolt.BeginEndBlock:
		return all(stmt.Statements)
	case *dolt.IfStatement:
		for _, c := range stmt.Conditions {
			if err := all(c.Statements); err != nil {
				return err
			}
		}
		return all(stmt.Else)
	case *dolt.CaseStatement:
		for _, c := range stmt.Cases {
			if err := all(c.Statements); err != nil {
				return err
			}
		}
		return all(stmt.Else)
	case *dolt.While:
		return all(stmt.Statements)
	case *dolt.Repeat:
		return all(stmt.Statements)
	case *dolt.Loop:
		return all(stmt.Statements)
	case *dolt.Declare:
		if stmt.Handler != nil {
			return eachStatement(stmt.Handler.Statement, f)
		}
		return nil
	}
	return f(stmt)
}

// bodyCheck looks through the body of a routine for what MySQL does not let one be made with.
type bodyCheck struct {
	labels []string        // of the blocks and loops around, innermost last
	loops  map[string]bool // those of loops
}

var undoHandler = regexp.MustCompile(`(?is)\bundo\s+handler\b.*`)

// checkBody refuses UNDO handlers, which MySQL's grammar has not, labels that are not there, and declarations out of order.
func checkBody(body dolt.Statement, text string) error {
	err := (&bodyCheck{loops: make(map[string]bool)}).statement(body)
	if err == errUndo {
		return mysqlError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '%s' at line 1", undoHandler.FindString(text))
	}
	return err
}

var errUndo = errUnsupported("UNDO handlers")

func (c *bodyCheck) all(statements dolt.Statements) error {
	for _, stmt := range statements {
		if err := c.statement(stmt); err != nil {
			return err
		}
	}
	return nil
}

// labelled checks statements within a block or loop of a label, "" for none.
func (c *bodyCheck) labelled(label string, isLoop bool, statements dolt.Statements) error {
	if label = strings.ToLower(label); label == "" {
		return c.all(statements)
	}
	if slices.Contains(c.labels, label) {
		return mysqlError(1309, "42000", "Redefining label %s", label)
	}
	c.labels = append(c.labels, label)
	c.loops[label] = isLoop
	err := c.all(statements)
	c.labels = c.labels[:len(c.labels)-1]
	return err
}

func (c *bodyCheck) statement(stmt dolt.Statement) error {
	switch stmt := stmt.(type) {
	case *dolt.BeginEndBlock:
		if err := declarationOrder(stmt.Statements); err != nil {
			return err
		}
		return c.labelled(stmt.Label, false, stmt.Statements)
	case *dolt.While:
		return c.labelled(stmt.Label, true, stmt.Statements)
	case *dolt.Repeat:
		return c.labelled(stmt.Label, true, stmt.Statements)
	case *dolt.Loop:
		return c.labelled(stmt.Label, true, stmt.Statements)
	case *dolt.IfStatement:
		for _, i := range stmt.Conditions {
			if err := c.all(i.Statements); err != nil {
				return err
			}
		}
		return c.all(stmt.Else)
	case *dolt.CaseStatement:
		for _, i := range stmt.Cases {
			if err := c.all(i.Statements); err != nil {
				return err
			}
		}
		return c.all(stmt.Else)
	case *dolt.Leave:
		if !slices.Contains(c.labels, strings.ToLower(stmt.Label)) {
			return mysqlError(1308, "42000", "LEAVE with no matching label: %s", stmt.Label)
		}
	case *dolt.Iterate:
		if label := strings.ToLower(stmt.Label); !slices.Contains(c.labels, label) || !c.loops[label] {
			return mysqlError(1308, "42000", "ITERATE with no matching label: %s", stmt.Label)
		}
	case *dolt.Declare:
		if stmt.Handler == nil {
			return nil
		}
		if stmt.Handler.Action == dolt.DeclareHandlerAction_Undo {
			return errUndo
		}
		// A handler does not see the labels around it.
		return (&bodyCheck{loops: make(map[string]bool)}).statement(stmt.Handler.Statement)
	}
	return nil
}

// declarationOrder refuses variables and conditions after cursors, and cursors after handlers.
func declarationOrder(statements dolt.Statements) error {
	cursors, handlers := false, false
	for _, stmt := range statements {
		d, ok := stmt.(*dolt.Declare)
		switch {
		case !ok:
			return nil
		case d.Handler != nil:
			handlers = true
		case d.Cursor != nil && handlers:
			return mysqlError(1338, "42000", "Cursor declaration after handler declaration")
		case d.Cursor != nil:
			cursors = true
		case cursors || handlers:
			return mysqlError(1337, "42000", "Variable or condition declaration after cursor or handler declaration")
		}
	}
	return nil
}
