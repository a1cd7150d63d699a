package engine

import (
	"slices"
	"strconv"

	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

var _ Primitive = (*Update)(nil)

// Update changes rows on the shards its routing gives, and the lookup entries of the owned vindexes it touches.
type Update struct {
	leaf
	*DML

	// ChangedVindexValues are the owned vindexes that change, by name.
	ChangedVindexValues map[string]*VindexValues
}

// VindexValues say what an owned vindex's columns become.
type VindexValues struct {
	// EvalExprMap holds the new values by column; columns without one keep theirs.
	EvalExprMap map[string]evalengine.Expr
	// Offset is the column of OwnedVindexQuery that tells whether the row has the new values already.
	Offset int
}

// Description implements Primitive.
func (upd *Update) Description() Description {
	d := upd.describeDML("Update")
	var changed []string
	for name, values := range upd.ChangedVindexValues {
		changed = append(changed, name+":"+strconv.Itoa(values.Offset))
	}
	slices.Sort(changed)
	d.set("ChangedVindexValues", changed)
	return d
}
