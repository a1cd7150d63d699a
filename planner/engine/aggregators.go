package engine

import (
	"context"
	"strconv"

	"vitess.io/vitess/go/sqltypes"
	binlogdatapb "vitess.io/vitess/go/vt/proto/binlogdata"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

// aggregator makes one value of a group's rows. finish returns it and begins a new group.
type aggregator interface {
	add(row sqltypes.Row) error
	finish() (sqltypes.Value, error)
}

// typedAggregator is an aggregator and the type of what it makes.
type typedAggregator struct {
	aggregator
	typ querypb.Type
}

// newAggregator returns what runs the aggregate over rows with the given fields.
func (ap *AggregateParams) newAggregator(ctx context.Context, env *Env, bindVars BindVars, in []*querypb.Field) (typedAggregator, error) {
	source := in[ap.Col].Type
	out := typedAggregator{typ: ap.resultType(source)}
	switch ap.Opcode {
	case opcode.AggregateCountStar:
		out.aggregator = &countRows{}
	case opcode.AggregateCount, opcode.AggregateCountDistinct:
		out.aggregator = &countValues{col: ap.Col, repeats: ap.newRepeats(in)}
	case opcode.AggregateSum, opcode.AggregateSumDistinct:
		out.aggregator = ap.newSumValues(source, out.typ, in)
	case opcode.AggregateMin, opcode.AggregateMax:
		if ap.WAssigned() && !comparable(source) {
			return out, vterrors.VT12001("min/max on types that are not comparable is not supported")
		}
		compared := source
		if source == sqltypes.Enum || source == sqltypes.Set {
			compared = sqltypes.VarChar // MIN and MAX compare their members as texts
		}
		extreme := evalengine.NewAggregationMinMax(compared, ap.CollationEnv, ap.Type.Collation(), nil)
		out.aggregator = &extremeValue{col: ap.Col, extreme: extreme, max: ap.Opcode == opcode.AggregateMax, typ: source, compared: compared}
	case opcode.AggregateAnyValue:
		out.aggregator = &firstValue{col: ap.Col}
	case opcode.AggregateGroupConcat:
		out.aggregator = ap.newConcat(env, out.typ)
	case opcode.AggregateGtid:
		out.aggregator = &gtidValues{col: ap.Col}
	case opcode.AggregateConstant:
		value, err := env.evaluate(ctx, bindVars, ap.EExpr)
		if err != nil {
			return out, err
		}
		out.aggregator, out.typ = constantValue{value}, value.Type()
	default:
		return out, vterrors.VT12001("aggregating " + ap.Opcode.String() + " over shards")
	}
	return out, nil
}

// resultType is the type of what the query asked for, which shards may have done a part of.
func (ap *AggregateParams) resultType(source querypb.Type) querypb.Type {
	if ap.OrigOpcode != opcode.AggregateUnassigned {
		return ap.OrigOpcode.SQLType(source)
	}
	return ap.Opcode.SQLType(source)
}

// newSumValues returns a SUM.
func (ap *AggregateParams) newSumValues(source, typ querypb.Type, in []*querypb.Field) *sumValues {
	number := summandOf(source, ap.Type.Values())
	if number != nil {
		source = typ
	}
	return &sumValues{col: ap.Col, sum: ap.newSum(source), repeats: ap.newRepeats(in), number: number}
}

// newSum returns the sum of values, or of the counts that shards made.
func (ap *AggregateParams) newSum(source querypb.Type) evalengine.Sum {
	switch ap.OrigOpcode {
	case opcode.AggregateCount, opcode.AggregateCountStar, opcode.AggregateCountDistinct:
		return evalengine.NewSumOfCounts()
	default:
		return evalengine.NewAggregationSum(source)
	}
}

// newConcat returns a GROUP_CONCAT, as long as the session allows.
func (ap *AggregateParams) newConcat(env *Env, typ querypb.Type) aggregator {
	concat := &concatValues{col: ap.Col, typ: typ, separator: ",", max: 1024}
	if f, ok := ap.Func.(*sqlparser.GroupConcatExpr); ok {
		concat.separator = f.Separator
	}
	if env.Session == nil {
		return concat
	}
	if text, ok := env.Session.Variable("group_concat_max_len"); ok {
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			concat.max = n
		}
	}
	return concat
}

// comparable reports whether values of a type are compared without a collation.
func comparable(typ querypb.Type) bool {
	if typ == sqltypes.Null || sqltypes.IsNumber(typ) || sqltypes.IsBinary(typ) {
		return true
	}
	switch typ {
	case sqltypes.Timestamp, sqltypes.Date, sqltypes.Time, sqltypes.Datetime, sqltypes.Enum, sqltypes.Set,
		sqltypes.TypeJSON, sqltypes.Bit, sqltypes.Vector:
		return true
	default:
		return false
	}
}

// repeats recognises values that came before, in a column whose values arrive sorted. Its zero value recognises none.
type repeats struct {
	key  *keyComparison
	last sqltypes.Row
}

// newRepeats returns the repeats of a DISTINCT aggregate, and the zero value for others.
func (ap *AggregateParams) newRepeats(in []*querypb.Field) repeats {
	if !ap.Opcode.IsDistinct() {
		return repeats{}
	}
	key := &keyComparison{col: ap.KeyCol, weight: ap.WCol, typ: ap.Type, env: ap.CollationEnv}
	if ap.WAssigned() && !comparable(in[ap.KeyCol].Type) {
		key.col, key.weight = ap.WCol, -1
	}
	return repeats{key: key}
}

