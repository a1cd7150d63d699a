package sqlengine

import (
	"context"
	"reflect"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Tier 2 is tier 1 with columns that the engine computes: its analysed expressions, made once for a statement, run over the
// rows that tier 1 finds. The rows of a plan are longer then:
//
//	row  [ tables' columns | computed columns | bind variables ]
//
//	SELECT lower(name) FROM t WHERE id = :a AND price * 2 > :b
//	       computed 0          key         computed 1, a filter
//
// A bind variable is a column to the engine, so that nothing of one execution stays in an expression. What the engine makes
// of an expression may depend on which parts are constant: those where it would differ are left to tier 3, as are all that
// isScalar does not name. Plans with computed columns are made when a statement comes the second time.

// computation is a computed column.
type computation struct {
	ast    sqlparser.Expr
	expr   sql.Expression
	filter bool // nothing but a filter has it: it has no value in rows
}

// parameter is a bind variable of computed columns. Plans are for its type.
type parameter struct {
	name string
	typ  sql.Type
	date bool // compared with a date: one that is none is an error
	time bool // compared with a time: the long way reads it
}

// making is what there is while a plan is made.
type making struct {
	ctx     context.Context
	session *Session
	binds   binds
	scope   []pointTable          // the tables whose columns may be named
	from    []sqlparser.TableExpr // of a SELECT
	first   bool                  // the statement has not come before
	later   bool                  // another execution may have a plan
}

// columnOrComputed returns the position of a plain column or of one that the engine can compute, or -1.
func (p *pointPlan) columnOrComputed(e sqlparser.Expr) int {
	if at := p.column(e); at >= 0 {
		return at
	}
	i := p.computation(e)
	if i < 0 {
		return -1
	}
	p.computed[i].filter = false
	return p.width + i
}

// computation returns the number of the computed column that an expression is, or -1.
func (p *pointPlan) computation(e sqlparser.Expr) int {
	for i := range p.computed {
		if sqlparser.Equals.Expr(p.computed[i].ast, e) {
			return i
		}
	}
	if p.making.from == nil || p.making.session.sql.GetCollation() != defaultCollation || !p.isScalar(e) {
		return -1
	}
	if p.making.first {
		p.making.later = true
		return -1
	}
	expr, ok := p.compute(e)
	if !ok {
		return -1
	}
	p.computed = append(p.computed, computation{e, expr, true})
	p.columns = append(p.columns, &sql.Column{Type: expr.Type(), Nullable: true})
	return len(p.computed) - 1
}

// scalarFunctions are functions of their arguments alone, which keep nothing between two calls.
var scalarFunctions = map[string]bool{
	"abs": true, "ceil": true, "ceiling": true, "floor": true, "round": true, "sign": true, "mod": true, "sqrt": true, "pow": true, "power": true,
	"coalesce": true, "ifnull": true, "if": true, "nullif": true, "greatest": true, "least": true, "isnull": true,
	"concat": true, "concat_ws": true, "lower": true, "lcase": true, "upper": true, "ucase": true, "length": true, "char_length": true,
	"left": true, "right": true, "replace": true, "reverse": true, "repeat": true, "lpad": true, "rpad": true, "instr": true, "hex": true,
	"date": true, "year": true, "month": true, "day": true, "dayofmonth": true, "dayofweek": true, "dayofyear": true, "hour": true,
	"minute": true, "second": true, "datediff": true, "to_days": true, "unix_timestamp": true, "date_format": true, "quarter": true,
	"md5": true, "sha1": true, "sha2": true, "crc32": true,
}

// typedByKind are those whose type depends on the kinds of their arguments alone, so that these may be bind variables.
var typedByKind = map[string]bool{
	"coalesce": true, "ifnull": true, "if": true, "nullif": true, "concat": true, "concat_ws": true, "lower": true, "upper": true, "replace": true, "instr": true,
}

func isArgument(node sqlparser.SQLNode) bool {
	_, is := node.(*sqlparser.Argument)
	return is
}

// isScalar reports whether an expression is of kinds that are computed row by row.
func (p *pointPlan) isScalar(e sqlparser.Expr) bool {
	ok := true
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.ColName:
			ok = ok && p.column(node) >= 0
			return false, nil
		case *sqlparser.FuncExpr:
			name := node.Name.Lowered()
			ok = ok && node.Qualifier.IsEmpty() && scalarFunctions[name] && (typedByKind[name] || !slices.ContainsFunc(node.Exprs, func(e sqlparser.Expr) bool { return isArgument(e) }))
		case *sqlparser.ComparisonExpr:
			ok = ok && node.Modifier == sqlparser.Missing && node.Operator != sqlparser.RegexpOp && node.Operator != sqlparser.NotRegexpOp
		case *sqlparser.BinaryExpr:
			switch node.Operator {
			case sqlparser.PlusOp, sqlparser.MinusOp, sqlparser.MultOp:
			case sqlparser.DivOp, sqlparser.IntDivOp, sqlparser.ModOp:
				ok = ok && !isArgument(node.Left) && !isArgument(node.Right)
			default:
				ok = false
			}
		case *sqlparser.Literal, *sqlparser.Argument, *sqlparser.NullVal, sqlparser.BoolVal, *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.NotExpr,
			*sqlparser.XorExpr, *sqlparser.IsExpr, *sqlparser.BetweenExpr, *sqlparser.UnaryExpr, sqlparser.ValTuple,
			*sqlparser.CaseExpr, *sqlparser.When, *sqlparser.SubstrExpr, *sqlparser.ConvertExpr, *sqlparser.ConvertType,
			*sqlparser.CurTimeFuncExpr, *sqlparser.IntervalDateExpr, sqlparser.IdentifierCI, sqlparser.IdentifierCS:
		default:
			ok = false
		}
		return ok, nil
	}, e)
	return ok
}

