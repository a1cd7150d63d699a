package engine

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

var _ Primitive = (*Sequential)(nil)

// Sequential runs writes one after the other and adds up the rows they affected.
type Sequential struct {
	writes

	Sources []Primitive
}

// NewSequential returns a Sequential.
func NewSequential(sources []Primitive) *Sequential { return &Sequential{Sources: sources} }

// Inputs implements Primitive.
func (s *Sequential) Inputs() []Input { return inputs(s.Sources...) }

// Execute implements Primitive.
func (s *Sequential) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	env = env.withMoreWrites()
	total := &sqltypes.Result{}
	for _, source := range s.Sources {
		result, err := env.collect(ctx, source, bindVars)
		if err != nil {
			return err
		}
		total = addUpWrites([]*sqltypes.Result{total, result})
	}
	return emit(total)
}

// GetFields implements Primitive.
func (*Sequential) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) {
	return nil, nil
}

// Description implements Primitive.
func (s *Sequential) Description() Description { return describe("Sequential", "") }
