package operators

import (
	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

// newRoute makes a route of one table with its own predicates.
func newRoute(ctx *Context, qt *QueryTable) *Route {
	if qt.IsInfSchema {
		return newInfoSchemaRoute(ctx, qt)
	}
	return newTableRoute(ctx, qt, qt.Name, true)
}

// newTableRoute looks the table up as name; alternates says whether to look at copies in other keyspaces too.
func newTableRoute(ctx *Context, qt *QueryTable, name sqlparser.TableName, alternates bool) *Route {
	vtable, _, err := ctx.Schema.FindTableOrVindex(name)
	if err == nil && vtable == nil {
		err = vterrors.VT05004(sqlparser.String(name))
	}
	must(vtable, err)
	if vtable.Name.String() != qt.Name.Name.String() {
		qt = qt.renamed(vtable.Name)
	}
	route := &Route{unary: unary{&Table{Query: qt, VTable: vtable}}}
	routing := targetedRouting(ctx, name, vtable)
	if routing == nil {
		routing = routingFor(ctx, vtable, qt.ID)
	}
	for _, pred := range qt.Predicates {
		routing = narrowRouting(ctx, pred, routing)
	}
	switch r := routing.(type) {
	case *ShardedRouting:
		if r.code == opcode.Scatter && len(qt.Predicates) > 0 {
			routing = r.improve(ctx, qt)
		}
	case *AnyShardRouting:
		if alternates {
			r.Alternates = alternateRoutes(ctx, qt, vtable)
		}
	}
	route.Routing = routing
	return route
}

// routingFor is how a table's shards are found before any predicate is known.
func routingFor(ctx *Context, vtable *vindexes.Table, id semantics.TableSet) Routing {
	switch {
	case vtable.Type == vindexes.TypeSequence:
		return &SequenceRouting{fixed{vtable.Keyspace}}
	case vtable.Type == vindexes.TypeReference && vtable.Name.String() == "dual":
		return &DualRouting{}
	case vtable.Type == vindexes.TypeReference, !vtable.Keyspace.Sharded:
		return &AnyShardRouting{fixed: fixed{vtable.Keyspace}}
	}
	return newShardedRouting(ctx, vtable, id)
}

// targetedRouting obeys a destination in the table's name, nil if there is none. Writes want the primary (VT09002), and only
// UPDATE and DELETE may name shards (VT09017).
func targetedRouting(ctx *Context, name sqlparser.TableName, vtable *vindexes.Table) Routing {
	tabletType, dest, err := ctx.Schema.Target(name)
	must(tabletType, err)
	verb := ""
	switch ctx.Statement.(type) {
	case *sqlparser.Update:
		verb = "update"
	case *sqlparser.Delete:
		verb = "delete"
	case *sqlparser.Insert:
		verb = "insert"
	}
	if verb != "" && tabletType != topodatapb.TabletType_PRIMARY {
		refuse(vterrors.VT09002(verb))
	}
	if dest == nil {
		return nil
	}
	switch {
	case verb == "insert":
		refuse(vterrors.VT09017("INSERT with a target destination is not allowed"))
	case verb == "":
		refuse(vterrors.VT09017("SELECT with a target destination is not allowed"))
	}
	return &TargetedRouting{fixed: fixed{vtable.Keyspace}, Destination: dest}
}

// alternateRoutes are the routes to the copies of a reference table, and to its source.
func alternateRoutes(ctx *Context, qt *QueryTable, vtable *vindexes.Table) map[*vindexes.Keyspace]*Route {
	if vtable.Type != vindexes.TypeTable && vtable.Type != vindexes.TypeReference {
		return nil
	}
	routes := map[*vindexes.Keyspace]*Route{}
	for keyspace, ref := range vtable.ReferencedBy {
		name := sqlparser.NewTableNameWithQualifier(ref.Name.String(), keyspace)
		routes[ref.Keyspace] = newTableRoute(ctx, qt, name, false)
	}
	if vtable.Source != nil {
		route := newTableRoute(ctx, qt, vtable.Source.TableName, false)
		if ks := route.Routing.Keyspace(); ks != nil {
			routes[ks] = route
		}
	}
	return routes
}