// compute has the engine make the expression twice, with bind variables as columns and as the constants they are now, and
// takes it if that is the same.
func (p *pointPlan) compute(e sqlparser.Expr) (sql.Expression, bool) {
	literals, err := p.making.session.sql.bindExpressions(p.making.binds)
	if err != nil {
		return nil, false
	}
	columns := make(map[string]sql.Expression, len(literals))
	for name := range p.making.binds {
		literal, ok := bareLiteral(literals[name])
		if !ok || !mentionsArgument(e, name) {
			continue
		}
		typ := literal.Type()
		if _, isDecimal := typ.(sql.DecimalType); !isDecimal && typ != types.Int64 && typ != types.Uint64 && typ != types.Float64 && typ != defaultTextType {
			p.making.later = true
			return nil, false
		}
		columns[name] = &parameterColumn{expression.NewGetField(p.parameter(name, typ), typ, ":"+name, true)}
	}
	computed, ok := p.bound(e, columns)
	if !ok {
		return nil, false
	}
	if len(columns) > 0 {
		if constant, ok := p.bound(e, literals); !ok || !sameButConstants(computed, constant) {
			return nil, false
		}
	}
	return computed, p.checkDates(computed)
}

// checkDates marks the parameters beside dates. It returns false for numbers there, what they mean depends on their values,
// and for other columns, whose values need not be dates.
func (p *pointPlan) checkDates(e sql.Expression) bool {
	children := e.Children()
	if in, ok := e.(expression.Comparer); ok && len(children) == 2 {
		if list, ok := in.Right().(expression.Tuple); ok {
			children = append(expression.Tuple{in.Left()}, list...)
		}
	}
	dates := slices.ContainsFunc(children, func(c sql.Expression) bool { return c != nil && isDate(c.Type()) })
	times := slices.ContainsFunc(children, func(c sql.Expression) bool { return c != nil && isTime(c.Type()) })
	for _, c := range children {
		if c == nil {
			continue
		}
		param, isParam := c.(*parameterColumn)
		_, isConstant := c.(*expression.Literal)
		if dates && !isDate(c.Type()) && (isNumeric(c.Type()) || !isParam && !isConstant) {
			return false
		}
		if isParam {
			of := &p.parameters[param.field.Index()-firstParameter]
			of.date, of.time = of.date || dates, of.time || times
		}
		if !p.checkDates(c) {
			return false
		}
	}
	return true
}

func mentionsArgument(e sqlparser.Expr, name string) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		arg, ok := node.(*sqlparser.Argument)
		found = found || ok && arg.Name == name
		return !found, nil
	}, e)
	return found
}

// firstParameter is where positions of parameters begin until the plan is done: it is not yet known how many columns there are.
const firstParameter = 1 << 20

// parameter returns the position of a bind variable in the rows.
func (p *pointPlan) parameter(name string, typ sql.Type) int {
	for i := range p.parameters {
		if p.parameters[i].name == name {
			return firstParameter + i
		}
	}
	p.parameters = append(p.parameters, parameter{name: name, typ: typ})
	return firstParameter + len(p.parameters) - 1
}

// bound is an expression over the plan's rows, as an analysed plan has it.
func (p *pointPlan) bound(e sqlparser.Expr, binds map[string]sql.Expression) (sql.Expression, bool) {
	m := p.making
	sel := &sqlparser.Select{From: m.from, SelectExprs: &sqlparser.SelectExprs{Exprs: []sqlparser.SelectExpr{&sqlparser.AliasedExpr{Expr: e}}}}
	text := engineText(sel, nil)
	ctx := sql.NewContext(m.ctx, sql.WithSession(m.session.sql), sql.WithQuery(text))
	stmt, err := parseEngine(ctx, text)
	if err != nil {
		return nil, false
	}
	builder := planbuilder.New(ctx, p.shard.engine.analyzer.Catalog, nil, nil)
	builder.SetBindingsWithExpr(binds)
	node, _, err := builder.BindOnly(stmt, text, nil)
	if err != nil {
		return nil, false
	}
	if node, err = settle(ctx, node); err != nil {
		return nil, false
	}
	if node, err = settleComparisons(ctx, node); err != nil {
		return nil, false
	}
	project, ok := node.(*plan.Project)
	if !ok || len(project.Projections) != 1 {
		return nil, false
	}
	expr := project.Projections[0]
	if alias, ok := expr.(*expression.Alias); ok {
		expr = alias.Child
	}
	expr, _, err = transform.Expr(expr, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		field, ok := e.(*expression.GetField)
		if !ok || field.Table() == "" {
			return e, transform.SameTree, nil
		}
		at := p.columnOf(field.Table(), field.Name())
		if at < 0 {
			return nil, transform.SameTree, sql.ErrColumnNotFound.New(field.Name())
		}
		return expression.NewGetField(at, field.Type(), field.Name(), field.IsNullable()), transform.NewTree, nil
	})
	return expr, err == nil
}

