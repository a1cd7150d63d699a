package planner

import (
	"slices"

	"vitess.io/vitess/go/mysql/collations"
	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtenv"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/operators"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// Context is what a statement is planned against: the VSchema, and what the session has chosen. All of it is part of a plan
// cache's key. Planning does not change it.
type Context struct {
	VSchema *vindexes.VSchema
	// Keyspace is the selected keyspace, empty if none is.
	Keyspace string
	// TargetString is the target as the client wrote it, for error messages.
	TargetString string
	// TabletType is what reads go to; UNKNOWN means PRIMARY.
	TabletType topodatapb.TabletType
	// Destination, if not nil, is where every statement goes, unplanned.
	Destination key.Destination
	// Collation is the connection's collation; 0 is the environment's default.
	Collation collations.ID
	// Env holds the parser, the collations and the MySQL version that the gateway speaks.
	Env *vtenv.Environment
	// ForeignKeyChecks is the session variable, nil if it was never set.
	ForeignKeyChecks *bool
	// ForeignKeysDisallowed: keyspaces may have no foreign keys, whatever their mode.
	ForeignKeysDisallowed bool
	// FallbackKeyspace goes before all others where a statement needs some keyspace and none is selected.
	FallbackKeyspace string
	// NormalizedLiterals says that literals of the statement were replaced by bind variables.
	NormalizedLiterals bool
	// SysVarSetDisabled: sessions cannot set variables on shards.
	SysVarSetDisabled bool
	// ViewsEnabled: the VSchema holds the views, not the shards alone.
	ViewsEnabled bool
	// Keyspaces are those that there are, nil for those of the VSchema: of a system schema, or yet without tables.
	Keyspaces []string
	// Statements are the session's; nil for none.
	Statements Statements
	// WarnShardedOnly warns of what works in unsharded keyspaces alone.
	WarnShardedOnly bool
	// LeftToRight joins tables in the order of the statement.
	LeftToRight bool
}

var _ operators.Schema = (*Context)(nil)

func (pc *Context) tabletType() topodatapb.TabletType {
	if pc.TabletType == topodatapb.TabletType_UNKNOWN {
		return topodatapb.TabletType_PRIMARY
	}
	return pc.TabletType
}

// Environment implements semantics.Schema.
func (pc *Context) Environment() *vtenv.Environment { return pc.Env }

// ConnCollation implements semantics.Schema.
func (pc *Context) ConnCollation() collations.ID {
	if pc.Collation == collations.Unknown {
		return pc.Env.CollationEnv().DefaultConnectionCharset()
	}
	return pc.Collation
}

// SelectedKeyspace implements operators.Schema.
func (pc *Context) SelectedKeyspace() *vindexes.Keyspace {
	if ks, ok := pc.VSchema.Keyspaces[pc.Keyspace]; ok {
		return ks.Keyspace
	}
	return nil
}

// keyspaceNames are the keyspaces that there are, sorted.
func (pc *Context) keyspaceNames() []string {
	if pc.Keyspaces != nil {
		return pc.Keyspaces
	}
	return pc.VSchema.KeyspaceNames()
}

func (pc *Context) hasKeyspace(name string) bool { return slices.Contains(pc.keyspaceNames(), name) }

// requireKeyspace is the selected keyspace, or the only one that there is. VT09005 if none is selected, VT05003 if it is unknown.
func (pc *Context) requireKeyspace() (*vindexes.Keyspace, error) {
	if ks := pc.SelectedKeyspace(); ks != nil {
		return ks, nil
	}
	if pc.Keyspace != "" {
		return nil, vterrors.VT05003(pc.Keyspace)
	}
	if names := pc.VSchema.KeyspaceNames(); len(names) == 1 {
		return pc.VSchema.Keyspaces[names[0]].Keyspace, nil
	}
	return nil, vterrors.VT09005()
}

// AnyKeyspace is the selected keyspace, else the fallback, else the first sharded one, else the first.
func (pc *Context) AnyKeyspace() (*vindexes.Keyspace, error) {
	if ks := pc.preferredKeyspace(); ks != nil {
		return ks, nil
	}
	names := pc.VSchema.KeyspaceNames()
	if len(names) == 0 {
		return nil, vterrors.VT09005()
	}
	for _, name := range names {
		if ks := pc.VSchema.Keyspaces[name].Keyspace; ks.Sharded {
			return ks, nil
		}
	}
	return pc.VSchema.Keyspaces[names[0]].Keyspace, nil
}

// target reads a qualifier: a keyspace, perhaps with shards and a tablet type.
func (pc *Context) target(qualifier string) (key.Target, error) {
	target, err := key.ParseTarget(qualifier, pc.tabletType())
	if err == nil && target.Keyspace == "" {
		target.Keyspace = pc.Keyspace
	}
	return target, err
}

// FindTableOrVindex implements semantics.Schema. dual, unqualified, is a reference table of every keyspace.
func (pc *Context) FindTableOrVindex(name sqlparser.TableName) (*vindexes.Table, vindexes.Vindex, error) {
	if name.Qualifier.IsEmpty() && name.Name.String() == "dual" {
		ks, err := pc.dualKeyspace()
		if err != nil {
			return nil, nil, err
		}
		return &vindexes.Table{Name: name.Name, Keyspace: ks, Type: vindexes.TypeReference}, nil, nil
	}
	target, err := pc.target(name.Qualifier.String())
	if err != nil {
		return nil, nil, err
	}
	return pc.VSchema.FindRoutedTableOrVindex(target.Keyspace, name.Name.String(), pc.tabletType())
}

// preferredKeyspace is the selected keyspace, else the fallback, else nil.
func (pc *Context) preferredKeyspace() *vindexes.Keyspace {
	if ks := pc.SelectedKeyspace(); ks != nil {
		return ks
	}
	if ks, ok := pc.VSchema.Keyspaces[pc.FallbackKeyspace]; ok {
		return ks.Keyspace
	}
	return nil
}

func (pc *Context) dualKeyspace() (*vindexes.Keyspace, error) {
	if ks := pc.preferredKeyspace(); ks != nil {
		return ks, nil
	}
	names := pc.VSchema.KeyspaceNames()
	if len(names) == 0 {
		return nil, vterrors.VT09005()
	}
	return pc.VSchema.Keyspaces[names[0]].Keyspace, nil
}

// Target implements operators.Schema.
func (pc *Context) Target(name sqlparser.TableName) (topodatapb.TabletType, key.Destination, error) {
	target, err := pc.target(name.Qualifier.String())
	return target.TabletType, target.Destination, err
}

// ManagesForeignKeys implements semantics.Schema.
func (pc *Context) ManagesForeignKeys(keyspace string) (bool, error) {
	ks, ok := pc.VSchema.Keyspaces[keyspace]
	if !ok {
		return false, vterrors.VT05003(keyspace)
	}
	if pc.ForeignKeysDisallowed || ks.ForeignKeyMode != vschemapb.Keyspace_managed {
		return false, nil
	}
	return true, ks.Error
}

// ForeignKeySetting implements operators.Schema.
func (pc *Context) ForeignKeySetting() *bool { return pc.ForeignKeyChecks }

// AggregateUDFs implements semantics.Schema: the user aggregates of all keyspaces.
func (pc *Context) AggregateUDFs() []string {
	var names []string
	for _, name := range pc.VSchema.KeyspaceNames() {
		names = append(names, pc.VSchema.Keyspaces[name].AggregateUDFs...)
	}
	return names
}

// FindView implements sqlparser.VSchemaViews for the normaliser: the definition that takes a view's place, nil for none, and
// the name that a routing rule gave it, nil if it kept its own.
func (pc *Context) FindView(name sqlparser.TableName) (sqlparser.TableStatement, *sqlparser.TableName) {
	target, err := pc.target(name.Qualifier.String())
	if err != nil {
		return nil, nil
	}
	return pc.VSchema.FindRoutedView(target.Keyspace, name.Name.String(), pc.tabletType())
}
