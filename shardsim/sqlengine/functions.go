package sqlengine

import (
	"bytes"
	"math"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// ownFunctions are scalar functions the engine does not have.
var ownFunctions = map[string]scalarFunction{
	"weight_string": {min: 1, max: 1, typ: fixedType(types.LongBlob), eval: weightString},
	"truncate":      {min: 2, max: 2, typ: truncateType, eval: truncateNumber},
	"round":         {min: 1, max: 2, typ: roundType, eval: roundNumber},
	"floor":         {min: 1, max: 1, typ: floorType, eval: floorNumber},
	"ceil":          {min: 1, max: 1, typ: floorType, eval: ceilNumber},
	"ceiling":       {min: 1, max: 1, typ: floorType, eval: ceilNumber},
	"abs":           {min: 1, max: 1, typ: absoluteType, eval: absolute},
	"sleep":         {min: 1, max: 1, nulls: true, typ: fixedType(types.Int64), eval: sleepFor},
	"sign":          {min: 1, max: 1, typ: fixedType(types.Int64), eval: signOf},
	"strcmp":        {min: 2, max: 2, typ: fixedType(types.Int64), eval: compareTexts},
	"week":          {min: 2, max: 2, typ: fixedType(types.Int32), eval: weekNumber},
	// The component that would tell is not installed.
	"validate_password_strength": {min: 1, max: 1, typ: fixedType(types.Int64), eval: func(*sql.Context, *scalarCall, []any) (any, error) { return int64(0), nil }},
	"gtid_subset":                {min: 2, max: 2, typ: fixedType(types.Int64), eval: gtidSubset},
	"gtid_subtract":              {min: 2, max: 2, typ: fixedType(defaultTextType), eval: gtidSubtract},
	"greatest":                   {min: 2, max: 255, typ: extremeType, eval: extreme(1)},
	"least":                      {min: 2, max: 255, typ: extremeType, eval: extreme(-1)},
}

// scalarFunction describes a function of its arguments' values alone. NULL in any of them gives NULL, unless nulls is set.
type scalarFunction struct {
	min, max int
	nulls    bool
	typ      func(args []sql.Expression) sql.Type
	eval     func(ctx *sql.Context, call *scalarCall, args []any) (any, error)
}

func fixedType(t sql.Type) func([]sql.Expression) sql.Type {
	return func([]sql.Expression) sql.Type { return t }
}

// function returns the function for the engine's registry.
func (f scalarFunction) function(name string) sql.Function {
	return sql.FunctionN{Name: name, Fn: func(args ...sql.Expression) (sql.Expression, error) {
		if len(args) < f.min || len(args) > f.max {
			return nil, sql.ErrInvalidArgumentNumber.New(name, f.min, len(args))
		}
		return f.call(name, args), nil
	}}
}

// call is the function of arguments, of which there are as many as it wants.
func (f scalarFunction) call(name string, args []sql.Expression) sql.Expression {
	return &scalarCall{name: name, fn: f, args: args}
}

// scalarCall is a call of one of ownFunctions.
type scalarCall struct {
	name string
	fn   scalarFunction
	args []sql.Expression
}

var _ sql.FunctionExpression = (*scalarCall)(nil)

func (c *scalarCall) FunctionName() string       { return c.name }
func (c *scalarCall) Description() string        { return "scalar function" }
func (c *scalarCall) Type() sql.Type             { return c.fn.typ(c.args) }
func (c *scalarCall) IsNullable() bool           { return true }
func (c *scalarCall) Children() []sql.Expression { return c.args }

func (c *scalarCall) Resolved() bool {
	for _, a := range c.args {
		if !a.Resolved() {
			return false
		}
	}
	return true
}

func (c *scalarCall) String() string {
	texts := make([]string, len(c.args))
	for i, a := range c.args {
		texts[i] = a.String()
	}
	return c.name + "(" + strings.Join(texts, ",") + ")"
}

func (c *scalarCall) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(c.args) {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), len(c.args))
	}
	return &scalarCall{name: c.name, fn: c.fn, args: children}, nil
}

// CollationCoercibility implements sql.CollationCoercible: a text has the collation of the argument that comes first.
func (c *scalarCall) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	typ, ok := plainString(c.Type())
	if !ok || typ.Collation() == sql.Collation_binary {
		return c.Type().CollationCoercibility(ctx)
	}
	if c.name == bytesName {
		return typ.Collation(), 0 // whatever they come from
	}
	coll, level := typ.Collation(), byte(coercibleLevel)
	for _, a := range c.args {
		if t, ok := plainString(a.Type()); !ok || t.Collation() == sql.Collation_binary {
			continue
		}
		if id, l := sql.GetCoercibility(ctx, a); l < level {
			coll, level = id, l
		}
	}
	return coll, level
}

// coercibleLevel is the coercibility of literals.
const coercibleLevel = 4

func (c *scalarCall) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	values := make([]any, len(c.args))
	for i, a := range c.args {
		v, err := a.Eval(ctx, row)
		if err != nil || v == nil && !c.fn.nulls {
			return nil, err
		}
		if v == nil {
			continue
		}
		if values[i], err = sql.UnwrapAny(ctx, v); err != nil {
			return nil, err
		}
	}
	return c.fn.eval(ctx, c, values)
}

