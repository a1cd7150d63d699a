package sqlengine

import (
	"context"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Assigning a value to a column is MySQL's strictest conversion: what does not fit is an error under a strict SQL mode, and
// else a warning with the nearest value that does. The engine's own conversion wraps, drops or refuses at other places, so
// INSERT and UPDATE convert with assignment, and the engine finds values that fit already.
//
//	column       file
//	numbers      assignnumber.go
//	texts, bits  assigntext.go
//	times        assigntime.go
type assignment struct {
	child   sql.Expression
	column  string
	typ     sql.Type
	shape   *numberShape
	lenient bool // IGNORE: warnings in place of errors
	first   bool // the first value of its row, see sqlSession.givenRow
}

func (a *assignment) Resolved() bool             { return a.child.Resolved() }
func (a *assignment) String() string             { return a.child.String() }
func (a *assignment) Type() sql.Type             { return a.typ }
func (a *assignment) IsNullable() bool           { return a.child.IsNullable() }
func (a *assignment) Children() []sql.Expression { return []sql.Expression{a.child} }

func (a *assignment) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	c := *a
	c.child = children[0]
	return &c, nil
}

func (a *assignment) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	s := fromContext(ctx)
	if a.first {
		s.givenRow++
	}
	s.doubt = nil
	v, err := a.child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if s.doubt != nil && !a.lenient && s.strict() && (s.doubt.Code != 1365 || s.hasMode("ERROR_FOR_DIVISION_BY_ZERO")) {
		return nil, mysqlError(s.doubt.Code, doubtStates[s.doubt.Code], "%s", s.doubt.Message)
	}
	t := assignTarget{s: s, ctx: ctx, column: a.column, typ: a.typ, shape: a.shape, lenient: a.lenient || !s.strict()}
	return t.assign(v, givenType(a.child))
}

// doubtStates are the SQLSTATEs of warnings that are errors while a value is assigned under a strict SQL mode.
var doubtStates = map[int]string{1292: "22007", 1365: "22012", 1411: "HY000"}

// givenType is the type of a value that is assigned. Binary literals alone are numbers to numeric columns.
func givenType(e sql.Expression) sql.Type {
	typ := e.Type()
	if _, isLiteral := e.(*expression.Literal); !isLiteral && typ == types.LongBlob {
		return types.Blob
	}
	return typ
}

// assignTarget is a column that a value is assigned to.
type assignTarget struct {
	s       *sqlSession
	ctx     context.Context
	column  string
	typ     sql.Type
	shape   *numberShape
	lenient bool
}

// assign returns what the column keeps for a value of a type.
func (t *assignTarget) assign(v any, from sql.Type) (any, error) {
	v, err := sql.UnwrapAny(t.ctx, v)
	if v == nil || err != nil {
		return nil, err
	}
	switch typ := t.typ.(type) {
	case sql.EnumType:
		return t.assignEnum(v, from, typ)
	case sql.SetType:
		return t.assignSet(v, from, typ)
	case sql.NumberType:
		return t.assignNumber(v, from, typ)
	case sql.DecimalType:
		return t.assignDecimal(v, from, typ)
	case sql.StringType:
		return t.assignText(v, from, typ)
	case sql.DatetimeType:
		return t.assignDatetime(v, from, typ)
	case types.TimeType:
		return t.assignSpan(v, from)
	case types.YearType_:
		return t.assignYear(v, from)
	}
	return t.assignOther(v, from)
}

// assignOther leaves JSON and spatial columns to the engine's conversion.
func (t *assignTarget) assignOther(v any, from sql.Type) (any, error) {
	given := v
	if _, isBit := bitColumn(t.typ); isBit {
		return t.assignBits(v, from)
	}
	if _, isText := plainString(t.typ); !isText {
		v = textOfNamed(v, from)
	}
	conv, inRange, err := t.typ.Convert(t.ctx, v)
	if err == nil && bool(inRange) {
		return conv, nil
	}
	if failure := t.s.valueErrorOf(t.column, t.typ, given, err); failure != nil {
		zero, _, _ := t.typ.Convert(t.ctx, t.typ.Zero())
		return t.refuse(failure, zero)
	}
	return nil, sql.NewWrappedTypeConversionError(given, 0, err)
}

// refuse is the error, or a warning and the value in its place.
func (t *assignTarget) refuse(err error, instead any) (any, error) {
	if !t.lenient {
		return nil, err
	}
	t.s.warnError("Warning", err)
	return instead, nil
}

// strict reports whether the SQL mode refuses values that do not fit.
func (s *sqlSession) strict() bool { return s.hasMode("STRICT_TRANS_TABLES", "STRICT_ALL_TABLES") }

// mode is the SQL mode.
func (s *sqlSession) mode() string {
	v, _ := s.variable("sql_mode")
	shown, _ := shownValue(v)
	text, ok := shown.(string)
	if !ok {
		return defaultSQLMode
	}
	return text
}

// hasMode reports whether one of the modes is in the SQL mode.
func (s *sqlSession) hasMode(modes ...string) bool {
	for _, has := range strings.Split(strings.ToUpper(s.mode()), ",") {
		for _, m := range modes {
			if has == m {
				return true
			}
		}
	}
	return false
}

