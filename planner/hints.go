package planner

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes/key"
)

// hints are the /*vt+ ... */ directives that plans know.
type hints struct {
	scatterErrorsAsWarnings bool
	multiShardAutocommit    bool
	leftToRight             bool
	queryTimeout            int // milliseconds
}

func hintsOf(stmt sqlparser.Statement) hints {
	commented, ok := stmt.(sqlparser.Commented)
	if !ok {
		return hints{}
	}
	return hintsIn(commented.GetParsedComments())
}

func hintsIn(comments *sqlparser.ParsedComments) hints {
	if comments == nil {
		return hints{}
	}
	d := comments.Directives()
	h := hints{
		scatterErrorsAsWarnings: d.IsSet(sqlparser.DirectiveScatterErrorsAsWarnings),
		multiShardAutocommit:    d.IsSet(sqlparser.DirectiveMultiShardAutocommit),
	}
	if text, ok := d.GetString(sqlparser.DirectiveQueryPlanner, ""); ok {
		h.leftToRight = strings.HasSuffix(strings.ToLower(text), "left2right")
	}
	if text, ok := d.GetString(sqlparser.DirectiveQueryTimeout, ""); ok {
		h.queryTimeout, _ = strconv.Atoi(text)
	}
	return h
}

// HintedForeignKeyChecks is what the SET_VAR hint of a statement says of foreign_key_checks, nil if it says nothing. Errors are of
// other directives. The library panics on hints that are none.
func HintedForeignKeyChecks(stmt sqlparser.Statement) (checks *bool, err error) {
	defer func() {
		if recover() != nil {
			checks, err = nil, nil
		}
	}()
	hints, err := sqlparser.BuildQueryHints(stmt)
	return hints.ForeignKeyChecks, err
}

// setHints puts the directives of a statement on a primitive that was made without the operator tree.
func setHints(p engine.Primitive, stmt sqlparser.Statement) {
	h := hintsOf(stmt)
	switch p := p.(type) {
	case *engine.Route:
		p.ScatterErrorsAsWarnings, p.QueryTimeout = h.scatterErrorsAsWarnings, h.queryTimeout
	case *engine.Update:
		p.MultiShardAutocommit, p.QueryTimeout = h.multiShardAutocommit, h.queryTimeout
	case *engine.Delete:
		p.MultiShardAutocommit, p.QueryTimeout = h.multiShardAutocommit, h.queryTimeout
	case *engine.Insert:
		p.MultiShardAutocommit, p.QueryTimeout = h.multiShardAutocommit, h.queryTimeout
	}
}

func isKeyRange(dest key.Destination) bool {
	_, ok := dest.(key.DestinationExactKeyRange)
	return ok
}
