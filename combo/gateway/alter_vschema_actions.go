package gateway

import (
	"maps"
	"slices"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes"
)

// vschemaChange is an ALTER VSCHEMA on one keyspace's definition, which is the change's own copy.
type vschemaChange struct {
	keyspace string
	def      *vschemapb.Keyspace
	stmt     *sqlparser.AlterVschema
}

// vschemaActions are the changes by what the statement asks for. It is never changed.
var vschemaActions = map[sqlparser.DDLAction]func(*vschemaChange) error{
	sqlparser.CreateVindexDDLAction:     (*vschemaChange).createVindex,
	sqlparser.DropVindexDDLAction:       (*vschemaChange).dropVindex,
	sqlparser.AddVschemaTableDDLAction:  (*vschemaChange).addTable,
	sqlparser.DropVschemaTableDDLAction: (*vschemaChange).dropTable,
	sqlparser.AddColVindexDDLAction:     (*vschemaChange).addColumnVindex,
	sqlparser.DropColVindexDDLAction:    (*vschemaChange).dropColumnVindex,
	sqlparser.AddSequenceDDLAction:      (*vschemaChange).addSequence,
	sqlparser.DropSequenceDDLAction:     (*vschemaChange).dropSequence,
	sqlparser.AddAutoIncDDLAction:       (*vschemaChange).addAutoIncrement,
	sqlparser.DropAutoIncDDLAction:      (*vschemaChange).dropAutoIncrement,
}

// alteredVSchema returns a new VSchema with the change in it.
func alteredVSchema(vs *vindexes.VSchema, keyspace string, stmt *sqlparser.AlterVschema) (*vindexes.VSchema, error) {
	def := vs.Definition().CloneVT()
	if err := AlterDefinition(def, keyspace, stmt); err != nil {
		return nil, err
	}
	return vs.WithDefinition(def)
}

// AlterDefinition changes the definition of a keyspace as ALTER VSCHEMA says. On error it may be changed in part. Whether
// the whole builds it does not look at.
func AlterDefinition(def *vschemapb.SrvVSchema, keyspace string, stmt *sqlparser.AlterVschema) error {
	action, ok := vschemaActions[stmt.Action]
	if !ok {
		return vterrors.VT12001("ALTER VSCHEMA " + stmt.Action.ToString())
	}
	ks, ok := def.Keyspaces[keyspace]
	if !ok {
		return vterrors.VT05003(keyspace)
	}
	if ks.Tables == nil {
		ks.Tables = map[string]*vschemapb.Table{}
	}
	if ks.Vindexes == nil {
		ks.Vindexes = map[string]*vschemapb.Vindex{}
	}
	return action(&vschemaChange{keyspace: keyspace, def: ks, stmt: stmt})
}

func (c *vschemaChange) table() string { return c.stmt.Table.Name.String() }

// refuse is the error of a change that does not fit what is there in the keyspace.
func (c *vschemaChange) refuse(format string, args ...any) error {
	return refused(format+" in keyspace %s", append(args, c.keyspace)...)
}

func refused(format string, args ...any) error {
	return vterrors.Errorf(vtrpcpb.Code_INTERNAL, format, args...)
}

// refuseSharded is the error of a change that only a keyspace without shards can have.
func (c *vschemaChange) refuseSharded(what string) error {
	if !c.def.Sharded {
		return nil
	}
	return refused("%s: unsupported on sharded keyspace %s", what, c.keyspace)
}

// setVindex defines a vindex; the first one makes the keyspace sharded.
func (c *vschemaChange) setVindex(spec *sqlparser.VindexSpec) {
	if len(c.def.Vindexes) == 0 {
		c.def.Sharded = true
	}
	owner, params := spec.ParseParams()
	c.def.Vindexes[spec.Name.String()] = &vschemapb.Vindex{Type: spec.Type.String(), Params: params, Owner: owner}
}

func (c *vschemaChange) createVindex() error {
	name := c.stmt.VindexSpec.Name.String()
	if c.def.Vindexes[name] != nil {
		return c.refuse("vindex %s already exists", name)
	}
	c.setVindex(c.stmt.VindexSpec)
	return nil
}

func (c *vschemaChange) dropVindex() error {
	name := c.stmt.VindexSpec.Name.String()
	if c.def.Vindexes[name] == nil {
		return c.refuse("vindex %s does not exists", name)
	}
	for _, table := range slices.Sorted(maps.Keys(c.def.Tables)) {
		if findColumnVindex(c.def.Tables[table], name) >= 0 {
			return c.refuse("can not drop vindex cause %s still defined on table %s", name, table)
		}
	}
	delete(c.def.Vindexes, name)
	return nil
}

