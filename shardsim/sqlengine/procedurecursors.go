package sqlengine

import (
	"strings"

	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/sqltypes"
)

// procedureCursor is a declared cursor. Its rows are read when it is opened.
type procedureCursor struct {
	query  string
	open   bool
	result *sqltypes.Result
	at     int
}

func (r *procedureRun) cursor(name string) (*procedureCursor, error) {
	for i := len(r.scopes) - 1; i >= 0; i-- {
		if c := r.scopes[i].cursors[strings.ToLower(name)]; c != nil {
			return c, nil
		}
	}
	return nil, mysqlError(1324, "42000", "Undefined CURSOR: %s", name)
}

func (r *procedureRun) openCursor(name string) error {
	c, err := r.cursor(name)
	if err != nil {
		return err
	}
	if c.open {
		return mysqlError(1325, "24000", "Cursor is already open")
	}
	c.result, err = r.query(c.query)
	c.open, c.at = err == nil, 0
	return err
}

func (r *procedureRun) closeCursor(name string) error {
	c, err := r.cursor(name)
	if err == nil && !c.open {
		err = mysqlError(1326, "24000", "Cursor is not open")
	}
	if err == nil {
		c.open, c.result = false, nil
	}
	return err
}

// noData is the condition that NOT FOUND stands for.
func noData() error {
	return mysqlError(1329, "02000", "No data - zero rows fetched, selected, or processed")
}

func (r *procedureRun) fetch(stmt *dolt.FetchCursor) error {
	c, err := r.cursor(stmt.Name)
	switch {
	case err != nil:
		return err
	case !c.open:
		return mysqlError(1326, "24000", "Cursor is not open")
	case len(stmt.Variables) != len(c.result.Fields):
		return mysqlError(1328, "HY000", "Incorrect number of FETCH variables")
	case c.at == len(c.result.Rows):
		return noData()
	}
	row := c.result.Rows[c.at]
	c.at++
	return r.assignAll(stmt.Variables, row)
}

func (r *procedureRun) assignAll(names []string, row sqltypes.Row) error {
	for i, name := range names {
		if err := r.assignNamed(name, row[i]); err != nil {
			return err
		}
	}
	return nil
}

// selectInto runs SELECT ... INTO. No row is a condition that is a warning if nothing handles it.
func (r *procedureRun) selectInto(stmt *dolt.Select) error {
	if stmt.Into.Outfile != "" || stmt.Into.Dumpfile != "" {
		return errUnsupported("SELECT ... INTO OUTFILE")
	}
	plain := *stmt
	plain.Into = nil
	names := make([]string, len(stmt.Into.Variables))
	for i, v := range stmt.Into.Variables {
		names[i] = v.String()
		if !strings.HasPrefix(names[i], "@") && r.variable(names[i]) == nil {
			return mysqlError(1327, "42000", "Undeclared variable: %s", names[i])
		}
	}
	result, err := r.query(dolt.String(&plain))
	if err != nil {
		return err
	}
	switch {
	case len(names) != len(result.Fields):
		return mysqlError(1222, "21000", "The used SELECT statements have a different number of columns")
	case len(result.Rows) > 1:
		return mysqlError(1172, "42000", "Result consisted of more than one row")
	case len(result.Rows) == 0:
		return &softCondition{noData()}
	}
	r.result = &sqltypes.Result{RowsAffected: 1}
	return r.assignAll(names, result.Rows[0])
}

// softCondition is a condition that is a warning where no handler is for it.
type softCondition struct{ error }

func (c *softCondition) Unwrap() error { return c.error }
