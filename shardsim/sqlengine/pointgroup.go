package sqlengine

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// pointGroups are the groups of GROUP BY columns, DISTINCT columns or, without columns, of all rows. A group is a row of
// its columns' values and then of its aggregates.
type pointGroups struct {
	columns    []columnKeyer
	aggregates []pointAggregate
	countsRows bool // COUNT(*) of all rows is all there is
}

// pointAggregate is an aggregate of a column, or COUNT(*).
type pointAggregate struct {
	kind  aggregateKind
	keyer columnKeyer
}

type aggregateKind uint8

const (
	countRows aggregateKind = iota
	countValues
	sumValues
	minValue
	maxValue
)

// isGrouped reports whether a SELECT gives groups rather than rows.
func isGrouped(sel *sqlparser.Select) bool {
	if sel.Distinct || sel.GroupBy != nil && len(sel.GroupBy.Exprs) > 0 {
		return true
	}
	for _, e := range sel.SelectExprs.Exprs {
		if a, ok := e.(*sqlparser.AliasedExpr); ok {
			if _, ok := a.Expr.(sqlparser.AggrFunc); ok {
				return true
			}
		}
	}
	return false
}

// compileGroups takes groups by plain columns, and of those columns and simple aggregates as output.
func (p *pointPlan) compileGroups(st *statement, sel *sqlparser.Select) bool {
	g := &pointGroups{}
	if sel.GroupBy != nil {
		for _, e := range sel.GroupBy.Exprs {
			at := p.groupColumn(sel, e)
			if at < 0 || sel.Distinct || g.position(at) >= 0 {
				return false
			}
			g.columns = append(g.columns, newColumnKeyer(at, p.columns[at].Type))
		}
	}
	type output struct{ column, aggregate int }
	var outputs []output
	for _, e := range sel.SelectExprs.Exprs {
		a, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			return false
		}
		if at := p.outputColumn(a); at >= 0 {
			if sel.Distinct && g.position(at) < 0 {
				g.columns = append(g.columns, newColumnKeyer(at, p.columns[at].Type))
			}
			if at = g.position(at); at < 0 {
				return false
			}
			outputs = append(outputs, output{column: at, aggregate: -1})
			continue
		}
		agg, ok := p.aggregate(a.Expr)
		if !ok || sel.Distinct || !isNamed(a) {
			return false
		}
		outputs = append(outputs, output{aggregate: len(g.aggregates)})
		g.aggregates = append(g.aggregates, agg)
	}
	for _, o := range outputs {
		at := o.column
		if o.aggregate >= 0 {
			at = len(g.columns) + o.aggregate
		}
		p.read.output = append(p.read.output, at)
	}
	g.countsRows = len(g.columns) == 0
	for _, a := range g.aggregates {
		g.countsRows = g.countsRows && a.kind == countRows
	}
	p.read.groups = g
	return p.shapeAsEngine(st)
}

// groupColumn returns the position of what GROUP BY names: a column, an expression, or one that the select list names; or -1.
func (p *pointPlan) groupColumn(sel *sqlparser.Select, e sqlparser.Expr) int {
	if at := p.column(e); at >= 0 {
		return at
	}
	if named, ok := expressionNamed(sel, e); ok {
		e = named
	}
	if isPosition(e) {
		return -1
	}
	return p.columnOrComputed(e)
}

// expressionNamed returns the expression of the select list that a name without table stands for, if it is one alone and no
// plain column.
func expressionNamed(sel *sqlparser.Select, e sqlparser.Expr) (found sqlparser.Expr, ok bool) {
	name, isName := e.(*sqlparser.ColName)
	if !isName || !name.Qualifier.IsEmpty() {
		return nil, false
	}
	for _, item := range sel.SelectExprs.Exprs {
		a, isExpr := item.(*sqlparser.AliasedExpr)
		if !isExpr || !a.As.Equal(name.Name) {
			continue
		}
		if _, isColumn := a.Expr.(*sqlparser.ColName); isColumn || ok {
			return nil, false
		}
		found, ok = a.Expr, true
	}
	return found, ok
}

// isPosition reports whether GROUP BY or ORDER BY take a constant for a position in the select list.
func isPosition(e sqlparser.Expr) bool {
	switch e.(type) {
	case *sqlparser.Literal, *sqlparser.Argument:
		return true
	}
	return false
}

// schemaOf returns what the engine says of a statement's result.
func (s *Session) schemaOf(ctx context.Context, st *statement, binds binds) (sql.Schema, error) {
	v, err := s.variant(st, binds)
	if err != nil {
		return nil, err
	}
	sctx := s.sql.context(ctx, v.text)
	stmt, err := v.take(func(text string) (dolt.Statement, error) { return parseEngine(sctx, text) }, "")
	if err != nil {
		return nil, err
	}
	plan, _, err := s.analyse(sctx, st, stmt, v.text, binds)
	if err != nil {
		return nil, err
	}
	v.release(stmt)
	schema := plan.Schema()
	return schema[:len(schema)-st.hidden], nil
}

// position returns the position of a table's column in a group, or -1.
func (g *pointGroups) position(column int) int {
	for i := range g.columns {
		if g.columns[i].at == column {
			return i
		}
	}
	return -1
}

