package engine

import (
	"math"

	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes/key"
)

// AllShards is what ShardsAtMost answers where a plan may go to all shards of a keyspace.
const AllShards = math.MaxInt

// ShardsAtMost is the most shards that one step of the plan asks at once, as far as the plan alone tells: 1 for a unique value,
// the number of values of a list or of rows of an INSERT, AllShards where nothing bounds it. 0 for a plan that asks none.
func (p *Plan) ShardsAtMost() int {
	if p.Instructions == nil {
		return 0
	}
	return shardsAtMost(p.Instructions)
}

func shardsAtMost(p Primitive) int {
	most := ownShardsAtMost(p)
	for _, input := range p.Inputs() {
		most = max(most, shardsAtMost(input.Primitive))
	}
	return most
}

func ownShardsAtMost(p Primitive) int {
	switch p := p.(type) {
	case *Route:
		return p.shardsAtMost()
	case *Update:
		return p.shardsAtMost()
	case *Delete:
		return p.shardsAtMost()
	case *Insert:
		if p.Opcode == opcode.InsertUnsharded {
			return 1
		}
		if p.Reference {
			return AllShards
		}
		return p.rowsAtMost()
	case *Send:
		return destinationAtMost(p.TargetDestination)
	case *DDL:
		return AllShards
	case *Lock:
		return 1
	}
	return 0
}

func (rp *RoutingParameters) shardsAtMost() int {
	switch rp.Opcode {
	case opcode.None:
		return 0
	case opcode.Unsharded, opcode.EqualUnique, opcode.Next, opcode.DBA, opcode.Reference:
		return 1
	case opcode.IN, opcode.MultiEqual:
		if tuple, ok := rp.Values[0].(evalengine.TupleExpr); ok {
			return len(tuple)
		}
		return AllShards
	case opcode.ByDestination:
		return destinationAtMost(rp.TargetDestination)
	}
	return AllShards
}

func destinationAtMost(dest key.Destination) int {
	switch dest.(type) {
	case key.DestinationNone:
		return 0
	case key.DestinationAnyShard, key.DestinationShard, key.DestinationKeyspaceID:
		return 1
	}
	return AllShards
}

// rowsAtMost is the number of rows of an INSERT ... VALUES; those of a SELECT are not bounded.
func (ins *Insert) rowsAtMost() int {
	if len(ins.VindexValues) == 0 || len(ins.VindexValues[0]) == 0 {
		return AllShards
	}
	return len(ins.VindexValues[0][0])
}
