package vindexes

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/sqlescape"
	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes/key"
)

const primary = topodatapb.TabletType_PRIMARY

// buildRoutingRules makes the routing rules; one that leads nowhere keeps its
// error.
func (b *builder) buildRoutingRules() error {
	vs := b.vs
	vs.RoutingRules, vs.ViewRoutingRules = map[string]*RoutingRule{}, map[string]*ViewRoutingRule{}
	for _, def := range b.def.GetRoutingRules().GetRules() {
		from := def.FromTable
		_, taken := vs.RoutingRules[from]
		_, takenByView := vs.ViewRoutingRules[from]
		switch {
		case len(def.ToTables) > 1:
			vs.RoutingRules[from] = &RoutingRule{Error: vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT,
				"table %v has more than one target: %v", from, def.ToTables)}
		case len(def.ToTables) == 0:
			vs.RoutingRules[from] = &RoutingRule{}
		case taken || takenByView:
			vs.RoutingRules[from] = &RoutingRule{Error: vterrors.Errorf(vtrpcpb.Code_ALREADY_EXISTS, "duplicate rule for entry %s", from)}
			delete(vs.ViewRoutingRules, from)
		default:
			b.buildRoutingRule(from, def.ToTables[0])
		}
	}
	return nil
}

func (b *builder) buildRoutingRule(from, to string) {
	keyspace, name, err := b.parseQualified(to)
	if err != nil {
		b.vs.RoutingRules[from] = &RoutingRule{Error: err}
		return
	}
	// Views first: an unsharded keyspace has every table one asks for.
	if b.vs.FindView(keyspace, name) != nil {
		b.vs.ViewRoutingRules[from] = &ViewRoutingRule{TargetKeyspace: keyspace, TargetViewName: name}
		return
	}
	table, err := b.vs.FindTableUnrouted(keyspace, name)
	if err != nil {
		b.vs.RoutingRules[from] = &RoutingRule{Error: err}
		return
	}
	b.vs.RoutingRules[from] = &RoutingRule{Tables: []*Table{table}}
}

// parseQualified reads "keyspace.table", either quoted or not.
func (b *builder) parseQualified(text string) (keyspace, table string, err error) {
	keyspace, table, err = splitTableName(text, false)
	if err != nil {
		return "", "", vterrors.New(vtrpcpb.Code_INVALID_ARGUMENT, err.Error())
	}
	quoted := ""
	for i, name := range []string{keyspace, table} {
		escaped, err := sqlescape.EnsureEscaped(name)
		if err != nil {
			return "", "", vterrors.New(vtrpcpb.Code_INVALID_ARGUMENT, err.Error())
		}
		quoted += [2]string{"", "."}[i] + escaped
	}
	return b.parser.ParseTable(quoted)
}

// buildOtherRules copies the rules that need no table.
func (b *builder) buildOtherRules() error {
	for _, rule := range b.def.GetShardRoutingRules().GetRules() {
		b.vs.ShardRoutingRules[rule.FromKeyspace+"."+rule.Shard] = rule.ToKeyspace
	}
	for _, rule := range b.def.GetKeyspaceRoutingRules().GetRules() {
		b.vs.KeyspaceRoutingRules[rule.FromKeyspace] = rule.ToKeyspace
	}
	return nil
}

// buildMirrorRules makes the mirror rules; one that leads nowhere keeps its
// error. A keyspace may not both mirror and be mirrored to.
func (b *builder) buildMirrorRules() error {
	mirrored := map[string]string{} // keyspace of each rule's table
	var targets []string
	for _, def := range b.def.GetMirrorRules().GetRules() {
		if _, taken := b.vs.MirrorRules[def.FromTable]; taken {
			b.vs.MirrorRules[def.FromTable] = mirrorError("from table: duplicate rule for entry '%s'", def.FromTable)
			continue
		}
		keyspace, rule := b.buildMirrorRule(def)
		b.vs.MirrorRules[def.FromTable] = rule
		if rule.Error == nil {
			mirrored[def.FromTable] = keyspace
			targets = append(targets, rule.Table.Keyspace.Name)
		}
	}
	for from, rule := range b.vs.MirrorRules {
		if keyspace, ok := mirrored[from]; ok && rule.Error == nil && slices.Contains(targets, keyspace) {
			rule.Error = vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "mirror chaining is not allowed")
		}
	}
	return nil
}

func mirrorError(format string, args ...any) *MirrorRule {
	return &MirrorRule{Error: vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, format, args...)}
}

// buildMirrorRule makes one rule, and says in which keyspace its table is.
func (b *builder) buildMirrorRule(def *vschemapb.MirrorRule) (string, *MirrorRule) {
	from, tabletType, hasType := strings.Cut(def.FromTable, "@")
	fromKeyspace, fromTable, err := b.parseQualified(from)
	if err != nil {
		return "", mirrorError("from table: %s", err.Error())
	}
	if _, err := b.vs.FindTableUnrouted(fromKeyspace, fromTable); err != nil {
		return "", mirrorError("from table: %s", err.Error())
	}
	if hasType && !isTabletTypeName(tabletType) {
		return "", mirrorError("from table: invalid tablet type: '%s'", def.FromTable)
	}
	if strings.Contains(def.ToTable, "@") {
		return "", mirrorError("to table: tablet type may not be specified: '%s'", def.ToTable)
	}
	toKeyspace, toTable, err := b.parseQualified(def.ToTable)
	if err != nil {
		return "", mirrorError("to table: %s", err.Error())
	}
	if toKeyspace == fromKeyspace {
		return "", mirrorError("to table: cannot reside in same keyspace as from table")
	}
	table, err := b.vs.FindTableUnrouted(toKeyspace, toTable)
	if err != nil {
		return "", mirrorError("to table: %s", err.Error())
	}
	return fromKeyspace, &MirrorRule{Table: table, Percent: def.Percent}
}

// isTabletTypeName says whether a text is a tablet type in lower case.
func isTabletTypeName(text string) bool {
	tabletType, err := key.ParseTabletType(text)
	return err == nil && key.TabletTypeName(tabletType) == text
}
