package sqlengine

import (
	"reflect"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation/window"
	"github.com/dolthub/go-mysql-server/sql/expression/function/json"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/vt/sqlparser"
)

// The binder gives each column a type as it meets it, from below: the sum of a derived table is a double to it, and a union
// of numbers a text. settler goes over a plan that is bound and not analysed, from the leaves up, gives expressions MySQL's
// types, and tells those above:
//
//	Project [max(d.v): DECIMAL(41,0)]
//	└─ GroupBy max(d.v)
//	   └─ SubqueryAlias d [v: DECIMAL(41,0)]
//	      └─ GroupBy sum(id): DECIMAL(41,0)     the binder: DOUBLE
//
// At that point references still hold column ids.
type settler struct {
	ctx   *sql.Context
	known map[sql.ColumnId]sql.Type // types of computed columns
	// working are the tables that recursive terms read, by those the binder made.
	working map[*plan.RecursiveTable]*plan.RecursiveTable
}

// settles reports whether a statement's plan is settled: those that compute rows.
func settles(stmt sqlparser.Statement) bool {
	switch stmt.(type) {
	case sqlparser.TableStatement, *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
		return true
	}
	return false
}

// settle gives a bound plan MySQL's types.
func settle(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	s := &settler{ctx: ctx, known: make(map[sql.ColumnId]sql.Type)}
	return s.node(n)
}

func (s *settler) node(n sql.Node) (sql.Node, error) {
	switch u := n.(type) {
	case *plan.RecursiveCte:
		return s.recursive(u)
	case *plan.RecursiveTable:
		if working := s.working[u]; working != nil {
			return working, nil
		}
	}
	before := n
	n, err := s.children(n)
	if err != nil {
		return nil, err
	}
	switch u := n.(type) {
	case *plan.SetOp:
		if n, err = s.setOp(before.(*plan.SetOp), u); err != nil {
			return nil, err
		}
	case *plan.InsertInto:
		source, err := s.node(u.Source)
		if err != nil {
			return nil, err
		}
		n = u.WithSource(source)
	case *plan.SubqueryAlias:
		if n, err = s.alias(u); err != nil {
			return nil, err
		}
	}
	if n, err = s.expressions(n); err != nil {
		return nil, err
	}
	s.note(n)
	return n, nil
}

func (s *settler) children(n sql.Node) (sql.Node, error) {
	children := n.Children()
	var fresh []sql.Node
	for i, c := range children {
		settled, err := s.node(c)
		if err != nil {
			return nil, err
		}
		if !same(settled, c) && fresh == nil {
			fresh = append([]sql.Node(nil), children...)
		}
		if fresh != nil {
			fresh[i] = settled
		}
	}
	if fresh == nil {
		return n, nil
	}
	return n.WithChildren(fresh...)
}

func (s *settler) expressions(n sql.Node) (sql.Node, error) {
	ex, ok := n.(sql.Expressioner)
	if !ok {
		return n, nil
	}
	exprs := ex.Expressions()
	fresh := make([]sql.Expression, len(exprs))
	changed := false
	for i, e := range exprs {
		settled, err := s.expr(e)
		if err != nil {
			return nil, err
		}
		switch n.(type) {
		case *plan.Filter, *plan.Having, *plan.JoinNode:
			settled = filterNumber(settled)
		}
		fresh[i] = settled
		changed = changed || !same(settled, e)
	}
	if !changed {
		return n, nil
	}
	return ex.WithExpressions(fresh...)
}

// note remembers the types of what a node computes.
func (s *settler) note(n sql.Node) {
	switch n := n.(type) {
	case *plan.Project:
		s.noteAll(n.Projections)
	case *plan.GroupBy:
		s.noteAll(n.SelectedExprs)
	case *plan.Window:
		s.noteAll(n.SelectExprs)
	case *plan.SubqueryAlias:
		schema, i := n.Schema(), 0
		n.Columns().ForEach(func(id sql.ColumnId) {
			if i < len(schema) {
				s.known[id] = schema[i].Type
			}
			i++
		})
	}
}

