package engine

import (
	"context"

	querypb "vitess.io/vitess/go/vt/proto/query"
)

// Primitive is one node of a plan. It is immutable once planned and shared by all executions.
type Primitive interface {
	// Execute runs the tree and hands its result to emit in pieces. An error of emit ends the execution and comes back as
	// it is. Statements without a result set emit one piece with RowsAffected and InsertID.
	Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error
	// GetFields returns the fields Execute would emit, without running anything that costs. Bind variables that are not known
	// yet may be NULL.
	GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error)
	// Inputs returns the nodes below, in plan order.
	Inputs() []Input
	// Description returns the node alone, as plans print it; Describe adds the inputs.
	Description() Description
	// NeedsTransaction reports whether the tree writes and so must run in a transaction when it reaches several shards.
	NeedsTransaction() bool
}

// Input is a node below another, with what the parent says of it.
type Input struct {
	Primitive Primitive
	// Name is the input's role where it has one ("Outer", "SubQuery").
	Name string
	// Attributes are printed on the input's node, but belong to the parent.
	Attributes map[string]any
}

// inputs wraps nodes that have no roles.
func inputs(primitives ...Primitive) []Input {
	out := make([]Input, len(primitives))
	for i, p := range primitives {
		out[i].Primitive = p
	}
	return out
}

// anyNeedsTransaction reports whether one of the trees writes.
func anyNeedsTransaction(primitives ...Primitive) bool {
	for _, p := range primitives {
		if p.NeedsTransaction() {
			return true
		}
	}
	return false
}

// leaf is embedded by primitives without inputs.
type leaf struct{}

// Inputs returns nothing: this is a leaf.
func (leaf) Inputs() []Input { return nil }

// reads is embedded by primitives that never write.
type reads struct{}

// NeedsTransaction is false: this only reads.
func (reads) NeedsTransaction() bool { return false }

// writes is embedded by primitives that write.
type writes struct{}

// NeedsTransaction is true: this writes.
func (writes) NeedsTransaction() bool { return true }

// noFields is embedded by primitives without a result set.
type noFields struct{}

// GetFields returns nothing: there is no result set.
func (noFields) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) { return nil, nil }