// assigns has the INSERTs and UPDATEs of an analysed plan convert by assignment, and rows of INSERT fire triggers.
func assigns(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	n, _, err := transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		switch n := n.(type) {
		case *plan.InsertInto:
			assigned, err := assignInsert(ctx, n)
			if err != nil {
				return nil, transform.SameTree, err
			}
			firing, err := fireInsert(ctx, assigned)
			return firing, transform.NewTree, err
		case *plan.Truncate:
			if table, ok := n.Child.(sql.NameableNode); ok && fromContext(ctx).shard.hasTriggers(table.Name()) {
				return plan.NewDeleteFrom(n.Child, nil), transform.NewTree, nil
			}
		case *plan.UpdateSource:
			sets, err := assignSets(n.UpdateExprs, n.Child.Schema(), n.Ignore)
			if err != nil {
				return nil, transform.SameTree, err
			}
			assigned, err := n.WithExpressions(countRow(sets)...)
			return assigned, transform.NewTree, err
		}
		return n, transform.SameTree, nil
	})
	return n, err
}

func assignInsert(ctx *sql.Context, n *plan.InsertInto) (*plan.InsertInto, error) {
	source, err := assignSource(n.Source, n.Destination.Schema(), n.Ignore)
	if err != nil {
		return nil, err
	}
	c := *n
	c.Source, c.Destination = source, referencesLast(n.Destination)
	if c.OnDupExprs, err = assignSets(n.OnDupExprs, n.Destination.Schema(), n.Ignore); err != nil {
		return nil, err
	}
	target, err := plan.GetInsertable(n.Destination)
	if err != nil {
		return nil, err
	}
	c.OnDupExprs, err = completeUpdate(c.OnDupExprs, n.Destination.Schema(), fromContext(ctx).firing(target.Name(), updateEvent))
	return &c, err
}

// assignSource converts what an INSERT reads: a projection to the table's columns of VALUES or of a query.
func assignSource(n sql.Node, schema sql.Schema, lenient bool) (sql.Node, error) {
	project, ok := n.(*plan.Project)
	if !ok || len(project.Projections) != len(schema) {
		return n, nil
	}
	values, isValues := project.Child.(*plan.Values)
	given := project.Child.Schema()
	columns := make(sql.Schema, len(given))
	fresh := append([]sql.Expression(nil), project.Projections...)
	for i, e := range fresh {
		auto, isAuto := e.(*expression.AutoIncrement)
		if isAuto {
			e = auto.Child
		}
		field, ok := e.(*expression.GetField)
		if !ok || field.Index() >= len(given) {
			continue
		}
		if isValues {
			columns[field.Index()] = schema[i]
			continue
		}
		source := expression.NewGetField(field.Index(), given[field.Index()].Type, field.Name(), true)
		fresh[i] = &assignment{child: source, column: schema[i].Name, typ: schema[i].Type, shape: shapeOf(schema[i]), lenient: lenient}
		if isAuto {
			again, err := auto.WithChildren(fresh[i])
			if err != nil {
				return nil, err
			}
			fresh[i] = again
		}
	}
	if !isValues {
		return project.WithExpressions(countRow(fresh)...)
	}
	c := *values
	c.ExpressionTuples = make([][]sql.Expression, len(values.ExpressionTuples))
	for i, tuple := range values.ExpressionTuples {
		c.ExpressionTuples[i] = countRow(assignTuple(tuple, columns, lenient))
	}
	return project.WithChildren(&c)
}

func assignTuple(tuple []sql.Expression, columns sql.Schema, lenient bool) []sql.Expression {
	fresh := append([]sql.Expression(nil), tuple...)
	for i, e := range tuple {
		if i < len(columns) && columns[i] != nil && !isDefaultValue(e) {
			fresh[i] = &assignment{child: e, column: columns[i].Name, typ: columns[i].Type, shape: shapeOf(columns[i]), lenient: lenient}
		}
	}
	return fresh
}

// countRow has the first assignment of a row count it.
func countRow(row []sql.Expression) []sql.Expression {
	for _, e := range row {
		if auto, ok := e.(*expression.AutoIncrement); ok {
			e = auto.Child
		}
		if set, ok := e.(*expression.SetField); ok {
			e = set.RightChild
		}
		if a, ok := e.(*assignment); ok {
			a.first = true
			break
		}
	}
	return row
}

// assignSets converts the values of SET. The schema is that of the rows they are for.
func assignSets(sets []sql.Expression, schema sql.Schema, lenient bool) ([]sql.Expression, error) {
	fresh := append([]sql.Expression(nil), sets...)
	for i, e := range sets {
		set, ok := e.(*expression.SetField)
		if !ok || isDefaultValue(set.RightChild) {
			continue
		}
		field, ok := set.LeftChild.(*expression.GetField)
		if !ok {
			continue
		}
		right := &assignment{child: set.RightChild, column: field.Name(), typ: field.Type(), lenient: lenient}
		if at := columnOf(schema, field); at >= 0 {
			right.shape = shapeOf(schema[at])
		}
		again, err := set.WithChildren(set.LeftChild, right)
		if err != nil {
			return nil, err
		}
		fresh[i] = again
	}
	return fresh, nil
}

// columnOf finds the column of a schema that an expression reads, -1 if it is none.
func columnOf(schema sql.Schema, field *expression.GetField) int {
	return slices.IndexFunc(schema, func(c *sql.Column) bool {
		return strings.EqualFold(c.Name, field.Name()) && strings.EqualFold(c.Source, field.Table())
	})
}

// isDefaultValue reports whether a value is the column's own default, which fits.
func isDefaultValue(e sql.Expression) bool {
	switch w := e.(type) {
	case *sql.ColumnDefaultValue, *expression.DefaultColumn:
		return true
	case *expression.Wrapper:
		return w.Unwrap() == nil || isDefaultValue(w.Unwrap())
	}
	return e == nil
}
