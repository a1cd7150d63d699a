package semantics

import (
	"vitess.io/vitess/go/mysql/collations"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

// expr simplifies and binds an expression and returns what takes its place.
func (a *analyzer) expr(e sqlparser.Expr, s *scope) (sqlparser.Expr, error) {
	if e == nil {
		return nil, nil
	}
	e = sqlparser.Rewrite(e, simplify, nil).(sqlparser.Expr)
	return e, a.bindNode(e, s)
}

// simplify rewrites two shapes that routing could not use: NOT over a comparison, and equality of two rows.
func simplify(cursor *sqlparser.Cursor) bool {
	switch node := cursor.Node().(type) {
	case *sqlparser.Subquery:
		return false // its own analysis does it
	case *sqlparser.NotExpr:
		cmp, ok := node.Expr.(*sqlparser.ComparisonExpr)
		if ok && cmp.Operator != sqlparser.NullSafeEqualOp {
			cmp.Operator = cmp.Operator.Inverse()
			cursor.Replace(cmp)
		}
	case *sqlparser.ComparisonExpr:
		left, isLeft := node.Left.(sqlparser.ValTuple)
		right, isRight := node.Right.(sqlparser.ValTuple)
		if !isLeft || !isRight || len(left) != len(right) || node.Operator != sqlparser.EqualOp {
			return true
		}
		pairs := make([]sqlparser.Expr, len(left))
		for i := range left {
			pairs[i] = &sqlparser.ComparisonExpr{Operator: sqlparser.EqualOp, Left: left[i], Right: right[i], Escape: node.Escape}
		}
		cursor.Replace(sqlparser.AndExpressions(pairs...))
	}
	return true
}

// bindNode binds all columns and types all leaves of a node in scope s.
func (a *analyzer) bindNode(node sqlparser.SQLNode, s *scope) error {
	b := &binder{a: a, s: s}
	sqlparser.Rewrite(node, b.down, b.up)
	return b.err
}

// binder is one walk over an expression.
type binder struct {
	a   *analyzer
	s   *scope
	err error
}

func (b *binder) down(cursor *sqlparser.Cursor) bool {
	if b.err != nil {
		return false
	}
	if err := b.a.checkExpr(cursor.Node(), cursor.Parent()); err != nil {
		b.err = b.a.soften(err)
		return b.err == nil
	}
	switch node := cursor.Node().(type) {
	case *sqlparser.Subquery:
		b.err = b.a.subquery(node, b.s)
		return false
	case *sqlparser.ColName:
		b.err = b.a.bindColumn(node, b.s)
		return false
	case *sqlparser.OverClause:
		if node.WindowName.NotEmpty() && !b.s.hasWindow(node.WindowName.Lowered()) {
			b.err = vterrors.VT03025(node.WindowName.String())
		}
	}
	return b.err == nil
}

func (b *binder) up(cursor *sqlparser.Cursor) bool {
	if b.err != nil {
		return false
	}
	b.a.typeNode(cursor.Node())
	if star, ok := cursor.Node().(*sqlparser.CountStar); ok {
		b.a.bindCountStar(star, b.s)
	}
	return true
}

func (s *scope) hasWindow(name string) bool { return s.windows[name] }

func (a *analyzer) bindColumn(col *sqlparser.ColName, s *scope) error {
	r, err := s.resolve(col, a.st)
	if err != nil {
		return a.soften(err)
	}
	a.st.direct[col], a.st.recursive[col] = r.direct, r.recursive
	if r.typ.Valid() && r.typ.Type() != nullType {
		a.st.types[col] = r.typ
	}
	return nil
}

// bindCountStar makes count(*) depend on all tables of its query block.
func (a *analyzer) bindCountStar(star *sqlparser.CountStar, s *scope) {
	var ts TableSet
	for _, t := range s.tables {
		if t.Kind == DerivedTable {
			ts = ts.Merge(t.inner)
			continue
		}
		ts = ts.Merge(t.ID)
	}
	a.st.SetDeps(star, ts)
}

// subquery analyses a query inside of an expression. It depends on those tables of the blocks around it that it uses.
func (a *analyzer) subquery(sub *sqlparser.Subquery, s *scope) error {
	a.st.Signature.SubQueries = true
	if _, err := a.query(sub.Select, s, false); err != nil {
		return err
	}
	var around TableSet
	for at := s; at != nil; at = at.parent {
		for _, t := range at.tables {
			around = around.Merge(t.ID)
		}
	}
	direct, recursive := a.st.direct.of(sub), a.st.recursive.of(sub)
	a.st.direct[sub] = direct.KeepOnly(around)
	a.st.recursive[sub] = recursive.KeepOnly(around)
	return nil
}

// typeNode gives literals, arguments, aggregates and window functions their types; the types of columns come with their
// binding and all others are computed by the planner when it asks.
func (a *analyzer) typeNode(node sqlparser.SQLNode) {
	charset := a.env.DefaultConnectionCharset()
	switch node := node.(type) {
	case *sqlparser.Literal:
		typ := node.SQLType()
		a.st.types[node] = evalengine.NewType(typ, collations.CollationForType(typ, charset))
	case *sqlparser.Argument:
		if node.Type >= 0 {
			coll := collations.CollationForType(node.Type, charset)
			a.st.types[node] = evalengine.NewTypeEx(node.Type, coll, true, node.Size, node.Scale, nil)
		}
	case sqlparser.WindowFunc:
		a.noteWindow(node)
	case sqlparser.AggrFunc:
		a.st.Signature.Aggregation = true
		a.typeAggregate(node, node.AggrName())
	case *sqlparser.FuncExpr:
		if node.Name.EqualsAnyString(a.udfs) {
			a.st.Signature.Aggregation = true
		}
	}
}

func (a *analyzer) noteWindow(node sqlparser.WindowFunc) {
	aggr, isAggr := node.(sqlparser.AggrFunc)
	switch {
	case node.GetOverClause() != nil:
		a.st.Signature.Window = true
	case isAggr:
		a.st.Signature.Aggregation = true
	}
	if isAggr {
		a.typeAggregate(aggr, aggr.AggrName())
		return
	}
	var in evalengine.Type
	if arg := node.GetArg(); arg != nil {
		in = a.st.typeOf(arg)
	}
	if typ, ok := opcode.WindowType(node.WindowFuncName(), in, a.env); ok {
		a.st.SetType(node, typ)
	}
}

func (a *analyzer) typeAggregate(node sqlparser.AggrFunc, name string) {
	code, ok := opcode.AggregateByName(name)
	if !ok {
		return
	}
	var in evalengine.Type
	if arg := node.GetArg(); arg != nil {
		in = a.st.typeOf(arg)
	}
	a.st.types[node] = code.ResolveType(in, a.env)
}

// checkExpr refuses constructs that no plan over shards supports.
func (a *analyzer) checkExpr(node, parent sqlparser.SQLNode) error {
	switch node := node.(type) {
	case *sqlparser.LockingFunc:
		return vterrors.Errorf(vtrpcpb.Code_UNIMPLEMENTED, "%s allowed only with dual", sqlparser.String(node))
	case *sqlparser.AssignmentExpr:
		return vterrors.VT12001("Assignment expression")
	case *sqlparser.ComparisonExpr:
		if node.Modifier != sqlparser.Missing {
			return unlessSingleRoute(vterrors.VT12001("ANY/ALL/SOME comparison operator"))
		}
	case *sqlparser.Subquery:
		return checkOperands(parent, node)
	}
	return nil
}

// checkOperands compares the number of columns of a subquery with the other side of its comparison.
func checkOperands(parent sqlparser.SQLNode, sub *sqlparser.Subquery) error {
	cmp, ok := parent.(*sqlparser.ComparisonExpr)
	if !ok {
		return nil
	}
	other := cmp.Left
	if cmp.Left == sqlparser.Expr(sub) {
		other = cmp.Right
	}
	want := 1
	if tuple, ok := other.(sqlparser.ValTuple); ok {
		want = len(tuple)
	}
	cols := sub.Select.GetColumns()
	if hasStar(cols) || len(cols) == want {
		return nil
	}
	return invalidArgument("Operand should contain %d column(s)", want)
}
