package sqlengine

import (
	"math"
	"math/big"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// trigonometry are SIN, COS, TAN, COT, ASIN and ACOS to the last digit. The standard library's are less exact near multiples of pi,
// where the manual's examples are: it takes off these multiples with few digits.
var trigonometry = map[string]scalarFunction{
	"sin":  {min: 1, max: 1, typ: fixedType(types.Float64), eval: ofAngle(func(sin, _ *big.Float) *big.Float { return sin })},
	"cos":  {min: 1, max: 1, typ: fixedType(types.Float64), eval: ofAngle(func(_, cos *big.Float) *big.Float { return cos })},
	"tan":  {min: 1, max: 1, typ: fixedType(types.Float64), eval: ofAngle(tangent)},
	"cot":  {min: 1, max: 1, typ: fixedType(types.Float64), eval: cotangent},
	"asin": {min: 1, max: 1, typ: fixedType(types.Float64), eval: ofSine(func(asin *big.Float) *big.Float { return asin })},
	"acos": {min: 1, max: 1, typ: fixedType(types.Float64), eval: ofSine(func(asin *big.Float) *big.Float { return asin.Sub(halfPi, asin) })},
}

// anglePrecision is enough bits for angles up to angleMax; beyond, the library must do.
const (
	anglePrecision = 300
	angleMax       = 1e30
)

// halfPi is pi/2.
var halfPi, _, _ = big.ParseFloat("1.570796326794896619231321691639751442098584699687552910487472296153908203143104499314017412671058533991074043256641", 10, anglePrecision, big.ToNearestEven)

// bits is a number with enough digits to reckon on.
func bits(f float64) *big.Float { return new(big.Float).SetPrec(anglePrecision).SetFloat64(f) }

// series returns the sine and cosine of an angle that is not far from 0.
func series(angle *big.Float) (sin, cos *big.Float) {
	sin, cos = bits(0), bits(0)
	for term, n := bits(1), 0; n < 40; n++ {
		// The terms of both series in turn: 1, y, -y²/2, -y³/6, ...
		switch n % 4 {
		case 0:
			cos.Add(cos, term)
		case 1:
			sin.Add(sin, term)
		case 2:
			cos.Sub(cos, term)
		case 3:
			sin.Sub(sin, term)
		}
		term.Mul(term, angle)
		term.Quo(term, bits(float64(n+1)))
	}
	return sin, cos
}

// sinCos returns the sine and cosine of x: those of its distance to the next multiple of pi/2, turned.
func sinCos(x float64) (sin, cos *big.Float) {
	if math.Abs(x) > angleMax {
		s, c := math.Sincos(x)
		return bits(s), bits(c)
	}
	half := bits(math.Copysign(0.5, x))
	turns, _ := half.Add(half, new(big.Float).Quo(bits(x), halfPi)).Int(nil)
	whole := new(big.Float).SetPrec(anglePrecision).SetInt(turns)
	rest := bits(x)
	sin, cos = series(rest.Sub(rest, whole.Mul(whole, halfPi)))
	switch new(big.Int).And(turns, big.NewInt(3)).Int64() {
	case 1:
		return cos, sin.Neg(sin)
	case 2:
		return sin.Neg(sin), cos.Neg(cos)
	case 3:
		return cos.Neg(cos), sin
	}
	return sin, cos
}

func ofAngle(f func(sin, cos *big.Float) *big.Float) func(*sql.Context, *scalarCall, []any) (any, error) {
	return func(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
		x, err := numberArg(ctx, args[0])
		if err != nil {
			return nil, err
		}
		v, _ := f(sinCos(x)).Float64()
		return v, nil
	}
}

// tangent divides. A cosine is never zero: pi/2 is no double.
func tangent(sin, cos *big.Float) *big.Float { return sin.Quo(sin, cos) }

// cotangent is the reciprocal of the tangent as a double, as MySQL has it.
func cotangent(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	x, err := numberArg(ctx, args[0])
	if err != nil {
		return nil, err
	}
	tan, _ := tangent(sinCos(x)).Float64()
	return finite(1/tan, "cot("+operandText(call.args[0])+")")
}

// ofSine gives what f makes of the arc sine of an argument, NULL outside of -1 to 1.
func ofSine(f func(asin *big.Float) *big.Float) func(*sql.Context, *scalarCall, []any) (any, error) {
	return func(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
		x, err := numberArg(ctx, args[0])
		if err != nil || !(math.Abs(x) <= 1) {
			return nil, err
		}
		v, _ := f(arcSine(x)).Float64()
		return v, nil
	}
}

// arcSine corrects the library's arc sine by Newton's step, with sine and cosine of enough digits.
func arcSine(x float64) *big.Float {
	if math.Abs(x) == 1 {
		return new(big.Float).SetPrec(anglePrecision).Mul(halfPi, bits(x))
	}
	near := bits(math.Asin(x))
	sin, cos := series(near)
	step := sin.Sub(bits(x), sin)
	return near.Add(near, step.Quo(step, cos))
}
