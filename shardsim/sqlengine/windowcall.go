package sqlengine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"
)

// windowCall is a window function of ours. SUM and AVG are exact over a frame and NULL where it has only NULLs: the engine's
// are doubles, zero and not a number. The others the engine's binder does not know over windows: they go by a name it takes for
// a window function's, with their own name as first argument.
//
//	nth_value(x, 2) over (...)     last('nth_value', x, 2) over (...)
//	sum(x) over (...)              as it is, see settler.rewrite
type windowCall struct {
	name   string
	args   []sql.Expression
	typ    sql.Type
	window *sql.WindowDefinition
	id     sql.ColumnId
}

var _ sql.WindowAdaptableExpression = (*windowCall)(nil)

// windowCarrier is the name of a window function to the engine's binder. No statement can have it: it is a keyword.
const windowCarrier = "last"

// carryWindows renames the window functions that the engine's parser reads and its binder does not know.
func carryWindows(stmt dolt.Statement) {
	_ = dolt.Walk(func(node dolt.SQLNode) (bool, error) {
		f, ok := node.(*dolt.FuncExpr)
		if !ok || f.Over == nil {
			return true, nil
		}
		switch name := f.Name.Lowered(); name {
		case "nth_value", "cume_dist", "row_number", "ntile", "bit_and", "bit_or", "bit_xor", "json_objectagg":
			own := &dolt.AliasedExpr{Expr: dolt.NewStrVal([]byte(name))}
			f.Exprs = append(dolt.SelectExprs{own}, f.Exprs...)
			f.Name = dolt.NewColIdent(windowCarrier)
		case "first_value", "last_value", "lag", "lead":
			// The engine has them with partitions or an order alone.
			if over := f.Over; over.Name.IsEmpty() && over.NameRef.IsEmpty() && len(over.PartitionBy) == 0 && len(over.OrderBy) == 0 {
				over.PartitionBy = dolt.Exprs{&dolt.NullVal{}}
			}
		}
		return true, nil
	}, stmt)
}

// newWindowCall makes the function that carryWindows renamed.
func newWindowCall(args ...sql.Expression) (sql.Expression, error) {
	lit, ok := args[0].(*expression.Literal)
	if !ok {
		return nil, sql.ErrFunctionNotFound.New(windowCarrier)
	}
	name, _ := lit.Value().(string)
	return typedWindowCall(&windowCall{name: name, args: args[1:]})
}

// typedWindowCall gives a call the type of its arguments.
func typedWindowCall(c *windowCall) (*windowCall, error) {
	switch c.name {
	case "sum", "avg":
		c.typ = c.args[0].Type()
	case "cume_dist":
		c.typ = types.Float64
	case "row_number":
		c.typ = types.Uint64
	case "ntile":
		c.typ = types.Uint64
		return c, isCount(c.name, c.args[0])
	case "nth_value":
		c.typ = c.args[0].Type()
		return c, isCount(c.name, c.args[1])
	default:
		agg, err := frameAggregate(c.name, c.args)
		if err != nil {
			return nil, err
		}
		c.typ = agg.Type()
	}
	return c, nil
}

// isCount refuses an argument that must be a positive integer and is none. What is known only later is not refused.
func isCount(name string, e sql.Expression) error {
	lit, ok := e.(*expression.Literal)
	if !ok {
		return nil
	}
	if n, isInteger := bigInt(lit.Value()); !isInteger || n.Sign() <= 0 {
		return mysqlError(1210, "HY000", "Incorrect arguments to %s", name)
	}
	return nil
}

// frameAggregate is the aggregate that is computed anew for each frame.
func frameAggregate(name string, args []sql.Expression) (sql.Aggregation, error) {
	want := 1
	if name == "json_objectagg" {
		want = 2
	}
	if len(args) != want {
		return nil, sql.ErrInvalidArgumentNumber.New(name, want, len(args))
	}
	switch name {
	case "bit_and":
		return aggregation.NewBitAnd(bitsArgument.call("bits", args)), nil
	case "bit_or":
		return aggregation.NewBitOr(bitsArgument.call("bits", args)), nil
	case "bit_xor":
		return aggregation.NewBitXor(bitsArgument.call("bits", args)), nil
	case "json_objectagg":
		return aggregation.NewJSONObjectAgg(args[0], args[1]).(sql.Aggregation), nil
	}
	return nil, sql.ErrFunctionNotFound.New(name)
}

