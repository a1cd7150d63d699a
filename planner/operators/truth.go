package operators

import (
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// numberFunctions take numbers.
var numberFunctions = map[string]bool{
	"abs": true, "sign": true, "floor": true, "ceil": true, "ceiling": true, "round": true, "truncate": true,
}

// asNumbers adds 0 to members of ENUM and SET, and to dates and times, where their number is meant: whether they are true, and in
// functions of numbers. The evaluation engine has no numbers of them there.
//
//	e AND round(t, 1)   ->   e + 0 AND round(t + 0, 1)
func asNumbers(ctx *Context, expr sqlparser.Expr) sqlparser.Expr {
	return sqlparser.CopyOnRewrite(expr, nil, func(c *sqlparser.CopyOnWriteCursor) {
		switch e := c.Node().(type) {
		case *sqlparser.AndExpr:
			replaceNode(c, e, &sqlparser.AndExpr{Left: ctx.truth(e.Left), Right: ctx.truth(e.Right)})
		case *sqlparser.OrExpr:
			replaceNode(c, e, &sqlparser.OrExpr{Left: ctx.truth(e.Left), Right: ctx.truth(e.Right)})
		case *sqlparser.XorExpr:
			replaceNode(c, e, &sqlparser.XorExpr{Left: ctx.truth(e.Left), Right: ctx.truth(e.Right)})
		case *sqlparser.NotExpr:
			replaceNode(c, e, &sqlparser.NotExpr{Expr: ctx.truth(e.Expr)})
		case *sqlparser.IsExpr:
			if e.Right != sqlparser.IsNullOp && e.Right != sqlparser.IsNotNullOp {
				replaceNode(c, e, &sqlparser.IsExpr{Left: ctx.truth(e.Left), Right: e.Right})
			}
		case *sqlparser.CaseExpr:
			c.Replace(ctx.truthOfCases(e))
		case *sqlparser.UnaryExpr:
			if e.Operator == sqlparser.UMinusOp && ctx.hasNumber(e.Expr, true) {
				c.Replace(&sqlparser.UnaryExpr{Operator: e.Operator, Expr: plusZero(e.Expr)})
			}
		case *sqlparser.FuncExpr:
			c.Replace(ctx.numberArguments(e))
		}
	}, ctx.Sem.CopySemanticInfo).(sqlparser.Expr)
}

// replaceNode replaces an expression unless it stayed as it is.
func replaceNode(c *sqlparser.CopyOnWriteCursor, before, after sqlparser.Expr) {
	if !sqlparser.Equals.Expr(before, after) {
		c.Replace(after)
	}
}

// truth is an expression of which only matters whether it is true.
func (ctx *Context) truth(e sqlparser.Expr) sqlparser.Expr {
	if ctx.hasNumber(e, false) {
		return plusZero(e)
	}
	return e
}

// truthOfCases is a CASE without a value to compare: its branches have conditions.
func (ctx *Context) truthOfCases(e *sqlparser.CaseExpr) *sqlparser.CaseExpr {
	if e.Expr != nil {
		return e
	}
	fresh := &sqlparser.CaseExpr{Else: e.Else}
	changed := false
	for _, when := range e.Whens {
		changed = changed || ctx.hasNumber(when.Cond, false)
		fresh.Whens = append(fresh.Whens, &sqlparser.When{Cond: ctx.truth(when.Cond), Val: when.Val})
	}
	if !changed {
		return e
	}
	return fresh
}

// numberArguments is a call whose first argument is a number, or the condition of IF.
func (ctx *Context) numberArguments(f *sqlparser.FuncExpr) *sqlparser.FuncExpr {
	isNumber := numberFunctions[f.Name.Lowered()]
	if len(f.Exprs) == 0 || !isNumber && !f.Name.EqualString("if") || !ctx.hasNumber(f.Exprs[0], isNumber) {
		return f
	}
	fresh := *f
	fresh.Exprs = append([]sqlparser.Expr{plusZero(f.Exprs[0])}, f.Exprs[1:]...)
	return &fresh
}

// hasNumber reports whether an expression is of ENUM or SET, or of dates and times where these are meant too.
func (ctx *Context) hasNumber(e sqlparser.Expr, times bool) bool {
	if at, ok := e.(*sqlparser.Offset); ok {
		e = at.Original
	}
	typ, ok := ctx.TypeOf(e)
	if !ok {
		return false
	}
	switch typ.Type() {
	case sqltypes.Enum, sqltypes.Set:
		return true
	}
	return times && sqltypes.IsDateOrTime(typ.Type())
}

func plusZero(e sqlparser.Expr) sqlparser.Expr {
	return &sqlparser.BinaryExpr{Operator: sqlparser.PlusOp, Left: e, Right: sqlparser.NewIntLiteral("0")}
}