func (s *settler) noteAll(exprs []sql.Expression) {
	for _, e := range exprs {
		if _, plain := e.(*expression.GetField); plain {
			continue
		}
		if id, ok := e.(sql.IdExpression); ok && id.Id() != 0 {
			s.known[id.Id()] = e.Type()
		}
	}
}

// alias settles what a derived table says its columns come from.
func (s *settler) alias(n *plan.SubqueryAlias) (sql.Node, error) {
	if len(n.ScopeMapping) == 0 {
		return n, nil
	}
	mapping := make(map[sql.ColumnId]sql.Expression, len(n.ScopeMapping))
	for id, e := range n.ScopeMapping {
		settled, err := s.expr(e)
		if err != nil {
			return nil, err
		}
		mapping[id] = settled
	}
	return n.WithScopeMapping(mapping), nil
}

// expr settles an expression, its parts first.
func (s *settler) expr(e sql.Expression) (sql.Expression, error) {
	if e == nil {
		return nil, nil
	}
	if sub, ok := e.(*plan.Subquery); ok {
		query, err := s.node(sub.Query)
		if err != nil || same(query, sub.Query) {
			return e, err
		}
		return sub.WithQuery(query), nil
	}
	children := e.Children()
	var fresh []sql.Expression
	for i, c := range children {
		settled, err := s.expr(c)
		if err != nil {
			return nil, err
		}
		if !same(settled, c) && fresh == nil {
			fresh = append([]sql.Expression(nil), children...)
		}
		if fresh != nil {
			fresh[i] = settled
		}
	}
	if fresh != nil {
		again, err := withChildren(e, fresh)
		if err != nil {
			return nil, err
		}
		e = again
	}
	return s.rewrite(e)
}

// same reports whether a and b are one value. Some nodes and expressions are slices, which do not compare.
func same(a, b any) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && (a == nil || reflect.TypeOf(a).Comparable()) && a == b
}

// withChildren replaces the parts of an expression. An alias keeps its id, which the engine's method drops.
func withChildren(e sql.Expression, children []sql.Expression) (sql.Expression, error) {
	a, ok := e.(*expression.Alias)
	if !ok {
		return e.WithChildren(children...)
	}
	again := expression.NewAlias(a.Name(), children[0])
	if a.Unreferencable() {
		again = again.AsUnreferencable()
	}
	return again.WithId(a.Id()).(sql.Expression), nil
}

// rewrite settles an expression whose parts are settled.
func (s *settler) rewrite(e sql.Expression) (sql.Expression, error) {
	switch exact := e.(type) {
	case exactLiteral:
		return exact.Literal, nil
	case *scalarCall:
		if exact.name == "decimal_literal" {
			v, err := exact.Eval(s.ctx, nil)
			return expression.NewLiteral(v, exact.Type()), err
		}
	}
	if err := collationMix(s.ctx, e); err != nil {
		return nil, err
	}
	if w, ok := e.(sql.WindowAdaptableExpression); ok {
		e = weighWindow(w)
	}
	e, err := literalBits(e)
	if err != nil {
		return nil, err
	}
	if e, err = settleArguments(e); err != nil {
		return nil, err
	}
	if e, err = operandsAsNumbers(e); err != nil {
		return nil, err
	}
	if e, err = compareMembers(e); err != nil {
		return nil, err
	}
	e = ofBytes(numberTypes(e))
	switch e := e.(type) {
	case *expression.Like:
		return &pattern{e}, nil
	case *expression.GetField:
		typ, ok := s.known[e.Id()]
		if !ok || typ.Equals(e.Type()) {
			return e, nil
		}
		return expression.NewGetFieldWithTable(e.Index(), int(e.TableId()), typ, e.Database(), e.Table(), e.Name(), e.IsNullable()), nil
	case *aggregation.Sum:
		if e.Window() != nil {
			return exactWindow("sum", e.Child, e.Window(), e.Id()), nil
		}
	case *aggregation.Avg:
		if e.Window() != nil {
			return exactWindow("avg", e.Child, e.Window(), e.Id()), nil
		}
	case *aggregation.GroupConcat:
		return namedAsText(e)
	case *expression.BitOp:
		return bitOperator(e), nil
	case *expression.IntDiv:
		return wholeQuotient(e), nil
	case *function.Substring:
		return characterFunctions["substring"].call("substring", e.Children()), nil
	case *function.TimestampDiff:
		return &scalarCall{name: "timestampdiff", fn: timestampDiff, args: e.Children()}, nil
	case json.JSONObject:
		return namedMembers(e)
	case *aggregation.CountDistinct:
		counted, _, err := weighCountDistinct(e)
		return counted, err
	case *expression.Arithmetic:
		if checked, ok := checkArithmetic(e); ok {
			return checked, nil
		}
		if e.Type() == types.Float64 {
			return &doubleArithmetic{e}, nil
		}
		return e, nil
	}
	if n, ok := e.(*function.NullIf); ok {
		e = nullIf(n)
	}
	if c, ok := newChoice(e); ok {
		return c, nil
	}
	if e, err = compareDates(s.ctx, e); err != nil {
		return nil, err
	}
	if e, err = compareSpans(s.ctx, e); err != nil {
		return nil, err
	}
	return compareNumbers(e)
}