// exactWindow replaces the engine's SUM or AVG over a window.
func exactWindow(name string, arg sql.Expression, w *sql.WindowDefinition, id sql.ColumnId) sql.Expression {
	return &windowCall{name: name, args: []sql.Expression{arg}, typ: arg.Type(), window: w, id: id}
}

func (c *windowCall) Id() sql.ColumnId              { return c.id }
func (c *windowCall) Window() *sql.WindowDefinition { return c.window }
func (c *windowCall) Type() sql.Type                { return c.typ }
func (c *windowCall) IsNullable() bool              { return !c.countsRows() }

// countsRows reports whether the function is of the rows of a partition, whatever the frame is.
func (c *windowCall) countsRows() bool {
	switch c.name {
	case "cume_dist", "row_number", "ntile":
		return true
	}
	return false
}

func (c *windowCall) WithId(id sql.ColumnId) sql.IdExpression {
	again := *c
	again.id = id
	return &again
}

func (c *windowCall) WithWindow(w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	again := *c
	again.window = w
	return &again
}

func (c *windowCall) Resolved() bool {
	return expression.ExpressionsResolved(c.args...) && (c.window == nil || expression.ExpressionsResolved(c.window.ToExpressions()...))
}

func (c *windowCall) String() string {
	texts := make([]string, len(c.args))
	for i, a := range c.args {
		texts[i] = a.String()
	}
	text := c.name + "(" + strings.Join(texts, ", ") + ")"
	if c.window != nil {
		text += " " + c.window.String()
	}
	return text
}

func (c *windowCall) Children() []sql.Expression {
	return append(append([]sql.Expression(nil), c.args...), c.window.ToExpressions()...)
}

func (c *windowCall) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	again := *c
	again.args = children[:len(c.args)]
	w, err := c.window.FromExpressions(children[len(c.args):])
	if err != nil {
		return nil, err
	}
	again.window = w
	return typedWindowCall(&again)
}

func (c *windowCall) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, sql.ErrWindowUnsupported.New(c.name)
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (c *windowCall) NewWindowFunction() (sql.WindowFunction, error) {
	f := windowedValues{call: c}
	if w := c.window; c.countsRows() && c.name != "cume_dist" {
		f.framer = aggregation.NewPartitionFramer()
	} else if c.name == "cume_dist" {
		f.framer = &peersFramer{keyer: newSortKeyer(w.OrderBy)}
	} else if w.Frame != nil {
		framer, err := w.Frame.NewFramer(w)
		if err != nil {
			return nil, err
		}
		f.framer = framer
	} else {
		f.framer = aggregation.NewPartitionFramer()
	}
	switch {
	case c.name == "sum" || c.name == "avg":
		return &windowedSum{windowedValues: f, exact: c.typ != types.Float64}, nil
	case c.name == "cume_dist":
		return &cumulativeShare{f}, nil
	}
	switch c.name {
	case "nth_value":
		return &nthValue{windowedValues: f}, nil
	case "row_number":
		return &rowNumber{windowedValues: f}, nil
	case "ntile":
		return &bucketNumber{rowNumber{windowedValues: f}}, nil
	}
	agg, err := frameAggregate(c.name, c.args)
	return &windowedAggregate{windowedValues: f, agg: agg}, err
}

// windowedValues holds the values of a call's first argument in one partition.
type windowedValues struct {
	call   *windowCall
	framer sql.WindowFramer
	start  int   // where the partition begins in the buffer
	values []any // one a row of the partition, none for a call without arguments
	rows   int
}

func (f *windowedValues) Dispose()                        {}
func (f *windowedValues) DefaultFramer() sql.WindowFramer { return f.framer }

func (f *windowedValues) StartPartition(ctx *sql.Context, part sql.WindowInterval, rows sql.WindowBuffer) error {
	f.start, f.rows, f.values = part.Start, part.End-part.Start, f.values[:0]
	if len(f.call.args) == 0 {
		return nil
	}
	for _, row := range rows[part.Start:part.End] {
		v, err := f.call.args[0].Eval(ctx, row)
		if err != nil {
			return err
		}
		f.values = append(f.values, v)
	}
	return nil
}

// windowedSum is SUM or AVG over frames. The frame of a row mostly begins where the one before did: then only what is new is
// added. Decimals that left a frame are taken off; doubles are added up anew, as MySQL does for the sake of precision.
type windowedSum struct {
	windowedValues
	exact    bool
	from, to int // what is added up, as positions in values
	count    int // of values that are not NULL
	sum      decimal.Decimal
	double   float64
}

