package engine

import (
	"context"
	"slices"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

var _ Primitive = (*Concatenate)(nil)

// Concatenate passes on the rows of its sources one after the other, coerced to common types: UNION ALL.
type Concatenate struct {
	Sources []Primitive
	// NoNeedToTypeCheck holds columns whose types may differ, as they are not for the client (weight strings).
	NoNeedToTypeCheck map[int]any
}

// NewConcatenate returns a concatenation that ignores the types of the given columns.
func NewConcatenate(sources []Primitive, ignoreCols []int) *Concatenate {
	c := &Concatenate{Sources: sources, NoNeedToTypeCheck: map[int]any{}}
	for _, col := range ignoreCols {
		c.NoNeedToTypeCheck[col] = nil
	}
	return c
}

// Inputs implements Primitive.
func (c *Concatenate) Inputs() []Input { return inputs(c.Sources...) }

// NeedsTransaction implements Primitive.
func (c *Concatenate) NeedsTransaction() bool { return anyNeedsTransaction(c.Sources...) }

// Execute implements Primitive. All sources start at once, as the common types follow from the fields of all; their rows
// come one source after the other.
func (c *Concatenate) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	n := len(c.Sources)
	s := openStreams(ctx, n, n, func(ctx context.Context, i int, emit Emit) error {
		return env.run(ctx, c.Sources[i], bindVars, emit)
	})
	defer s.close()
	first := make([]*sqltypes.Result, n)
	fields := make([][]*querypb.Field, n)
	for i := range first {
		piece, err := s.next(i)
		if err != nil {
			return err
		}
		if piece == nil {
			piece = &sqltypes.Result{}
		}
		first[i], fields[i] = piece, piece.Fields
	}
	types, err := c.commonTypes(env, fields)
	if err != nil {
		return err
	}
	if err := emit(&sqltypes.Result{Fields: types.fields}); err != nil {
		return err
	}
	for i, piece := range first {
		coerce := types.differFrom(fields[i])
		for piece != nil {
			if err := types.emitRows(piece.Rows, coerce, emit); err != nil {
				return err
			}
			if piece, err = s.next(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// unionTypes are the types the columns of all sources are brought to. Columns with free[i] keep their own.
type unionTypes struct {
	fields []*querypb.Field
	types  []evalengine.Type
	free   []bool
	mode   evalengine.SQLMode
}

// commonTypes aggregates the types of the sources' columns as MySQL does for a UNION.
func (c *Concatenate) commonTypes(env *Env, sources [][]*querypb.Field) (*unionTypes, error) {
	ut := &unionTypes{mode: env.sqlMode()}
	for col, field := range sources[0] {
		_, free := c.NoNeedToTypeCheck[col]
		var typer evalengine.TypeAggregator
		for _, fields := range sources {
			if fields == nil {
				continue
			}
			if len(fields) != len(sources[0]) {
				return nil, differentColumns()
			}
			if free {
				continue
			}
			if err := typer.AddField(fields[col], env.collationEnv()); err != nil {
				return nil, err
			}
		}
		common := typer.Type()
		if free {
			common = evalengine.NewTypeFromField(field)
		} else {
			field = common.ToField(field.Name)
		}
		ut.fields = append(ut.fields, field)
		ut.types = append(ut.types, common)
		ut.free = append(ut.free, free)
	}
	return ut, nil
}

func differentColumns() error {
	return vterrors.NewErrorf(vtrpcpb.Code_FAILED_PRECONDITION, vterrors.WrongNumberOfColumnsInSelect,
		"The used SELECT statements have a different number of columns")
}

// differFrom reports whether a source's rows need coercion.
func (ut *unionTypes) differFrom(fields []*querypb.Field) bool {
	for i, field := range fields {
		if !ut.free[i] && field.Type != ut.types[i].Type() {
			return true
		}
	}
	return false
}

func (ut *unionTypes) emitRows(rows []sqltypes.Row, coerce bool, emit Emit) error {
	if len(rows) == 0 {
		return nil
	}
	if !coerce {
		return emit(&sqltypes.Result{Rows: rows})
	}
	out := make([]sqltypes.Row, len(rows))
	for i, row := range rows {
		if len(row) != len(ut.types) {
			return differentColumns()
		}
		out[i] = slices.Clone(row)
		for col, value := range row {
			if ut.free[col] || value.Type() == ut.types[col].Type() {
				continue
			}
			coerced, err := evalengine.CoerceTo(value, ut.types[col], ut.mode)
			if err != nil {
				return err
			}
			out[i][col] = coerced
		}
	}
	return emit(&sqltypes.Result{Rows: out})
}

// GetFields implements Primitive.
func (c *Concatenate) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	sources := make([][]*querypb.Field, len(c.Sources))
	for i, source := range c.Sources {
		var err error
		if sources[i], err = source.GetFields(ctx, env, bindVars); err != nil {
			return nil, err
		}
	}
	types, err := c.commonTypes(env, sources)
	if err != nil {
		return nil, err
	}
	return types.fields, nil
}

// Description implements Primitive.
func (c *Concatenate) Description() Description { return describe("Concatenate", "") }