// namedAsText has GROUP_CONCAT read ENUM and SET as texts: the engine takes their numbers. It still sorts by these.
func namedAsText(agg *aggregation.GroupConcat) (sql.Expression, error) {
	children := append([]sql.Expression(nil), agg.Children()...)
	// The sort fields come first, and only the struct knows how many.
	sorted := reflect.ValueOf(agg).Elem().FieldByName("sf").Len()
	changed := false
	for i, c := range children {
		if i >= sorted && isNamedSet(c.Type()) {
			children[i], changed = &converted{child: c, typ: defaultTextType}, true
		}
	}
	if !changed {
		return agg, nil
	}
	return agg.WithChildren(children...)
}

// weighWindow has a window tell partitions and peers by the weights of texts: to the engine 'a' and 'A' are no peers.
func weighWindow(e sql.WindowAdaptableExpression) sql.Expression {
	w := e.Window()
	if w == nil {
		return e
	}
	changed := false
	weigh := func(c sql.Expression) sql.Expression {
		if _, done := c.(*weights); done || !hasText([]sql.Expression{c}) {
			return c
		}
		changed = true
		return &weights{child: c, keyer: newColumnKeyer(0, c.Type())}
	}
	def := *w
	def.PartitionBy = make([]sql.Expression, len(w.PartitionBy))
	for i, c := range w.PartitionBy {
		def.PartitionBy[i] = weigh(c)
	}
	def.OrderBy = make(sql.SortFields, len(w.OrderBy))
	for i, f := range w.OrderBy {
		f.Column = weigh(f.Column)
		def.OrderBy[i] = f
	}
	if isPeersFrame(w) && isFramed(e) {
		def.Frame, changed = &peersFrame{plan.NewRangeUnboundedPrecedingToCurrentRowFrame()}, true
	} else if w.Frame == nil && isFramed(e) {
		def.Frame, changed = plan.NewRowsUnboundedPrecedingToUnboundedFollowingFrame(), true
	} else if frame, ok := asRangeFrame(w.Frame); ok {
		def.Frame, changed = frame, true
	}
	if !changed {
		return e
	}
	return e.WithWindow(&def)
}

// isFramed reports whether a window function looks at its frame, which by default ends with the current row's peers: the
// engine's ends with the row, or with the partition.
func isFramed(e sql.WindowAdaptableExpression) bool {
	switch e := e.(type) {
	case *windowCall:
		return !e.countsRows()
	case *window.FirstValue, *window.LastValue:
		return true
	}
	_, isAggregate := e.(sql.Aggregation)
	return isAggregate
}