// finishComputed gives parameters their positions behind all columns.
func (p *pointPlan) finishComputed() error {
	for i := range p.computed {
		expr, _, err := transform.Expr(p.computed[i].expr, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			field, ok := e.(*expression.GetField)
			if !ok || field.Index() < firstParameter {
				return e, transform.SameTree, nil
			}
			at := len(p.columns) + field.Index() - firstParameter
			return expression.NewGetField(at, field.Type(), field.Name(), true), transform.NewTree, nil
		})
		if err != nil {
			return err
		}
		p.computed[i].expr = expr
	}
	return nil
}

// sameButConstants reports whether two expressions differ in nothing but that one has columns for the constants of the other.
func sameButConstants(a, constant sql.Expression) bool {
	if _, isParameter := a.(*parameterColumn); isParameter {
		literal, ok := constant.(*expression.Literal)
		return ok && literal.Type().Equals(a.Type())
	}
	left, right := a.Children(), constant.Children()
	if reflect.TypeOf(a) != reflect.TypeOf(constant) || len(left) != len(right) || !a.Type().Equals(constant.Type()) {
		return false
	}
	for i := range left {
		if left[i] == nil || right[i] == nil {
			return left[i] == nil && right[i] == nil
		}
		if !sameButConstants(left[i], right[i]) {
			return false
		}
	}
	return true
}

// parameterColumn is a bind variable: to those who ask whether an expression is constant a column, in a comparison of texts a
// literal.
type parameterColumn struct{ field *expression.GetField }

func (c *parameterColumn) Resolved() bool             { return true }
func (c *parameterColumn) String() string             { return c.field.String() }
func (c *parameterColumn) Type() sql.Type             { return c.field.Type() }
func (c *parameterColumn) IsNullable() bool           { return true }
func (c *parameterColumn) Children() []sql.Expression { return []sql.Expression{c.field} }

func (c *parameterColumn) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	return &parameterColumn{children[0].(*expression.GetField)}, nil
}

func (c *parameterColumn) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	return c.field.Eval(ctx, row)
}

// CollationCoercibility implements sql.CollationCoercible as literals do.
func (c *parameterColumn) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return expression.NewLiteral("", c.Type()).CollationCoercibility(ctx)
}

// addParameters appends the bind variables to a row. It returns false if the plan is for others.
func (p *pointPlan) addParameters(ctx *sql.Context, s *Session, row []any, binds binds) ([]any, bool) {
	for i := range p.parameters {
		bv := binds[p.parameters[i].name]
		if bv == nil {
			return nil, false
		}
		v, typ, err := s.sql.bindValue(bv.Type, bv.Value)
		if err != nil || !typ.Equals(p.parameters[i].typ) {
			return nil, false
		}
		if p.parameters[i].date {
			if _, _, err := types.DatetimeMaxPrecision.Convert(ctx, v); err != nil {
				return nil, false
			}
		}
		if text, ok := v.(string); ok && p.parameters[i].time {
			// The engine does not read all forms of times.
			if _, _, err := types.Time.Convert(ctx, text); err != nil {
				return nil, false
			}
		}
		row = append(row, v)
	}
	return row, len(p.computed) == 0 || s.sql.GetCollation() == defaultCollation
}

// computeError is the engine's error of a computed column.
type computeError struct{ error }

func (e computeError) Unwrap() error { return e.error }

// isTrue evaluates a computed condition.
func (c *computation) isTrue(ctx *sql.Context, row []any) (bool, error) {
	v, err := sql.EvaluateCondition(ctx, filterNumber(c.expr), row)
	if err != nil {
		return false, computeError{err}
	}
	return sql.IsTrue(v), nil
}

// value is the column's, as one of its type has it.
func (c *computation) value(ctx *sql.Context, row []any) (any, error) {
	v, err := c.expr.Eval(ctx, row)
	if number, ok := c.expr.Type().(sql.NumberType); ok && err == nil && v != nil {
		v, _, err = number.Convert(ctx, v)
	}
	if err != nil {
		return nil, computeError{err}
	}
	return positiveZero(v), nil
}

// positiveZero is a number without the sign of a zero, which the engine takes from its results as well.
func positiveZero(v any) any {
	switch n := v.(type) {
	case float32:
		return n + 0
	case float64:
		return n + 0
	}
	return v
}
