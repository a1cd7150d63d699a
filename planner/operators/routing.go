package operators

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// fixed is embedded by routings that predicates do not narrow.
type fixed struct {
	keyspace *vindexes.Keyspace
}

// Keyspace is where the route goes.
func (f fixed) Keyspace() *vindexes.Keyspace { return f.keyspace }

type (
	// AnyShardRouting is for tables that each shard of the keyspace holds whole: those of an unsharded keyspace, and reference
	// tables.
	AnyShardRouting struct {
		fixed
		// Alternates are the same table in other keyspaces, as a reference table has them.
		Alternates map[*vindexes.Keyspace]*Route
	}

	// DualRouting is for dual, which every shard of every keyspace has.
	DualRouting struct{}

	// NoneRouting is for predicates that no row satisfies.
	NoneRouting struct{ fixed }

	// SequenceRouting fetches values of a sequence.
	SequenceRouting struct{ fixed }

	// TargetedRouting goes where the name of the table says.
	TargetedRouting struct {
		fixed
		Destination key.Destination
	}
)

// Opcode is Reference in a sharded keyspace, Unsharded else.
func (r *AnyShardRouting) Opcode() opcode.Opcode {
	if r.keyspace.Sharded {
		return opcode.Reference
	}
	return opcode.Unsharded
}
func (r *AnyShardRouting) cost() int                               { return 0 }
func (r *AnyShardRouting) clone() Routing                          { c := *r; return &c }
func (r *AnyShardRouting) narrow(*Context, sqlparser.Expr) Routing { return r }
func (r *AnyShardRouting) reset(*Context) Routing                  { return r }
func (r *AnyShardRouting) alternate(in *vindexes.Keyspace) *Route {
	if in.Name == r.keyspace.Name {
		return nil
	}
	return r.Alternates[in]
}

// Opcode is Reference.
func (r *DualRouting) Opcode() opcode.Opcode { return opcode.Reference }

// Keyspace is none in particular.
func (r *DualRouting) Keyspace() *vindexes.Keyspace            { return nil }
func (r *DualRouting) cost() int                               { return 0 }
func (r *DualRouting) clone() Routing                          { return &DualRouting{} }
func (r *DualRouting) narrow(*Context, sqlparser.Expr) Routing { return r }
func (r *DualRouting) reset(*Context) Routing                  { return r }

// Opcode is None.
func (r *NoneRouting) Opcode() opcode.Opcode                   { return opcode.None }
func (r *NoneRouting) cost() int                               { return 0 }
func (r *NoneRouting) clone() Routing                          { return r }
func (r *NoneRouting) narrow(*Context, sqlparser.Expr) Routing { return r }
func (r *NoneRouting) reset(*Context) Routing                  { return r }

// Opcode is Next.
func (r *SequenceRouting) Opcode() opcode.Opcode { return opcode.Next }

// Keyspace is nil: a sequence is never merged with other tables. SequenceKeyspace says where it is.
func (r *SequenceRouting) Keyspace() *vindexes.Keyspace { return nil }

// SequenceKeyspace is where the sequence is.
func (r *SequenceRouting) SequenceKeyspace() *vindexes.Keyspace    { return r.keyspace }
func (r *SequenceRouting) cost() int                               { return 0 }
func (r *SequenceRouting) clone() Routing                          { c := *r; return &c }
func (r *SequenceRouting) narrow(*Context, sqlparser.Expr) Routing { return r }
func (r *SequenceRouting) reset(*Context) Routing                  { return r }

// Opcode is ByDestination.
func (r *TargetedRouting) Opcode() opcode.Opcode                   { return opcode.ByDestination }
func (r *TargetedRouting) cost() int                               { return 1 }
func (r *TargetedRouting) clone() Routing                          { c := *r; return &c }
func (r *TargetedRouting) narrow(*Context, sqlparser.Expr) Routing { return r }
func (r *TargetedRouting) reset(*Context) Routing                  { return r }

// narrowRouting takes a predicate into account. One that no row can satisfy leads nowhere, whatever the routing.
func narrowRouting(ctx *Context, pred sqlparser.Expr, r Routing) Routing {
	if !canBeTrue(ctx, currentForm(pred)) {
		ks := r.Keyspace()
		if ks == nil {
			ks = must(ctx.Schema.AnyKeyspace())
		}
		return &NoneRouting{fixed{ks}}
	}
	return r.narrow(ctx, pred)
}

// canBeTrue is false for constant falsehoods and comparisons with NULL.
func canBeTrue(ctx *Context, pred sqlparser.Expr) bool {
	if value, known := ctx.constantBool(pred); known && !value {
		return false
	}
	cmp, ok := pred.(*sqlparser.ComparisonExpr)
	if !ok {
		return true
	}
	if cmp.Operator != sqlparser.NullSafeEqualOp && (sqlparser.IsNull(cmp.Left) || sqlparser.IsNull(cmp.Right)) {
		return false
	}
	list, ok := cmp.Right.(sqlparser.ValTuple)
	if !ok {
		return true
	}
	switch cmp.Operator {
	case sqlparser.NotInOp:
		for _, value := range list {
			if sqlparser.IsNull(value) {
				return false
			}
		}
	case sqlparser.InOp:
		return len(list) != 1 || !sqlparser.IsNull(list[0])
	}
	return true
}
