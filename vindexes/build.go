package vindexes

import (
	"fmt"
	"maps"
	"slices"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Build makes the model of a loaded VSchema with the vindex types of a
// registry (Types for those of Vitess). def must not change afterwards.
//
// Mistakes in a keyspace are errors of type *Error, worded as Vitess words
// them, with the path inside def and what would be right. A routing or mirror
// rule that leads nowhere is kept with its error instead, as in Vitess:
// statements that follow it fail with it.
func Build(def *vschemapb.SrvVSchema, types Registry) (*VSchema, error) {
	return build(def, types, nil, nil)
}

// build makes a model with tables and functions the shards told of.
func build(def *vschemapb.SrvVSchema, types Registry, tracked map[string][]TableSchema, udfs map[string][]string) (*VSchema, error) {
	parser, err := sqlparser.New(sqlparser.Options{})
	if err != nil {
		return nil, err
	}
	b := &builder{def: def, types: types, parser: parser, vs: &VSchema{
		Keyspaces: map[string]*KeyspaceSchema{}, RoutingRules: map[string]*RoutingRule{},
		ViewRoutingRules: map[string]*ViewRoutingRule{}, MirrorRules: map[string]*MirrorRule{},
		ShardRoutingRules: map[string]string{}, KeyspaceRoutingRules: map[string]string{},
		globalTables: map[string]*globalTable{}, globalVindexes: map[string]Vindex{},
		def: def, types: types, tracked: tracked, udfs: udfs,
	}}
	// Each step leans on those before it.
	for _, step := range []func() error{
		b.buildKeyspaces,    // vindexes and tables, each keyspace by itself
		b.buildGlobals,      // names that need no keyspace: sources are found by them
		b.buildReferences,   // reference tables to their sources
		b.buildRoutingRules, // lead to tables
		b.buildOtherRules,   // keyspaces and shards; nothing to resolve
		b.buildMirrorRules,  // lead to tables
		b.resolveSequences,  // through routing rules
		b.mergeTracked,      // columns, keys and views of the shards
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b.vs, nil
}

// builder is a VSchema in the making.
type builder struct {
	def    *vschemapb.SrvVSchema
	types  Registry
	parser *sqlparser.Parser
	vs     *VSchema
}

// keyspaces lists the keyspaces' names in order: errors must not depend on
// the order of a map.
func (b *builder) keyspaces() []string {
	return slices.Sorted(maps.Keys(b.def.Keyspaces))
}

func keyspacePath(keyspace string) string     { return "keyspaces." + keyspace }
func tablePath(keyspace, table string) string { return keyspacePath(keyspace) + ".tables." + table }
func vindexPath(keyspace, vindexName string) string {
	return keyspacePath(keyspace) + ".vindexes." + vindexName
}

func (b *builder) buildKeyspaces() error {
	for _, name := range b.keyspaces() {
		def := b.def.Keyspaces[name]
		ks := &KeyspaceSchema{
			Keyspace: &Keyspace{Name: name, Sharded: def.GetSharded()},
			Tables:   map[string]*Table{}, Vindexes: map[string]Vindex{}, Views: map[string]sqlparser.TableStatement{},
			ForeignKeyMode: def.GetForeignKeyMode(), MultiTenantSpec: def.GetMultiTenantSpec(),
			RequireExplicitRouting: def.GetRequireExplicitRouting(),
			AggregateUDFs:          b.vs.udfs[name],
		}
		if ks.ForeignKeyMode == vschemapb.Keyspace_unspecified {
			ks.ForeignKeyMode = vschemapb.Keyspace_unmanaged
		}
		b.vs.Keyspaces[name] = ks
		if err := b.buildVindexes(ks, def); err != nil {
			return err
		}
		for _, table := range slices.Sorted(maps.Keys(def.Tables)) {
			t, err := b.buildTable(ks, def, table)
			if err != nil {
				return err
			}
			ks.Tables[table] = t
		}
	}
	return nil
}

func (b *builder) buildVindexes(ks *KeyspaceSchema, def *vschemapb.Keyspace) error {
	for _, name := range slices.Sorted(maps.Keys(def.Vindexes)) {
		vindexDef := def.Vindexes[name]
		path := vindexPath(ks.Keyspace.Name, name)
		if b.types[vindexDef.GetType()] == nil {
			return mistake(path+".type", "vindexType %q not found%s", vindexDef.GetType(), DidYouMean(vindexDef.GetType(), b.types.Names()))
		}
		vindex, err := b.types.New(vindexDef.Type, name, vindexDef.Params)
		if err != nil {
			return mistake(path+".params", "%s", err.Error())
		}
		// An owner that is no table owns nothing, in Vitess too; one that is
		// nearly a table is a slip.
		if owner := vindexDef.Owner; owner != "" && def.Tables[owner] == nil {
			if near := Slip(owner, slices.Sorted(maps.Keys(def.Tables))); near != "" {
				return mistake(path+".owner", "table %q is not in keyspace %s, did you mean %q?", owner, ks.Keyspace.Name, near)
			}
		}
		ks.Vindexes[name] = vindex
		if ks.RequireExplicitRouting {
			continue
		}
		if _, taken := b.vs.globalVindexes[name]; taken {
			vindex = nil // ambiguous
		}
		b.vs.globalVindexes[name] = vindex
	}
	return nil
}

// buildGlobals collects the names of tables that need no keyspace: those that
// one keyspace alone has. A reference table counts with its source.
func (b *builder) buildGlobals() error {
	for _, name := range b.keyspaces() {
		ks := b.vs.Keyspaces[name]
		if ks.RequireExplicitRouting {
			continue
		}
		for _, table := range slices.Sorted(maps.Keys(ks.Tables)) {
			b.addGlobal(ks, table, ks.Tables[table])
		}
	}
	return nil
}

func (b *builder) addGlobal(ks *KeyspaceSchema, name string, t *Table) {
	globals := b.vs.globalTables
	isCopy := t.Type == TypeReference && t.Source != nil
	known, taken := globals[name]
	switch {
	case !taken && isCopy && t.Source.Name.String() == name:
		// Found through its source, if that can be.
	case !taken:
		globals[name] = &globalTable{keyspace: ks.Keyspace, table: t}
	case known == nil:
		// Ambiguous already.
	case isCopy && (t.Source.Qualifier.IsEmpty() || t.Source.Qualifier.String() == known.keyspace.Name):
		// The name means its source.
	default:
		globals[name] = nil
	}
}

// buildReferences ties each reference table to its source.
func (b *builder) buildReferences() error {
	for _, keyspace := range b.keyspaces() {
		ks := b.vs.Keyspaces[keyspace]
		for _, name := range slices.Sorted(maps.Keys(ks.Tables)) {
			t := ks.Tables[name]
			if t.Type != TypeReference || t.Source == nil {
				continue
			}
			if message := b.buildReference(ks, t); message != "" {
				return mistake(tablePath(keyspace, name)+".source", "%s", message)
			}
		}
	}
	return nil
}

// buildReference ties one reference table to its source, or says why it cannot.
func (b *builder) buildReference(ks *KeyspaceSchema, t *Table) string {
	name, sourceKeyspace, sourceTable := t.Name.String(), t.Source.Qualifier.String(), t.Source.Name.String()
	if sourceKeyspace == ks.Keyspace.Name {
		return fmt.Sprintf("source %q may not reference a table in the same keyspace as table: %s", t.Source, name)
	}
	if sourceKeyspace != "" && b.vs.Keyspaces[sourceKeyspace] == nil {
		return fmt.Sprintf("source %q references a non-existent keyspace %q%s", t.Source, sourceKeyspace, DidYouMean(sourceKeyspace, b.keyspaces()))
	}
	source, err := b.vs.findTable(sourceKeyspace, sourceTable, false)
	switch {
	case err != nil:
		return err.Error()
	case source == nil:
		var names []string
		if from := b.vs.Keyspaces[sourceKeyspace]; from != nil {
			names = slices.Sorted(maps.Keys(from.Tables))
		}
		return fmt.Sprintf("source %q references a table %q that is not present in the VSchema of keyspace %q%s",
			t.Source, sourceTable, sourceKeyspace, DidYouMean(sourceTable, names))
	case source.Type != TypeTable && source.Type != TypeReference:
		return fmt.Sprintf("source %q may not reference a table of type %q: %s", t.Source, source.Type, name)
	}
	if other := source.ReferenceInKeyspace(ks.Keyspace.Name); other != nil {
		first, second := min(other.Name.String(), name), max(other.Name.String(), name)
		return fmt.Sprintf("source %q may not be referenced more than once per keyspace: %s, %s", t.Source, first, second)
	}
	if source.ReferencedBy == nil {
		source.ReferencedBy = map[string]*Table{}
	}
	source.ReferencedBy[ks.Keyspace.Name] = t
	if source.Source != nil {
		return fmt.Sprintf("reference chaining is not allowed %s => %s => %s: %s", name, source, source.Source, name)
	}
	return ""
}

// resolveSequences finds the sequence of each auto_increment.
func (b *builder) resolveSequences() error {
	for _, keyspace := range b.keyspaces() {
		for _, name := range slices.Sorted(maps.Keys(b.def.Keyspaces[keyspace].Tables)) {
			auto := b.def.Keyspaces[keyspace].Tables[name].GetAutoIncrement()
			if auto == nil {
				continue
			}
			path := tablePath(keyspace, name) + ".auto_increment"
			sequence, err := b.findSequence(auto.Sequence)
			if err != nil {
				return mistake(path+".sequence", "cannot resolve sequence %s: %s%s", auto.Sequence, err.Error(), DidYouMean(auto.Sequence, b.sequenceNames()))
			}
			if auto.Column == "" {
				return mistake(path+".column", "the column that the sequence fills is missing")
			}
			b.vs.Keyspaces[keyspace].Tables[name].AutoIncrement = &AutoIncrement{Column: sqlparser.NewIdentifierCI(auto.Column), Sequence: sequence}
		}
	}
	return nil
}

func (b *builder) findSequence(name string) (*Table, error) {
	keyspace, table, err := b.parser.ParseTable(name)
	if err != nil {
		return nil, err
	}
	sequence, err := b.vs.FindRoutedTable(keyspace, table, primary)
	if err == nil && sequence == nil {
		err = fmt.Errorf("table %s not found", table)
	}
	return sequence, err
}

// sequenceNames lists all sequences as keyspace.table.
func (b *builder) sequenceNames() []string {
	var names []string
	for _, keyspace := range b.keyspaces() {
		for _, name := range slices.Sorted(maps.Keys(b.vs.Keyspaces[keyspace].Tables)) {
			if b.vs.Keyspaces[keyspace].Tables[name].Type == TypeSequence {
				names = append(names, keyspace+"."+name)
			}
		}
	}
	return names
}