// aggregate takes COUNT, SUM, MIN and MAX of a column where counting, adding or comparing keys does.
func (p *pointPlan) aggregate(e sqlparser.Expr) (pointAggregate, bool) {
	var a pointAggregate
	var arg sqlparser.Expr
	switch e := e.(type) {
	case *sqlparser.CountStar:
		return a, e.OverClause == nil
	case *sqlparser.Count:
		if e.Distinct || e.OverClause != nil || len(e.Args) != 1 {
			return a, false
		}
		a.kind, arg = countValues, e.Args[0]
	case *sqlparser.Sum:
		if e.Distinct || e.OverClause != nil {
			return a, false
		}
		a.kind, arg = sumValues, e.Arg
	case *sqlparser.Min:
		if e.OverClause != nil {
			return a, false
		}
		a.kind, arg = minValue, e.Arg
	case *sqlparser.Max:
		if e.OverClause != nil {
			return a, false
		}
		a.kind, arg = maxValue, e.Arg
	default:
		return a, false
	}
	at := p.columnOrComputed(arg)
	if at < 0 {
		return a, false
	}
	a.keyer = newColumnKeyer(at, p.columns[at].Type)
	if a.kind == countValues {
		return a, true
	}
	switch t := a.keyer.typ.(type) {
	case sql.EnumType, sql.SetType:
		return a, false
	case sql.NumberType:
		return a, !t.IsFloat()
	case sql.DecimalType:
		return a, true
	case sql.DatetimeType, sql.StringType:
		return a, a.kind != sumValues
	}
	return a, false
}

// grouping is one execution.
type grouping struct {
	*pointGroups
	at     map[string]*groupState
	groups []*groupState // in the order of their first rows
}

type groupState struct {
	columns []any
	values  []aggregateState
}

// aggregateState is what an aggregate knows so far.
type aggregateState struct {
	n     int64 // rows counted
	sum   int64 // of integers, as long as it fits
	large decimal.Decimal
	key   string // of MIN and MAX
	value any
}

func (g *pointGroups) start() *grouping {
	run := &grouping{pointGroups: g}
	if len(g.columns) == 0 {
		run.groups = []*groupState{{values: make([]aggregateState, len(g.aggregates))}}
	} else {
		run.at = make(map[string]*groupState)
	}
	return run
}

// countOnly makes all aggregates the number of rows.
func (g *grouping) countOnly(n int) {
	for i := range g.groups[0].values {
		g.groups[0].values[i].n = int64(n)
	}
}

func (g *grouping) add(row []any) (more bool, err error) {
	group, err := g.groupOf(row)
	if err != nil {
		return false, err
	}
	for i := range g.aggregates {
		if err := group.values[i].add(&g.aggregates[i], row); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (g *grouping) groupOf(row []any) (*groupState, error) {
	if g.at == nil {
		return g.groups[0], nil
	}
	var buf [160]byte
	key := buf[:0]
	var err error
	for i := range g.columns {
		c := &g.columns[i]
		if v := row[c.at]; v == nil {
			key = store.AppendNull(key)
		} else if key, err = c.append(key, v); err != nil {
			return nil, err
		}
	}
	if group := g.at[string(key)]; group != nil {
		return group, nil
	}
	group := &groupState{columns: make([]any, len(g.columns)), values: make([]aggregateState, len(g.aggregates))}
	for i := range g.columns {
		group.columns[i] = row[g.columns[i].at]
	}
	g.at[string(key)] = group
	g.groups = append(g.groups, group)
	return group, nil
}

func (s *aggregateState) add(a *pointAggregate, row []any) error {
	if a.kind == countRows {
		s.n++
		return nil
	}
	v := row[a.keyer.at]
	if v == nil {
		return nil
	}
	s.n++
	switch a.kind {
	case sumValues:
		s.addNumber(v)
	case minValue, maxValue:
		var buf [96]byte
		key, err := a.keyer.append(buf[:0], v)
		if err != nil {
			return err
		}
		if s.n == 1 || a.kind == minValue && string(key) < s.key || a.kind == maxValue && string(key) > s.key {
			s.key, s.value = string(key), v
		}
	}
	return nil
}

// addNumber adds an integer or a decimal.
func (s *aggregateState) addNumber(v any) {
	n, small := smallInteger(v)
	if !small {
		d, isDecimal := v.(decimal.Decimal)
		if !isDecimal {
			b, _ := bigInt(v)
			d = decimal.NewFromBigInt(b, 0)
		}
		s.large = s.large.Add(d)
		return
	}
	sum := s.sum + n
	if (s.sum >= 0) == (n >= 0) && (sum >= 0) != (n >= 0) {
		s.large, sum = s.large.Add(decimal.NewFromInt(s.sum)), n
	}
	s.sum = sum
}

func smallInteger(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case int32:
		return int64(v), true
	case int16:
		return int64(v), true
	case int8:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint8:
		return int64(v), true
	}
	return 0, false
}

// result returns the aggregate's value.
func (s *aggregateState) result(a *pointAggregate) any {
	switch {
	case a.kind == countRows || a.kind == countValues:
		return s.n
	case s.n == 0:
		return nil
	case a.kind == sumValues:
		return s.large.Add(decimal.NewFromInt(s.sum))
	}
	return s.value
}

// rows returns the groups' rows.
func (g *grouping) rows() [][]any {
	rows := make([][]any, len(g.groups))
	for i, group := range g.groups {
		row := append(make([]any, 0, len(g.columns)+len(g.aggregates)), group.columns...)
		for j := range g.aggregates {
			row = append(row, group.values[j].result(&g.aggregates[j]))
		}
		rows[i] = row
	}
	return rows
}
