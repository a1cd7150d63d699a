package sqlengine

import (
	"io"
	"math"
	"reflect"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	dolttypes "github.com/dolthub/vitess/go/sqltypes"
)

// A recursive common table expression has the columns of its seed: what the recursive term gives is assigned to them, as to
// those of a table. The engine gives them the widest types there are, and stops after ten thousand rounds whatever
// cte_max_recursion_depth says.

// recursive settles a recursive common table expression: the seed, then the columns, then the term that reads them.
func (s *settler) recursive(n *plan.RecursiveCte) (sql.Node, error) {
	seed, err := s.node(n.Left())
	if err != nil {
		return nil, err
	}
	schema := make(sql.Schema, len(n.Schema()))
	seeds := seedTypes(seed)
	for i, col := range n.Schema() {
		again := col.Copy()
		again.Type = seeds[i]
		again.Nullable = true
		schema[i] = again
	}
	working := plan.NewRecursiveTable(n.Working.Name(), schema)
	working.WithId(n.Working.Id())
	working.WithColumns(n.Working.Columns())
	if s.working == nil {
		s.working = make(map[*plan.RecursiveTable]*plan.RecursiveTable)
	}
	s.working[n.Working] = working
	for _, ids := range []sql.ColSet{n.Columns(), n.Working.Columns()} {
		i := 0
		ids.ForEach(func(id sql.ColumnId) {
			s.known[id] = schema[i].Type
			i++
		})
	}
	term, err := s.node(n.Right())
	if err != nil {
		return nil, err
	}
	again, err := n.WithSchema(schema).WithWorking(working).WithChildren(seed, term)
	if err != nil {
		return nil, err
	}
	return again, nil
}

// seedTypes returns the types of a seed's columns: a table's column has its own, integers of expressions are BIGINT, and texts
// are VARCHAR if it is known how long they may be.
func seedTypes(n sql.Node) []sql.Type {
	all := make([]sql.Type, len(n.Schema()))
	switch n := n.(type) {
	case *plan.Project:
		for i, e := range n.Projections {
			all[i] = seedType(e.Type(), textLength(e), isColumn(e))
		}
	case *plan.SetOp:
		left, right := seedTypes(n.Left()), seedTypes(n.Right())
		for i := range all {
			all[i] = unify(left[i], right[i])
			a, isText := left[i].(sql.StringType)
			b, both := right[i].(sql.StringType)
			if isText && both {
				all[i] = seedType(all[i], max(declaredLength(a), declaredLength(b)), false)
			}
		}
	default:
		for i, c := range n.Schema() {
			all[i] = seedType(c.Type, declaredLength(c.Type), false)
		}
	}
	return all
}

func isColumn(e sql.Expression) bool {
	if alias, ok := e.(*expression.Alias); ok {
		e = alias.Child
	}
	_, ok := e.(*expression.GetField)
	return ok
}

// seedType is the type of a column by an expression's type and how many characters it has at most, -1 if that is not known.
func seedType(t sql.Type, length int64, column bool) sql.Type {
	switch typ := t.(type) {
	case sql.StringType:
		kind := dolttypes.VarChar
		if typ.Collation() == sql.Collation_binary {
			kind = dolttypes.VarBinary
		}
		if varchar, err := types.CreateString(kind, length, typ.Collation()); err == nil && length >= 0 {
			return varchar
		}
	case sql.NumberType:
		switch {
		case column:
		case typ.IsFloat():
			return types.Float64
		case typ.IsSigned():
			return types.Int64
		default:
			return types.Uint64
		}
	}
	return t
}

// declaredLength is how many characters the values of a column have at most.
func declaredLength(t sql.Type) int64 {
	switch t := t.(type) {
	case sql.StringType:
		if t.Type() == dolttypes.Text || t.Type() == dolttypes.Blob {
			return -1
		}
		return t.Length()
	case sql.NumberType:
		if t.IsFloat() {
			return -1
		}
		digits, _, _ := exactDigits(t)
		return int64(digits) + 1
	}
	return -1
}

