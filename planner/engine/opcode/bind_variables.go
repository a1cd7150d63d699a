package opcode

import (
	"strconv"

	"vitess.io/vitess/go/vt/sqlparser"
)

// The bind variables that plans and primitives agree on.
const (
	// UpperLimit is how many rows a shard need return at most: LIMIT and OFFSET added up.
	UpperLimit = "__upper_limit"
	// ListVar holds the values of an IN that one shard is asked for. A multi-column vindex numbers them: __vals0, ...
	ListVar = "__vals"
	// DMLValues holds the keys of the rows that an UPDATE or DELETE with an input changes.
	DMLValues = "dml_vals"
	// SequenceVar and the number of the row name a value that a sequence gave.
	SequenceVar = "__seq"
)

// InsertVar names the value of a vindex column in one row of an INSERT.
func InsertVar(column sqlparser.IdentifierCI, row int) string {
	return "_" + column.CompliantName() + "_" + strconv.Itoa(row)
}
