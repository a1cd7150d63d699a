package engine

import (
	"strconv"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

// AggregateParams are one aggregate of an aggregation: what it does, and to which input column.
type AggregateParams struct {
	Opcode opcode.AggregateOpcode
	// Col is the column the aggregate reads and its result stands in.
	Col int
	// EExpr is set for AggregateConstant alone: the expression that stands in the column.
	EExpr evalengine.Expr

	// KeyCol is the column a DISTINCT aggregate compares; WCol is that column's weight string, -1 for none.
	KeyCol int
	WCol   int
	// Type is the type of the values compared, collation included.
	Type evalengine.Type

	// Alias renames the column; empty keeps the name the shards gave.
	Alias string
	// Func is the SQL function; GROUP_CONCAT takes its separator from it.
	Func     sqlparser.AggrFunc
	Original *sqlparser.AliasedExpr
	// OrigOpcode is what the query asked for where shards did a part: a sum of counts is a count.
	OrigOpcode opcode.AggregateOpcode

	CollationEnv *collations.Environment
}

// NewAggregateParam returns the aggregate of column col. expr is for AggregateConstant only.
func NewAggregateParam(code opcode.AggregateOpcode, col int, expr evalengine.Expr, alias string, env *collations.Environment) *AggregateParams {
	ap := &AggregateParams{Opcode: code, Col: col, EExpr: expr, Alias: alias, WCol: -1, CollationEnv: env}
	if code.NeedsComparableValues() {
		ap.KeyCol = col
	}
	return ap
}

// WAssigned reports whether there is a weight string column.
func (ap *AggregateParams) WAssigned() bool { return ap.WCol >= 0 }

// String prints the aggregate as plans do: "sum_count_star(0) AS count(*)".
func (ap *AggregateParams) String() string {
	arg := strconv.Itoa(ap.Col)
	if ap.EExpr != nil {
		arg = printExpr(ap.EExpr)
	}
	if ap.WAssigned() {
		arg += "|" + strconv.Itoa(ap.WCol)
	}
	if sqltypes.IsText(ap.Type.Type()) && ap.CollationEnv.IsSupported(ap.Type.Collation()) {
		arg += collateSuffix(ap.CollationEnv, ap.Type.Collation())
	}
	name := ap.Opcode.String()
	if ap.OrigOpcode != opcode.AggregateUnassigned && ap.OrigOpcode != ap.Opcode {
		name += "_" + ap.OrigOpcode.String()
	}
	text := name + "(" + arg + ")"
	if ap.Alias != "" {
		text += " AS " + ap.Alias
	}
	return text
}

// collateSuffix prints " COLLATE name".
func collateSuffix(env *collations.Environment, id collations.ID) string {
	return " COLLATE " + env.LookupName(id)
}

// GroupByParams are one grouping key.
type GroupByParams struct {
	KeyCol int
	// WeightStringCol is the key's weight string column, -1 (or KeyCol) for none.
	WeightStringCol int
	Expr            sqlparser.Expr
	FromGroupBy     bool
	Type            evalengine.Type
	CollationEnv    *collations.Environment
}

// String prints the key as plans do: "(0|2) COLLATE utf8mb4_0900_ai_ci".
func (gbp GroupByParams) String() string {
	text := strconv.Itoa(gbp.KeyCol)
	if gbp.WeightStringCol != -1 && gbp.WeightStringCol != gbp.KeyCol {
		text = "(" + text + "|" + strconv.Itoa(gbp.WeightStringCol) + ")"
	}
	if sqltypes.IsText(gbp.Type.Type()) && gbp.Type.Collation() != collations.Unknown {
		text += collateSuffix(gbp.CollationEnv, gbp.Type.Collation())
	}
	return text
}

// describeAggregates adds what both aggregations print.
func describeAggregates(d Description, aggregates []*AggregateParams, columns int) {
	d.set("Aggregates", joined(aggregates, (*AggregateParams).String))
	d.set("ResultColumns", max(columns, 0))
}
