package planner

import (
	"errors"
	"fmt"

	"vitess.io/vitess/go/mysql/sqlerror"
	querypb "vitess.io/vitess/go/vt/proto/query"
	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// place is where a statement goes as a whole: shards of one keyspace.
type place struct {
	keyspace *vindexes.Keyspace
	dest     key.Destination // nil: not chosen by the session
}

// or is the destination, or the one given where the session chose none.
func (p place) or(dest key.Destination) key.Destination {
	if p.dest != nil {
		return p.dest
	}
	return dest
}

// send passes a query on to the place: to all its shards, or to one where single.
func (p place) send(query string, single bool) *engine.Send {
	dest := p.or(key.DestinationAllShards{})
	if single {
		dest = p.or(key.DestinationAnyShard{})
	}
	return &engine.Send{Keyspace: p.keyspace, TargetDestination: dest, Query: query, SingleShardOnly: single}
}

// selected is the place of a statement about a keyspace: the one named, unless the session targets shards, or else the
// selected one, or the only one that there is. VT09005 if there is none, VT05003 if it is unknown.
func (pc *Context) selected(keyspace string) (place, error) {
	if pc.Destination != nil || keyspace == "" {
		keyspace = pc.Keyspace
	}
	if keyspace == "" {
		ks, err := pc.requireKeyspace()
		return place{ks, pc.Destination}, err
	}
	ks, ok := pc.VSchema.Keyspaces[keyspace]
	if !ok {
		return place{}, vterrors.VT05003(keyspace)
	}
	return place{ks.Keyspace, pc.Destination}, nil
}

// anywhere is the place of a statement that every shard answers alike.
func (pc *Context) anywhere() (place, error) {
	ks, err := pc.AnyKeyspace()
	return place{ks, pc.Destination}, err
}

// tablePlace finds the place of a table and the table's own name there. A system table is anywhere and has no name of its own.
// VT05004 for a vindex.
func (pc *Context) tablePlace(name sqlparser.TableName) (place, *vindexes.Table, error) {
	if sqlparser.SystemSchema(name.Qualifier.String()) {
		p, err := pc.anywhere()
		p.dest = nil
		return p, nil, err
	}
	table, _, err := pc.FindTableOrVindex(name)
	if err != nil {
		return place{}, nil, err
	}
	if table == nil {
		return place{}, nil, vterrors.VT05004(name.Name.String())
	}
	_, dest, err := pc.Target(name)
	return place{table.Keyspace, dest}, table, err
}

// tablePlaceOrSelected is tablePlace for a table that may not be there yet, or that only shards know: it belongs to the keyspace
// named or selected, under the name it has.
func (pc *Context) tablePlaceOrSelected(name sqlparser.TableName) (place, sqlparser.TableName, error) {
	table, _, err := pc.FindTableOrVindex(name)
	var notFound vindexes.NotFoundError
	switch {
	case err != nil && !errors.As(err, &notFound):
		return place{}, name, err
	case table == nil:
		p, err := pc.selected(name.Qualifier.String())
		return p, sqlparser.TableName{Name: name.Name}, err
	}
	_, dest, err := pc.Target(name)
	return place{table.Keyspace, dest}, sqlparser.TableName{Name: table.Name}, err
}

// requirePrimary refuses other tablet types.
func (pc *Context) requirePrimary(refusal error) error {
	if pc.tabletType() != topodatapb.TabletType_PRIMARY {
		return refusal
	}
	return nil
}

// unshardedOnly refuses what only an unsharded keyspace can do, in Vitess's words, and warns of it there if that is wanted.
func (b *builder) unshardedOnly(ks *vindexes.Keyspace, feature, format string, args ...any) error {
	if !ks.Sharded {
		if b.pc.WarnShardedOnly {
			b.warnings = append(b.warnings, UnshardedOnlyWarning(feature))
		}
		return nil
	}
	return vterrors.Errorf(vtrpcpb.Code_FAILED_PRECONDITION, format, args...)
}

// UnshardedOnlyWarning is what the use of a feature in an unsharded keyspace is warned of.
func UnshardedOnlyWarning(feature string) *querypb.QueryWarning {
	return &querypb.QueryWarning{
		Code: uint32(sqlerror.ERNotSupportedYet), Message: fmt.Sprintf("'%s' not supported in sharded mode", feature),
	}
}
