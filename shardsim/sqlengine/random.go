package sqlengine

import (
	"math/rand/v2"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// randomCall is RAND(seed) with the numbers MySQL gives: a constant seeds a generator when the statement begins, anything
// else seeds it anew for each row. RAND() is the engine's kind of random.
type randomCall struct {
	seed sql.Expression // nil for RAND()
	gen  *randomNumbers // of a constant seed; nil before the first row
}

var _ sql.FunctionExpression = (*randomCall)(nil)
var _ sql.NonDeterministicExpression = (*randomCall)(nil)

func newRandomCall(args ...sql.Expression) (sql.Expression, error) {
	switch len(args) {
	case 0:
		return &randomCall{}, nil
	case 1:
		return &randomCall{seed: args[0]}, nil
	}
	return nil, sql.ErrInvalidArgumentNumber.New("rand", "0 or 1", len(args))
}

func (c *randomCall) FunctionName() string     { return "rand" }
func (c *randomCall) Description() string      { return "random number from 0 up to 1" }
func (c *randomCall) Type() sql.Type           { return types.Float64 }
func (c *randomCall) IsNullable() bool         { return false }
func (c *randomCall) IsNonDeterministic() bool { return true }
func (c *randomCall) Resolved() bool           { return c.seed == nil || c.seed.Resolved() }
func (c *randomCall) isConstant() bool         { _, ok := c.seed.(*expression.Literal); return ok }
func (c *randomCall) Children() []sql.Expression {
	if c.seed == nil {
		return nil
	}
	return []sql.Expression{c.seed}
}

func (c *randomCall) String() string {
	if c.seed == nil {
		return "rand()"
	}
	return "rand(" + c.seed.String() + ")"
}

func (c *randomCall) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return newRandomCall(children...)
}

func (c *randomCall) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if c.seed == nil {
		return rand.Float64(), nil
	}
	if c.gen == nil || !c.isConstant() {
		v, err := c.seed.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		n, _, err := types.Int64.Convert(ctx, v)
		if err != nil {
			return nil, err
		}
		seed, _ := n.(int64) // NULL seeds as 0
		c.gen = newRandomNumbers(uint32(seed))
	}
	return c.gen.next(), nil
}

// randomNumbers is MySQL's generator: two linear congruences, of which the second feeds the first.
type randomNumbers struct{ first, second uint64 }

// randomModulus is the generator's: numbers are multiples of 1/randomModulus.
const randomModulus = 1<<30 - 1

// newRandomNumbers spreads a seed over both states, in 32 bits.
func newRandomNumbers(seed uint32) *randomNumbers {
	return &randomNumbers{first: uint64(seed*0x10001+55555555) % randomModulus, second: uint64(seed*0x10000001) % randomModulus}
}

func (r *randomNumbers) next() float64 {
	r.first = (r.first*3 + r.second) % randomModulus
	r.second = (r.first + r.second + 33) % randomModulus
	return float64(r.first) / randomModulus
}
