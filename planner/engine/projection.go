package engine

import (
	"context"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

var _ Primitive = (*Projection)(nil)

// Projection makes each row anew from expressions over its input's row.
type Projection struct {
	// Cols are the names of the columns that leave, one for each of Exprs.
	Cols  []string
	Exprs []evalengine.Expr
	Input Primitive
}

// Inputs implements Primitive.
func (p *Projection) Inputs() []Input { return inputs(p.Input) }

// NeedsTransaction implements Primitive.
func (p *Projection) NeedsTransaction() bool { return p.Input.NeedsTransaction() }

// Execute implements Primitive.
func (p *Projection) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	expressions := env.expressions(ctx, bindVars)
	return env.run(ctx, p.Input, bindVars, func(piece *sqltypes.Result) error {
		out := &sqltypes.Result{Rows: make([]sqltypes.Row, len(piece.Rows))}
		if piece.Fields != nil {
			var err error
			if out.Fields, err = p.fieldsOver(env, expressions, piece.Fields); err != nil {
				return err
			}
		}
		for i, row := range piece.Rows {
			expressions.Row = row
			made := make(sqltypes.Row, len(p.Exprs))
			for j, expr := range p.Exprs {
				result, err := expressions.Evaluate(expr)
				if err != nil {
					return err
				}
				made[j] = result.Value(env.Collation)
			}
			out.Rows[i] = made
		}
		return emit(out)
	})
}

// fieldsOver types the expressions over an input's fields.
func (p *Projection) fieldsOver(env *Env, expressions *evalengine.ExpressionEnv, in []*querypb.Field) ([]*querypb.Field, error) {
	expressions.Fields = in
	fields := make([]*querypb.Field, len(p.Exprs))
	for i, expr := range p.Exprs {
		t, err := expressions.TypeOf(expr)
		if err != nil {
			return nil, err
		}
		field := t.ToField(p.Cols[i])
		if sqltypes.IsTextOrBinary(t.Type()) && t.Collation() != collations.CollationBinaryID {
			// Text leaves in the connection's character set.
			field.Charset = uint32(env.Collation)
		}
		if sqltypes.IsNull(t.Type()) {
			field.Flags &^= uint32(querypb.MySqlFlag_NOT_NULL_FLAG)
		}
		fields[i] = field
	}
	return fields, nil
}

// GetFields implements Primitive.
func (p *Projection) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	fields, err := p.Input.GetFields(ctx, env, bindVars)
	if err != nil {
		return nil, err
	}
	return p.fieldsOver(env, env.expressions(ctx, bindVars), fields)
}

// Description implements Primitive.
func (p *Projection) Description() Description {
	d := describe("Projection", "")
	texts := expressionTexts(p.Exprs)
	for i, name := range p.Cols {
		if name != "" {
			texts[i] += " as " + name
		}
	}
	d.set("Expressions", texts)
	return d
}
