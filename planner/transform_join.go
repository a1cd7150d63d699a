package planner

import (
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/operators"
)

func (b *builder) applyJoin(ctx *operators.Context, op *operators.ApplyJoin) (engine.Primitive, error) {
	in, err := b.transformAll(ctx, op.Inputs())
	if err != nil {
		return nil, err
	}
	join := &engine.Join{Opcode: opcode.InnerJoin, Left: in[0], Right: in[1], Cols: op.Cols, Vars: op.Vars}
	if !op.JoinType.IsInner() {
		join.Opcode = opcode.LeftJoin
	}
	join.Batch, err = b.batch(ctx, op, join)
	return join, err
}

func (b *builder) hashJoin(ctx *operators.Context, op *operators.HashJoin) (engine.Primitive, error) {
	in, err := b.transformAll(ctx, op.Inputs())
	if err != nil {
		return nil, err
	}
	if len(op.Comparisons) != 1 {
		return nil, vterrors.VT12001("hash joins must have exactly one join predicate")
	}
	cmp := op.Comparisons[0]
	left, okL := ctx.TypeOf(cmp.Left)
	right, okR := ctx.TypeOf(cmp.Right)
	missing := ""
	if !okL {
		missing = sqlparser.String(cmp.Left)
	}
	if !okR {
		if missing != "" {
			missing += ", "
		}
		missing += sqlparser.String(cmp.Right)
	}
	if missing != "" {
		return nil, vterrors.VT12001("missing type information for [" + missing + "]")
	}
	common, err := evalengine.CoerceTypes(left, right, b.pc.Env.CollationEnv())
	if err != nil {
		return nil, err
	}
	join := &engine.HashJoin{
		Opcode: opcode.InnerJoin, Left: in[0], Right: in[1], Cols: op.Cols,
		LHSKey: op.LeftKey[0], RHSKey: op.RightKey[0], ASTPred: op.Predicate(),
		Collation: common.Collation(), ComparisonType: common.Type(), Values: common.Values(), CollationEnv: b.pc.Env.CollationEnv(),
	}
	if op.LeftJoin {
		join.Opcode = opcode.LeftJoin
	}
	return join, nil
}

// batch is how the right side of a join is asked for the rows of many left rows at once, nil where it cannot be:
//
//	select name from customer where id = :o_customer_id
//	select name, id from customer where id in ::o_customer_id      each row tells which left rows it belongs to
//
// The right side must be one query block whose rows stand each for itself, with one bind variable of the left row, in one
// comparison with a column; and both must be of types that the gateway compares as MySQL does.
func (b *builder) batch(ctx *operators.Context, op *operators.ApplyJoin, join *engine.Join) (*engine.Batch, error) {
	route, isRoute := join.Right.(*engine.Route)
	if !isRoute || len(join.Vars) != 1 || len(route.OrderBy) > 0 || route.TruncateColumnCount > 0 || route.FetchLastInsertID {
		return nil, nil
	}
	sel, isSelect := route.QueryStatement.(*sqlparser.Select)
	if !isSelect || !standsForItself(ctx, sel) {
		return nil, nil
	}
	var name string
	var left int
	for name, left = range join.Vars {
	}
	col := comparedWith(sel, name)
	if col == nil {
		return nil, nil
	}
	compare, ok := b.comparedAs(ctx, op.LHS.Columns(ctx)[left].Expr, col)
	if !ok {
		return nil, nil
	}
	many, ok := routeOfMany(route, name, compare.Collation())
	if !ok {
		return nil, nil
	}
	asked := sqlparser.Clone(sel)
	list := name
	if many.Opcode == opcode.IN {
		list = opcode.ListVar
	}
	putList(asked, name, list)
	asked.AddSelectExpr(&sqlparser.AliasedExpr{Expr: sqlparser.Clone(col)})
	many.Query, many.QueryStatement = sqlparser.String(asked), asked
	many.FieldQuery = sqlparser.NewTrackedBuffer(sqlparser.FormatImpossibleQuery).WriteNode(asked).ParsedQuery().Query
	return &engine.Batch{Right: many, Var: name, LeftCol: left, Key: compare}, nil
}

