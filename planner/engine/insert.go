package engine

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

var _ Primitive = (*Insert)(nil)

// Insert writes rows whose values stand in the statement: as it is to an unsharded keyspace, split by row otherwise.
type Insert struct {
	leaf
	InsertCommon

	// Query is the whole statement, for unsharded keyspaces and for printing.
	Query string
	// VindexValues are the vindexes' values: by vindex as in ColVindexes, by vindex column, by row.
	VindexValues [][][]evalengine.Expr
	// Mid are the rows of a sharded insert. Vindex columns stand in them as bind variables `:_<column>_<row>`.
	Mid sqlparser.Values
	// Alias follows the rows (` as new(a, b)`).
	Alias string
}

// Description implements Primitive.
func (ins *Insert) Description() Description {
	d := ins.describeInsert(ins.Opcode.String())
	d.set("Query", ins.Query)
	if len(ins.VindexValues) > 0 {
		texts := map[string]string{}
		for i, columns := range ins.VindexValues {
			texts[ins.ColVindexes[i].Name] = joined(columns, func(rows []evalengine.Expr) string {
				return joined(rows, printExpr)
			})
		}
		d.set("VindexValues", texts)
	}
	if whole := ins.wholeQuery(); whole != ins.Query {
		d.set("ActualQuery", whole)
	}
	d.set("FetchLastInsertID", ins.FetchLastInsertID)
	return d
}

// wholeQuery prints the statement with all rows, as one shard that owns them all would get it.
func (ins *Insert) wholeQuery() string {
	if ins.Mid == nil {
		return ins.Query
	}
	rows := make([]string, len(ins.Mid))
	for i, row := range ins.Mid {
		rows[i] = sqlparser.String(row)
	}
	return ins.Prefix + strings.Join(rows, ", ") + ins.Alias + sqlparser.String(ins.Suffix)
}
