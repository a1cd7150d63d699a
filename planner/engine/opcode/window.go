package opcode

import (
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// windowTypes are the types of the window functions that do not take theirs from an argument.
var windowTypes = map[string]querypb.Type{
	"row_number": sqltypes.Int64, "rank": sqltypes.Int64, "dense_rank": sqltypes.Int64, "ntile": sqltypes.Int64,
	"percent_rank": sqltypes.Float64, "cume_dist": sqltypes.Float64,
}

// WindowType returns the type of a window function, given its lower-case name and the type of its argument; false for functions
// that exist as aggregates only.
func WindowType(name string, arg evalengine.Type, env *collations.Environment) (evalengine.Type, bool) {
	if typ, ok := windowTypes[name]; ok {
		return evalengine.NewType(typ, collations.CollationForType(typ, env.DefaultConnectionCharset())), true
	}
	switch name {
	case "lag", "lead", "first_value", "last_value", "nth_value":
		return arg, true
	}
	return evalengine.Type{}, false
}