func textLength(e sql.Expression) int64 {
	switch e := e.(type) {
	case *expression.Alias:
		return textLength(e.Child)
	case *expression.GetField:
		return declaredLength(e.Type())
	case *expression.Literal:
		switch v := e.Value().(type) {
		case string:
			return int64(utf8.RuneCountInString(v))
		case []byte:
			return int64(len(v))
		}
		return declaredLength(e.Type())
	case *converted:
		return textLength(e.child)
	case *expression.Convert:
		// Only the struct knows the N of CAST(x AS CHAR(N)).
		if n := reflect.ValueOf(e).Elem().FieldByName("typeLength").Int(); n > 0 {
			return n
		}
		return textLength(e.Child)
	case *function.Concat:
		total := int64(0)
		for _, part := range e.Children() {
			n := textLength(part)
			if n < 0 {
				return -1
			}
			total += n
		}
		return total
	case *function.Upper, *function.Lower:
		return textLength(e.Children()[0])
	}
	return -1
}

// recursiveRows executes a recursive common table expression, level by level.
func (o execOverrides) recursiveRows(ctx *sql.Context, n *plan.RecursiveCte, outer sql.Row) (sql.RowIter, error) {
	if len(n.Union().SortFields) > 0 {
		return nil, errUnsupported("ORDER BY over UNION in recursive Common Table Expression")
	}
	r := &recursiveIter{o: o, node: n, outer: outer, limit: -1, depth: fromContext(ctx).recursionDepth()}
	if n.Union().Distinct {
		r.seen, r.keyer = make(map[string]bool), newRowKeyer(n.Schema())
	}
	if n.Union().Limit != nil {
		var err error
		if r.limit, err = rowCount(ctx, n.Union().Limit); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// recursionDepth is cte_max_recursion_depth.
func (s *sqlSession) recursionDepth() int64 {
	v, _ := s.variable("cte_max_recursion_depth")
	return variableNumber(v.Val)
}

// variableNumber is the value of a numeric system variable.
func variableNumber(v any) int64 {
	n, ok := bigInt(v)
	if !ok || !n.IsInt64() {
		return math.MaxInt64
	}
	return n.Int64()
}

type recursiveIter struct {
	o     execOverrides
	node  *plan.RecursiveCte
	outer sql.Row
	limit int64 // rows that are still wanted, -1: all
	depth int64 // how many levels there may be

	seen  map[string]bool // keys of all rows, nil under UNION ALL
	keyer rowKeyer
	level int64
	rows  []sql.Row // of the level
	at    int
}

func (r *recursiveIter) Next(ctx *sql.Context) (sql.Row, error) {
	if r.limit == 0 {
		return nil, io.EOF
	}
	for r.at >= len(r.rows) {
		if r.level > 0 && len(r.rows) == 0 {
			return nil, io.EOF
		}
		if err := r.nextLevel(ctx); err != nil {
			return nil, err
		}
	}
	r.at++
	if r.limit > 0 {
		r.limit--
	}
	return r.rows[r.at-1], nil
}

// nextLevel computes the rows that the ones of the level before lead to.
func (r *recursiveIter) nextLevel(ctx *sql.Context) error {
	source := r.node.Left()
	if r.level > 0 {
		if r.level > r.depth {
			return mysqlError(3636, "HY000", "Recursive query aborted after %d iterations. Try increasing @@cte_max_recursion_depth to a larger value.", r.level)
		}
		source = r.node.Right()
		r.node.Working.Buf = r.rows
	}
	rows, err := r.o.build(ctx, source, r.outer)
	if err != nil {
		return err
	}
	var fresh []sql.Row
	err = eachRow(ctx, rows, func(row sql.Row) error {
		row, err := r.assigned(ctx, row, source.Schema())
		if err != nil || row == nil {
			return err
		}
		fresh = append(fresh, row)
		return nil
	})
	r.level++
	r.rows, r.at = fresh, 0
	return err
}

// assigned returns a row as the columns keep it, nil for one that was there before.
func (r *recursiveIter) assigned(ctx *sql.Context, row sql.Row, from sql.Schema) (sql.Row, error) {
	s := fromContext(ctx)
	s.givenRow = max(s.givenRow, 1)
	kept := row.Copy()
	// In a subquery the outer query's row comes first, and stays.
	columns := kept[len(row)-len(from):]
	for i, col := range r.node.Schema() {
		t := assignTarget{s: s, ctx: ctx, column: col.Name, typ: col.Type, lenient: !s.strict()}
		v, err := t.assign(columns[i], from[i].Type)
		if err != nil {
			return nil, err
		}
		columns[i] = v
	}
	if r.seen == nil {
		return kept, nil
	}
	key, err := r.keyer.key(ctx, kept)
	if err != nil || r.seen[key] {
		return nil, err
	}
	r.seen[key] = true
	return kept, nil
}

func (r *recursiveIter) Close(*sql.Context) error {
	r.node.Working.Buf = nil
	return nil
}
