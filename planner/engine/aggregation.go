package engine

import (
	"context"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// aggregation adds up the rows of one group at a time: one aggregator per column. Columns without an aggregate keep the
// group's first value.
type aggregation struct {
	columns []aggregator
	fields  []*querypb.Field
}

// newAggregation returns an aggregation over rows with the given fields.
func newAggregation(ctx context.Context, env *Env, bindVars BindVars, in []*querypb.Field, aggregates []*AggregateParams) (*aggregation, error) {
	a := &aggregation{columns: make([]aggregator, len(in)), fields: make([]*querypb.Field, len(in))}
	for i, field := range in {
		a.columns[i] = &firstValue{col: i}
		a.fields[i] = field
	}
	for _, params := range aggregates {
		made, err := params.newAggregator(ctx, env, bindVars, in)
		if err != nil {
			return nil, err
		}
		a.columns[params.Col] = made.aggregator
		field := aggregateField(in[params.Col], made.typ)
		if params.Alias != "" {
			field.Name = params.Alias
		}
		a.fields[params.Col] = field
	}
	return a, nil
}

// aggregateField is the field of an aggregate over a column. Where its type is another, the flags of the column's type go.
func aggregateField(source *querypb.Field, typ querypb.Type) *querypb.Field {
	field := source.CloneVT()
	if typ != source.Type {
		_, flags := sqltypes.TypeToMySQL(typ)
		field.Type, field.Flags = typ, uint32(flags)
	}
	return field
}

// add takes a row into the group.
func (a *aggregation) add(row sqltypes.Row) error {
	for _, column := range a.columns {
		if err := column.add(row); err != nil {
			return err
		}
	}
	return nil
}

// finish returns the group's row and begins a new group.
func (a *aggregation) finish() (sqltypes.Row, error) {
	row := make(sqltypes.Row, len(a.columns))
	for i, column := range a.columns {
		value, err := column.finish()
		if err != nil {
			return nil, err
		}
		row[i] = value
	}
	return row, nil
}

// aggregationFields returns the fields of an aggregation over an input.
func aggregationFields(ctx context.Context, env *Env, bindVars BindVars, input Primitive, aggregates []*AggregateParams) ([]*querypb.Field, error) {
	in, err := input.GetFields(ctx, env, bindVars)
	if err != nil {
		return nil, err
	}
	a, err := newAggregation(ctx, env, bindVars, in, aggregates)
	if err != nil {
		return nil, err
	}
	return a.fields, nil
}

// keyComparison compares one column of rows, falling back to a weight string column where values can not be compared.
type keyComparison struct {
	col, weight int // weight < 0 for none
	typ         evalengine.Type
	env         *collations.Environment
}

// equal reports whether two rows are alike in the column. NULL is like NULL.
func (k *keyComparison) equal(a, b sqltypes.Row) (bool, error) {
	c, err := evalengine.NullsafeCompare(a[k.col], b[k.col], k.env, k.typ.Collation(), k.typ.Values())
	if _, unsupported := err.(evalengine.UnsupportedCollationError); unsupported && k.weight >= 0 && k.weight != k.col {
		k.col = k.weight
		return k.equal(a, b)
	}
	return c == 0, err
}