// weightString is WEIGHT_STRING(s): NULL for what is no string, as in MySQL.
func weightString(_ *sql.Context, call *scalarCall, args []any) (any, error) {
	typ, ok := call.args[0].Type().(sql.StringType)
	if !ok {
		return nil, nil
	}
	var text string
	switch v := args[0].(type) {
	case string:
		text = v
	case []byte:
		text = string(v)
	default:
		return nil, nil
	}
	if typ.Collation() == sql.Collation_binary {
		return []byte(text), nil
	}
	coll, _ := collationOf(typ.Collation())
	return coll.WeightString(nil, []byte(text), 0), nil
}

// truncateType is the type of TRUNCATE(x, d).
func truncateType(args []sql.Expression) sql.Type {
	if _, _, exact := exactDigits(args[0].Type()); exact {
		if n, ok := args[0].Type().(sql.NumberType); ok {
			if n.IsSigned() {
				return types.Int64
			}
			return types.Uint64
		}
		d, ok := args[0].Type().(sql.DecimalType)
		if !ok {
			return types.Int64
		}
		places, ok := args[1].(*expression.Literal)
		if !ok {
			return d
		}
		n, ok := bigInt(places.Value())
		if !ok {
			return d
		}
		scale := min(max(n.Int64(), 0), int64(d.Scale()))
		return types.MustCreateDecimalType(d.Precision()-d.Scale()+uint8(scale), uint8(scale))
	}
	return types.Float64
}

// truncateNumber is TRUNCATE(x, d): digits after the d-th go, towards zero.
func truncateNumber(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	places, _, err := types.Int64.Convert(ctx, args[1])
	if err != nil {
		return nil, err
	}
	n := int32(min(max(places.(int64), -decimalDigitsMax), decimalScaleMax))
	d, err := exactDecimal(args[0])
	if err != nil {
		f, _, err := types.Float64.Convert(ctx, args[0])
		if err != nil {
			return nil, err
		}
		d = decimal.NewFromFloat(f.(float64))
	}
	if n >= 0 {
		d = d.Truncate(n)
	} else {
		d = d.Shift(n).Truncate(0).Shift(-n)
	}
	v, _, err := call.Type().Convert(ctx, d)
	return v, err
}

// weekNumber is WEEK(date, mode) of values that are not NULL, which the engine's stumbles over.
func weekNumber(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	literals := make([]sql.Expression, len(args))
	for i, a := range args {
		literals[i] = expression.NewLiteral(a, call.args[i].Type())
	}
	week, err := function.NewWeek(literals...)
	if err != nil {
		return nil, err
	}
	return week.Eval(ctx, nil)
}

// compareTexts is STRCMP(a, b): -1, 0 or 1.
func compareTexts(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	a, b := bytesOf(args[0]), bytesOf(args[1])
	id, ok := searchCollation(ctx, call.args[0], call.args[1])
	if !ok {
		return int64(bytes.Compare(a, b)), nil
	}
	coll, pad := collationOf(id)
	return int64(min(max(collate(coll, pad, a, b), -1), 1)), nil
}

// absoluteType is the type of ABS(x): its argument's, and of a text a double.
func absoluteType(args []sql.Expression) sql.Type {
	typ := args[0].Type()
	if _, ok := integerType(typ); ok {
		if unsigned, _ := integerType(typ); unsigned {
			return types.Uint64
		}
		return types.Int64
	}
	if d, ok := typ.(sql.DecimalType); ok {
		return d
	}
	return types.Float64
}

// signOf is SIGN(x): -1, 0 or 1.
func signOf(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	if d, err := exactDecimal(args[0]); err == nil {
		return int64(d.Sign()), nil
	}
	f, err := numberArg(ctx, args[0])
	switch {
	case f > 0:
		return int64(1), err
	case f < 0:
		return int64(-1), err
	}
	return int64(0), err
}

func absolute(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	switch call.Type().(type) {
	case sql.DecimalType:
		d, err := exactDecimal(args[0])
		return d.Abs(), err
	}
	if n, ok := bigInt(args[0]); ok && call.Type() != types.Float64 {
		if n.Abs(n); call.Type() == types.Uint64 {
			return n.Uint64(), nil
		}
		if !n.IsInt64() {
			return nil, mysqlError(1690, "22003", "BIGINT value is out of range in 'abs(%s)'", operandText(call.args[0]))
		}
		return n.Int64(), nil
	}
	f, err := numberArg(ctx, args[0])
	return math.Abs(f), err
}

// sleepFor is SLEEP(seconds), which ends early when the statement is killed.
func sleepFor(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	seconds := -1.0
	if args[0] != nil {
		var err error
		if seconds, err = numberArg(ctx, args[0]); err != nil {
			return nil, err
		}
	}
	if seconds < 0 {
		return nil, mysqlError(1210, "HY000", "Incorrect arguments to sleep.")
	}
	timer := time.NewTimer(time.Duration(seconds * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return int64(0), nil
	}
}