func (r *repeats) seen(row sqltypes.Row) (bool, error) {
	if r.key == nil {
		return false, nil
	}
	if r.last != nil {
		if same, err := r.key.equal(r.last, row); same || err != nil {
			return same, err
		}
	}
	r.last = row
	return false, nil
}

// countRows is COUNT(*).
type countRows struct{ n int64 }

func (c *countRows) add(sqltypes.Row) error {
	c.n++
	return nil
}

func (c *countRows) finish() (sqltypes.Value, error) {
	value := sqltypes.NewInt64(c.n)
	c.n = 0
	return value, nil
}

// countValues is COUNT([DISTINCT] x).
type countValues struct {
	col     int
	n       int64
	repeats repeats
}

func (c *countValues) add(row sqltypes.Row) error {
	if row[c.col].IsNull() {
		return nil
	}
	seen, err := c.repeats.seen(row)
	if !seen && err == nil {
		c.n++
	}
	return err
}

func (c *countValues) finish() (sqltypes.Value, error) {
	value := sqltypes.NewInt64(c.n)
	c.n, c.repeats.last = 0, nil
	return value, nil
}

// sumValues is SUM([DISTINCT] x).
type sumValues struct {
	col     int
	sum     evalengine.Sum
	repeats repeats
	number  func(sqltypes.Value) (sqltypes.Value, error) // of a value that is none, else nil
}

func (s *sumValues) add(row sqltypes.Row) error {
	if row[s.col].IsNull() {
		return nil
	}
	if seen, err := s.repeats.seen(row); seen || err != nil {
		return err
	}
	if s.number == nil {
		return s.sum.Add(row[s.col])
	}
	number, err := s.number(row[s.col])
	if err != nil {
		return err
	}
	return s.sum.Add(number)
}

func (s *sumValues) finish() (sqltypes.Value, error) {
	value := s.sum.Result()
	s.sum.Reset()
	s.repeats.last = nil
	return value, nil
}

// extremeValue is MIN or MAX.
type extremeValue struct {
	col     int
	extreme evalengine.MinMax
	max     bool
	// typ is the values' type, compared the one they are compared as.
	typ, compared querypb.Type
}

func (e *extremeValue) add(row sqltypes.Row) error {
	value := retyped(row[e.col], e.typ, e.compared)
	if e.max {
		return e.extreme.Max(value)
	}
	return e.extreme.Min(value)
}

// retyped gives a value of one type another that is written the same.
func retyped(value sqltypes.Value, from, to querypb.Type) sqltypes.Value {
	if from == to || value.IsNull() {
		return value
	}
	return sqltypes.MakeTrusted(to, value.Raw())
}

func (e *extremeValue) finish() (sqltypes.Value, error) {
	value := retyped(e.extreme.Result(), e.compared, e.typ)
	e.extreme.Reset()
	return value, nil
}

// firstValue is ANY_VALUE, and every column that is not aggregated.
type firstValue struct {
	col   int
	value sqltypes.Value
	found bool
}

func (f *firstValue) add(row sqltypes.Row) error {
	if !f.found {
		f.value, f.found = row[f.col], true
	}
	return nil
}

func (f *firstValue) finish() (sqltypes.Value, error) {
	value := f.value
	f.value, f.found = sqltypes.NULL, false
	return value, nil
}

// constantValue is an expression without columns.
type constantValue struct{ value sqltypes.Value }

func (c constantValue) add(sqltypes.Row) error { return nil }

func (c constantValue) finish() (sqltypes.Value, error) { return c.value, nil }

// concatValues is GROUP_CONCAT.
type concatValues struct {
	col       int
	typ       querypb.Type
	separator string
	max       int // bytes
	text      []byte
	found     bool
}

func (c *concatValues) add(row sqltypes.Row) error {
	if row[c.col].IsNull() {
		return nil
	}
	if c.found {
		c.text = append(c.text, c.separator...)
	}
	c.text = append(c.text, row[c.col].Raw()...)
	c.found = true
	return nil
}

func (c *concatValues) finish() (sqltypes.Value, error) {
	value := sqltypes.NULL
	if c.found {
		value = sqltypes.MakeTrusted(c.typ, cutText(c.text, c.max, c.typ))
	}
	c.text, c.found = nil, false
	return value, nil
}

// cutText cuts a text to at most max bytes, between characters.
func cutText(text []byte, max int, typ querypb.Type) []byte {
	if len(text) <= max {
		return text
	}
	end := max
	for !sqltypes.IsBinary(typ) && end > 0 && text[end]&0xC0 == 0x80 {
		end--
	}
	return text[:end]
}

// gtidValues collects shards' positions: keyspace, position and shard stand in neighbouring columns.
type gtidValues struct {
	col    int
	shards []*binlogdatapb.ShardGtid
}

func (g *gtidValues) add(row sqltypes.Row) error {
	g.shards = append(g.shards, &binlogdatapb.ShardGtid{
		Keyspace: row[g.col-1].ToString(), Gtid: row[g.col].ToString(), Shard: row[g.col+1].ToString(),
	})
	return nil
}

func (g *gtidValues) finish() (sqltypes.Value, error) {
	positions := binlogdatapb.VGtid{ShardGtids: g.shards}
	value := sqltypes.NewVarChar(positions.String())
	g.shards = nil
	return value, nil
}
