package sqlengine

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// definition is an expression that a table is defined with, and what MySQL says of its mistakes.
type definition struct {
	expr sqlparser.Expr
	name string // of the column or check
	// Numbers and texts of the errors, with %s for the name; a function's name follows in named.
	named, unnamed, variables mistake
}

type mistake struct {
	num  int
	text string
}

func (m mistake) err(args ...any) error { return mysqlError(m.num, "HY000", m.text, args...) }

func generatedBy(c *sqlparser.ColumnDefinition) definition {
	return definition{expr: c.Type.Options.As, name: c.Name.String(),
		named:     mistake{3763, "Expression of generated column '%s' contains a disallowed function: %s."},
		unnamed:   mistake{3102, "Expression of generated column '%s' contains a disallowed function."},
		variables: mistake{3765, "Expression of generated column '%s' cannot refer user or system variables."},
	}
}

func defaultOf(c *sqlparser.ColumnDefinition) definition {
	return definition{expr: c.Type.Options.Default, name: c.Name.String(),
		unnamed:   mistake{3769, "Default value expression of column '%s' contains a disallowed function."},
		variables: mistake{3772, "Default value expression of column '%s' cannot refer user or system variables."},
	}
}

func checkOf(name string, check *sqlparser.CheckConstraintDefinition) definition {
	return definition{expr: check.Expr, name: name,
		named:     mistake{3814, "An expression of a check constraint '%s' contains disallowed function: %s."},
		unnamed:   mistake{3815, "An expression of a check constraint '%s' contains disallowed function."},
		variables: mistake{3816, "An expression of a check constraint '%s' cannot refer to a user or system variable."},
	}
}

// volatileFunctions give other values another time: generated columns and checks cannot hold them.
var volatileFunctions = map[string]string{
	"rand": "rand", "uuid": "uuid", "uuid_short": "uuid_short", "random_bytes": "random_bytes", "connection_id": "connection_id",
	"user": "user", "session_user": "user", "system_user": "user", "database": "database", "schema": "database", "version": "version",
	"last_insert_id": "last_insert_id", "row_count": "row_count", "found_rows": "found_rows", "sleep": "sleep", "benchmark": "benchmark",
	"load_file": "load_file", "get_lock": "get_lock", "release_lock": "release_lock", "is_free_lock": "is_free_lock",
	"is_used_lock": "is_used_lock", "now": "now", "current_timestamp": "now", "localtime": "now", "localtimestamp": "now",
	"sysdate": "sysdate", "curdate": "curdate", "current_date": "curdate", "curtime": "curtime", "current_time": "curtime",
	"utc_date": "utc_date", "utc_time": "utc_time", "utc_timestamp": "utc_timestamp", "current_user": "current_user",
}

// check refuses what no table can be defined with.
func (d definition) check() (refused error) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		function := ""
		switch node := node.(type) {
		case *sqlparser.Subquery:
			refused = d.unnamed.err(d.name)
		case *sqlparser.Variable:
			refused = d.variables.err(d.name)
		case sqlparser.AggrFunc:
			refused = mysqlError(1111, "HY000", "Invalid use of group function")
		case *sqlparser.FuncExpr:
			function = volatileFunctions[node.Name.Lowered()]
		case *sqlparser.CurTimeFuncExpr:
			function = volatileFunctions[node.Name.Lowered()]
		}
		if function != "" && d.named.num != 0 {
			refused = d.named.err(d.name, function)
		}
		return refused == nil, nil
	}, d.expr)
	return refused
}

// columns returns the names of the columns that the expression is made of.
func (d definition) columns() []sqlparser.IdentifierCI {
	var names []sqlparser.IdentifierCI
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if col, ok := node.(*sqlparser.ColName); ok {
			names = append(names, col.Name)
		}
		return true, nil
	}, d.expr)
	return names
}

// definedColumn is what expressions of other columns may want to know of a column.
type definedColumn struct {
	generated, counts bool
	later             bool // it is defined after the column that is checked, or is that
}

// checkDefinitions refuses the expressions of columns and checks, given the columns that there are, by lower-case name.
func checkDefinitions(spec *sqlparser.TableSpec, table string) error {
	columns := make(map[string]definedColumn)
	for _, c := range spec.Columns {
		opts := c.Type.Options
		columns[c.Name.Lowered()] = definedColumn{later: true, generated: opts != nil && opts.As != nil, counts: opts != nil && opts.Autoincrement}
	}
	for _, c := range spec.Columns {
		if err := checkColumnExpressions(c, columns); err != nil {
			return err
		}
		seen := columns[c.Name.Lowered()]
		seen.later = false
		columns[c.Name.Lowered()] = seen
	}
	unnamed := 0
	for _, c := range spec.Constraints {
		check, ok := c.Details.(*sqlparser.CheckConstraintDefinition)
		if !ok {
			continue
		}
		name := c.Name.String()
		if name == "" {
			unnamed++
			name = checkName(table, unnamed)
		}
		if err := checkOf(name, check).checkColumns(columns); err != nil {
			return err
		}
	}
	return nil
}

// checkColumnExpressions refuses a generated column or default by what it is made of.
func checkColumnExpressions(c *sqlparser.ColumnDefinition, columns map[string]definedColumn) error {
	opts := c.Type.Options
	if opts == nil {
		return nil
	}
	if opts.As != nil {
		d := generatedBy(c)
		if err := d.check(); err != nil {
			return err
		}
		for _, name := range d.columns() {
			used, known := columns[name.Lowered()]
			switch {
			case !known:
				return mysqlError(1054, "42S22", "Unknown column '%s' in 'generated column function'", name.String())
			case used.counts:
				return mysqlError(3109, "HY000", "Generated column '%s' cannot refer to auto-increment column.", c.Name.String())
			case used.later && used.generated:
				return mysqlError(3107, "HY000", "Generated column can refer only to generated columns defined prior to it.")
			}
		}
	}
	if opts.Default != nil && !opts.DefaultLiteral {
		d := defaultOf(c)
		if err := d.check(); err != nil {
			return err
		}
		for _, name := range d.columns() {
			used, known := columns[name.Lowered()]
			switch {
			case !known:
				return mysqlError(1054, "42S22", "Unknown column '%s' in 'default value expression'", name.String())
			case used.counts:
				return mysqlError(3768, "HY000", "Default value expression of column '%s' cannot refer to an auto-increment column.", c.Name.String())
			}
		}
	}
	return nil
}

// checkColumns is check of a check constraint, and of its columns.
func (d definition) checkColumns(columns map[string]definedColumn) error {
	if err := d.check(); err != nil {
		return err
	}
	for _, name := range d.columns() {
		used, known := columns[name.Lowered()]
		switch {
		case !known:
			return mysqlError(3820, "HY000", "Check constraint '%s' refers to non-existing column '%s'.", d.name, name.String())
		case used.counts:
			return mysqlError(3818, "HY000", "Check constraint '%s' cannot refer to an auto-increment column.", d.name)
		}
	}
	return nil
}

// definedColumns are the columns of a table that is there.
func (m *tableMeta) definedColumns() map[string]definedColumn {
	columns := make(map[string]definedColumn)
	for _, c := range m.columns {
		columns[strings.ToLower(c.Name)] = definedColumn{generated: c.Generated != nil, counts: c.AutoIncrement}
	}
	return columns
}
