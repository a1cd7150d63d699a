package engine

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// RoutingParameters say which shards a leaf runs on. They are part of Route, Update and Delete.
type RoutingParameters struct {
	Opcode opcode.Opcode
	// Keyspace is where the query goes; DBA routes may find another at run time.
	Keyspace *vindexes.Keyspace
	// SysTableTableSchema and SysTableTableName are the schemas and, by bind variable, the tables that a DBA route's
	// predicates name.
	SysTableTableSchema []evalengine.Expr
	SysTableTableName   map[string]evalengine.Expr
	// TargetDestination is where a ByDestination route goes.
	TargetDestination key.Destination
	// Vindex maps Values; nil for opcodes that need none.
	Vindex vindexes.Vindex
	// Values hold one expression per vindex column: a value for EqualUnique and Equal, a tuple for IN and MultiEqual,
	// start and end for Between.
	Values []evalengine.Expr
}

// describeRouting adds what all routed leaves print.
func (rp *RoutingParameters) describeRouting(d Description) {
	if rp.Vindex != nil {
		d.set("Vindex", rp.Vindex.String())
	}
	d.set("Values", expressionTexts(rp.Values))
}

// expressionTexts prints expressions as SQL; nil for none.
func expressionTexts(exprs []evalengine.Expr) []string {
	if len(exprs) == 0 {
		return nil
	}
	texts := make([]string, len(exprs))
	for i, expr := range exprs {
		texts[i] = sqlparser.String(expr)
	}
	return texts
}
