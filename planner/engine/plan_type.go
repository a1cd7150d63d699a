package engine

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes/key"
)

// PlanType orders plans by how much they ask of the cluster.
type PlanType int8

// The plan types, cheapest first.
const (
	PlanUnknown     PlanType = iota
	PlanLocal                // runs in the gateway
	PlanPassthrough          // one shard
	PlanMultiShard           // some shards
	PlanLookup               // asks a lookup vindex first
	PlanScatter              // all shards
	PlanJoinOp               // joins in the gateway
	PlanForeignKey           // foreign keys kept by the gateway
	PlanComplex              // anything with more than one node
	PlanOnlineDDL            // a schema change as a migration
	PlanDirectDDL            // a schema change at once
	PlanTransaction          // transaction control
	PlanTopoOp               // reads or changes the topology
)

var planTypeNames = [...]string{
	PlanUnknown: "Unknown", PlanLocal: "Local", PlanPassthrough: "Passthrough", PlanMultiShard: "MultiShard",
	PlanLookup: "Lookup", PlanScatter: "Scatter", PlanJoinOp: "Join", PlanForeignKey: "ForeignKey",
	PlanComplex: "Complex", PlanOnlineDDL: "OnlineDDL", PlanDirectDDL: "DirectDDL",
	PlanTransaction: "Transaction", PlanTopoOp: "Topology",
}

// String returns the name as it stands in plans.
func (t PlanType) String() string {
	if t < 0 || int(t) >= len(planTypeNames) {
		return planTypeNames[PlanUnknown]
	}
	return planTypeNames[t]
}

// planTypeOf classifies a tree by its root; roots that say nothing by themselves are complex.
func planTypeOf(p Primitive) PlanType {
	switch p := p.(type) {
	case *SessionPrimitive, *SingleRow, *UpdateTarget, *VindexFunc:
		return PlanLocal
	case *Lock, *ReplaceVariables, *Rows, *RevertMigration:
		return PlanPassthrough
	case *Send:
		return destinationPlanType(p.TargetDestination)
	case *Limit:
		return planTypeOf(p.Input)
	case *RenameFields:
		return planTypeOf(p.Input)
	case *VExplain:
		return planTypeOf(p.Input)
	case *TransactionStatus:
		return PlanMultiShard
	case *VindexLookup:
		return PlanLookup
	case *Join:
		return PlanJoinOp
	case *FkCascade, *FkVerify:
		return PlanForeignKey
	case *Route:
		return p.planType()
	case *Update:
		return p.planType()
	case *Delete:
		return p.planType()
	case *Insert:
		return insertPlanType(p)
	case *Upsert:
		return upsertPlanType(p)
	case *DDL:
		return PlanDirectDDL
	case *ShowExec:
		return showPlanType(p.Command)
	case *Set:
		return setPlanType(p)
	default:
		return PlanComplex
	}
}

func insertPlanType(ins *Insert) PlanType {
	if ins.Opcode == opcode.InsertUnsharded {
		return PlanPassthrough
	}
	return PlanMultiShard
}

func upsertPlanType(u *Upsert) PlanType {
	t := PlanUnknown
	for _, pair := range u.Upserts {
		t = max(t, planTypeOf(pair.Insert), planTypeOf(pair.Update))
	}
	return t
}

func showPlanType(command sqlparser.ShowCommandType) PlanType {
	if command == sqlparser.VitessVariables {
		return PlanTopoOp
	}
	return PlanLocal
}

func setPlanType(s *Set) PlanType {
	t := PlanUnknown
	for _, op := range s.Ops {
		switch op.(type) {
		case *UserDefinedVariable, *SysVarIgnore, *SysVarSetAware:
			t = max(t, PlanLocal)
		case *SysVarCheckAndIgnore:
			t = max(t, PlanPassthrough)
		case *SysVarReservedConn:
			t = max(t, PlanMultiShard)
		case *VitessMetadata:
			t = max(t, PlanTopoOp)
		}
	}
	return t
}

func destinationPlanType(dest key.Destination) PlanType {
	switch dest.(type) {
	case key.DestinationNone:
		return PlanLocal
	case key.DestinationAnyShard, key.DestinationShard, key.DestinationKeyspaceID:
		return PlanPassthrough
	case key.DestinationAllShards:
		return PlanScatter
	default:
		return PlanMultiShard
	}
}

// planType classifies by opcode; a vindex that runs queries makes it a lookup.
func (rp *RoutingParameters) planType() PlanType {
	lookup := rp.Vindex != nil && rp.Vindex.NeedsVCursor()
	switch rp.Opcode {
	case opcode.None:
		return PlanLocal
	case opcode.Unsharded, opcode.Next, opcode.DBA, opcode.Reference:
		return PlanPassthrough
	case opcode.Scatter:
		return PlanScatter
	case opcode.EqualUnique:
		if !lookup {
			return PlanPassthrough
		}
		return PlanLookup
	default:
		if !lookup {
			return PlanMultiShard
		}
		return PlanLookup
	}
}

// planType is at least MultiShard where owned vindexes change too.
func (upd *Update) planType() PlanType {
	if len(upd.ChangedVindexValues) > 0 {
		return max(upd.RoutingParameters.planType(), PlanMultiShard)
	}
	return upd.RoutingParameters.planType()
}

// planType is at least MultiShard where owned vindexes lose entries too.
func (del *Delete) planType() PlanType {
	if del.OwnedVindexQuery != "" {
		return max(del.RoutingParameters.planType(), PlanMultiShard)
	}
	return del.RoutingParameters.planType()
}