// standsForItself tells whether each row of a query block comes of rows of tables alone, whatever other rows there are.
func standsForItself(ctx *operators.Context, sel *sqlparser.Select) bool {
	if sel.Distinct || sel.GroupBy != nil || sel.Having != nil || sel.OrderBy != nil || sel.Limit != nil || sel.With != nil ||
		sel.Windows != nil || sel.Into != nil {
		return false
	}
	for _, e := range sel.GetColumns() {
		ae, ok := e.(*sqlparser.AliasedExpr)
		if !ok || ctx.Aggregates(ae.Expr) || hasWindow(ae.Expr) {
			return false
		}
	}
	return true
}

func hasWindow(expr sqlparser.Expr) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		fn, ok := node.(sqlparser.WindowFunc)
		found = found || ok && fn.GetOverClause() != nil
		return !found, nil
	}, expr)
	return found
}

// comparedWith is the column that a statement's WHERE wants to equal a bind variable, nil unless that is the variable's only use.
func comparedWith(sel *sqlparser.Select, name string) *sqlparser.ColName {
	uses := 0
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if arg, ok := node.(*sqlparser.Argument); ok && arg.Name == name {
			uses++
		}
		return true, nil
	}, sel)
	if uses != 1 || sel.Where == nil {
		return nil
	}
	for _, pred := range sqlparser.SplitAndExpression(nil, sel.Where.Expr) {
		if cmp := equalsArgument(pred, name); cmp != nil {
			return cmp.Left.(*sqlparser.ColName)
		}
	}
	return nil
}

// equalsArgument is a predicate that wants a column to equal a bind variable, nil for others.
func equalsArgument(pred sqlparser.Expr, name string) *sqlparser.ComparisonExpr {
	cmp, ok := pred.(*sqlparser.ComparisonExpr)
	if !ok || cmp.Operator != sqlparser.EqualOp {
		return nil
	}
	arg, isArg := cmp.Right.(*sqlparser.Argument)
	if _, isCol := cmp.Left.(*sqlparser.ColName); !isCol || !isArg || arg.Name != name {
		return nil
	}
	return cmp
}

// putList lets the column equal any of a list.
func putList(sel *sqlparser.Select, name, list string) {
	for _, pred := range sqlparser.SplitAndExpression(nil, sel.Where.Expr) {
		if cmp := equalsArgument(pred, name); cmp != nil {
			cmp.Operator, cmp.Right = sqlparser.InOp, sqlparser.ListArg(list)
		}
	}
}

// comparedAs is what two integers, or two texts of one collation, are compared as; false for what is not surely equal to the
// gateway when it is to MySQL.
func (b *builder) comparedAs(ctx *operators.Context, left, right sqlparser.Expr) (evalengine.Type, bool) {
	l, okL := ctx.TypeOf(left)
	r, okR := ctx.TypeOf(right)
	switch {
	case !okL || !okR:
		return evalengine.Type{}, false
	case sqltypes.IsIntegral(l.Type()) && sqltypes.IsIntegral(r.Type()):
		common, err := evalengine.CoerceTypes(l, r, b.pc.Env.CollationEnv())
		return common, err == nil
	case sqltypes.IsTextOrBinary(l.Type()) && sqltypes.IsTextOrBinary(r.Type()) && l.Collation() == r.Collation():
		return r, b.pc.Env.CollationEnv().IsSupported(r.Collation())
	}
	return evalengine.Type{}, false
}

// routeOfMany is the route for a list in the place of one value; false where the value finds shards in another way than by
// one column.
func routeOfMany(route *engine.Route, name string, collation collations.ID) (*engine.Route, bool) {
	many, params := *route, *route.RoutingParameters
	many.RoutingParameters = &params
	byValue := false
	for _, value := range params.Values {
		byValue = byValue || sqlparser.String(value) == ":"+name
	}
	switch {
	case !byValue:
		return &many, params.Opcode != opcode.DBA && params.Opcode != opcode.Next
	case params.Opcode != opcode.EqualUnique || len(params.Values) != 1:
		return nil, false
	}
	params.Opcode = opcode.IN
	params.Values = []evalengine.Expr{evalengine.NewBindVarTuple(name, collation)}
	return &many, true
}