func (f *windowedSum) StartPartition(ctx *sql.Context, part sql.WindowInterval, rows sql.WindowBuffer) error {
	f.reset(0)
	return f.windowedValues.StartPartition(ctx, part, rows)
}

func (f *windowedSum) reset(at int) {
	f.from, f.to, f.count, f.sum, f.double = at, at, 0, decimal.Zero, 0
}

func (f *windowedSum) Compute(_ *sql.Context, frame sql.WindowInterval, _ sql.WindowBuffer) any {
	from, to := frame.Start-f.start, frame.End-f.start
	if from < f.from || to < f.to || from > f.to || from > f.from && !f.exact {
		f.reset(from)
	}
	for ; f.to < to; f.to++ {
		f.add(f.values[f.to], 1)
	}
	for ; f.from < from; f.from++ {
		f.add(f.values[f.from], -1)
	}
	if f.count == 0 {
		return nil
	}
	if !f.exact {
		if f.call.name == "avg" {
			return f.double / float64(f.count)
		}
		return f.double
	}
	if f.call.name == "avg" {
		return f.sum.DivRound(decimal.NewFromInt(int64(f.count)), int32(f.call.typ.(sql.DecimalType).Scale()))
	}
	return f.sum
}

func (f *windowedSum) add(v any, sign int) {
	switch v := v.(type) {
	case decimal.Decimal:
		f.count += sign
		if sign < 0 {
			v = v.Neg()
		}
		f.sum = f.sum.Add(v)
	case float64:
		f.count += sign
		f.double += v
	}
}

// cumulativeShare is CUME_DIST(): which part of the partition comes before the current row or sorts as it does.
type cumulativeShare struct{ windowedValues }

func (f *cumulativeShare) Compute(_ *sql.Context, frame sql.WindowInterval, _ sql.WindowBuffer) any {
	return float64(frame.End-f.start) / float64(f.rows)
}

// nthValue is NTH_VALUE(x, n): the value of the frame's n-th row, NULL if it has fewer.
type nthValue struct{ windowedValues }

func (f *nthValue) Compute(ctx *sql.Context, frame sql.WindowInterval, rows sql.WindowBuffer) any {
	v, err := f.call.args[1].Eval(ctx, nil)
	n, ok := bigInt(v)
	if err != nil || !ok || !n.IsInt64() {
		return nil
	}
	at := int64(frame.Start-f.start) + n.Int64() - 1
	if at >= int64(frame.End-f.start) {
		return nil
	}
	return f.values[at]
}

// rowNumber is ROW_NUMBER(): the rows of a partition come in their order.
type rowNumber struct {
	windowedValues
	before uint64
}

func (f *rowNumber) StartPartition(ctx *sql.Context, part sql.WindowInterval, rows sql.WindowBuffer) error {
	f.before = 0
	return f.windowedValues.StartPartition(ctx, part, rows)
}

func (f *rowNumber) Compute(*sql.Context, sql.WindowInterval, sql.WindowBuffer) any {
	f.before++
	return f.before
}

// bucketNumber is NTILE(n): n buckets of rows, of which the first ones have one row more if they do not come out even.
type bucketNumber struct{ rowNumber }

func (f *bucketNumber) Compute(*sql.Context, sql.WindowInterval, sql.WindowBuffer) any {
	at := f.before
	f.before++
	n, ok := bigInt(f.values[at])
	if !ok || n.Sign() <= 0 {
		return nil
	}
	buckets, rows := n.Uint64(), uint64(f.rows)
	small, larger := rows/buckets, rows%buckets
	if at < larger*(small+1) {
		return at/(small+1) + 1
	}
	return larger + (at-larger*(small+1))/small + 1
}

// windowedAggregate is an aggregate of the rows of a frame.
type windowedAggregate struct {
	windowedValues
	agg sql.Aggregation
}

func (f *windowedAggregate) Compute(ctx *sql.Context, frame sql.WindowInterval, rows sql.WindowBuffer) any {
	total, err := f.agg.NewBuffer()
	if err != nil {
		return err
	}
	for _, row := range rows[frame.Start:frame.End] {
		if err := total.Update(ctx, row); err != nil {
			return err
		}
	}
	v, err := total.Eval(ctx)
	if err != nil {
		return err
	}
	return v
}