func (c *vschemaChange) addTable() error {
	if err := c.refuseSharded("add vschema table"); err != nil {
		return err
	}
	return c.addNew("table", &vschemapb.Table{})
}

func (c *vschemaChange) addSequence() error {
	if err := c.refuseSharded("add sequence table"); err != nil {
		return err
	}
	return c.addNew("sequence", &vschemapb.Table{Type: vindexes.TypeSequence})
}

func (c *vschemaChange) addNew(what string, table *vschemapb.Table) error {
	if c.def.Tables[c.table()] != nil {
		return c.refuse("vschema already contains %s %s", what, c.table())
	}
	c.def.Tables[c.table()] = table
	return nil
}

func (c *vschemaChange) dropTable() error { return c.remove("table") }

func (c *vschemaChange) dropSequence() error {
	if err := c.refuseSharded("drop sequence table"); err != nil {
		return err
	}
	return c.remove("sequence")
}

func (c *vschemaChange) remove(what string) error {
	if c.def.Tables[c.table()] == nil {
		return c.refuse("vschema does not contain %s %s", what, c.table())
	}
	delete(c.def.Tables, c.table())
	return nil
}

// addColumnVindex puts a vindex on a table's columns; one described in full is made if it is not there.
func (c *vschemaChange) addColumnVindex() error {
	spec := c.stmt.VindexSpec
	name := spec.Name.String()
	known := c.def.Vindexes[name]
	switch {
	case spec.Type.IsEmpty() && known == nil:
		return c.refuse("vindex %s does not exist", name)
	case known == nil:
		c.setVindex(spec)
	case spec.Type.NotEmpty():
		if err := sameVindex(name, known, spec); err != nil {
			return err
		}
	}
	table := c.def.Tables[c.table()]
	if table == nil {
		table = &vschemapb.Table{}
		c.def.Tables[c.table()] = table
	}
	if findColumnVindex(table, name) >= 0 {
		return c.refuse("vindex %s already defined on table %s", name, c.table())
	}
	columnVindex := &vschemapb.ColumnVindex{Name: name}
	for _, col := range c.stmt.VindexCols {
		columnVindex.Columns = append(columnVindex.Columns, col.String())
	}
	table.ColumnVindexes = append(table.ColumnVindexes, columnVindex)
	return nil
}

// sameVindex says how a vindex described in full differs from the one that is there.
func sameVindex(name string, known *vschemapb.Vindex, spec *sqlparser.VindexSpec) error {
	owner, params := spec.ParseParams()
	switch {
	case known.Type != spec.Type.String():
		return refused("vindex %s defined with type %s not %s", name, known.Type, spec.Type.String())
	case known.Owner != owner:
		return refused("vindex %s defined with owner %s not %s", name, known.Owner, owner)
	case !maps.Equal(known.Params, params):
		return refused("vindex %s defined with different parameters", name)
	}
	return nil
}

// dropColumnVindex takes a vindex off a table; a table without any leaves the VSchema.
func (c *vschemaChange) dropColumnVindex() error {
	name := c.stmt.VindexSpec.Name.String()
	table := c.def.Tables[c.table()]
	if table == nil {
		return refused("table %s.%s not defined in vschema", c.keyspace, c.table())
	}
	i := findColumnVindex(table, name)
	if i < 0 {
		return refused("vindex %s not defined in table %s.%s", name, c.keyspace, c.table())
	}
	table.ColumnVindexes = slices.Delete(table.ColumnVindexes, i, i+1)
	if len(table.ColumnVindexes) == 0 {
		delete(c.def.Tables, c.table())
	}
	return nil
}

func findColumnVindex(table *vschemapb.Table, name string) int {
	return slices.IndexFunc(table.GetColumnVindexes(), func(cv *vschemapb.ColumnVindex) bool { return cv.Name == name })
}

func (c *vschemaChange) addAutoIncrement() error {
	table := c.def.Tables[c.table()]
	if table == nil {
		return c.refuse("vschema does not contain table %s", c.table())
	}
	if table.AutoIncrement != nil {
		return c.refuse("vschema already contains auto inc %v on table %s", table.AutoIncrement, c.table())
	}
	table.AutoIncrement = &vschemapb.AutoIncrement{
		Column:   c.stmt.AutoIncSpec.Column.String(),
		Sequence: sqlparser.String(c.stmt.AutoIncSpec.Sequence),
	}
	return nil
}

func (c *vschemaChange) dropAutoIncrement() error {
	table := c.def.Tables[c.table()]
	if table == nil {
		return c.refuse("vschema does not contain table %s", c.table())
	}
	if table.AutoIncrement == nil {
		return c.refuse("vschema does not contain auto increment %v on table %s", table.AutoIncrement, c.table())
	}
	table.AutoIncrement = nil
	return nil
}
