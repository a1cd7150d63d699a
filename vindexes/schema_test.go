package vindexes_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/sqltypes"
	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/vindexes"
)

// planTestTypes are the registered types and those that only the vschemas of
// plan tests use; any vindex will do for them here.
func planTestTypes() vindexes.Registry {
	types := vindexes.Types()
	for _, name := range []string{"hash_test", "lookup_test", "name_lkp_test", "costly", "unq_lkp_test"} {
		types[name] = types["hash"]
	}
	types["multiCol_test"] = func(name string, _ map[string]string) (vindexes.Vindex, error) {
		return types.New("multicol", name, map[string]string{"column_count": "3"})
	}
	return types
}

// buildText loads and builds a VSchema of several keyspaces.
func buildText(t testing.TB, text string) *vindexes.VSchema {
	t.Helper()
	def, err := vindexes.Load("", []byte(text), "vschema.json")
	require.NoError(t, err)
	vs, err := vindexes.Build(def, vindexes.Types())
	require.NoError(t, err)
	return vs
}

func TestPlanTestVSchemasBuild(t *testing.T) {
	files, err := filepath.Glob("testdata/vschemas/*.json.gz")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		def, err := vindexes.Load("", unzip(t, file), file)
		require.NoError(t, err)
		vs, err := vindexes.Build(def, planTestTypes())
		require.NoError(t, err, file)
		require.Len(t, vs.Keyspaces, len(def.Keyspaces))
	}
}

func unzip(t testing.TB, file string) []byte {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	text, err := io.ReadAll(unzipped)
	require.NoError(t, err)
	return text
}

func TestLoadRefuses(t *testing.T) {
	for _, tc := range []struct{ name, keyspace, text, want string }{
		{"no JSON", "ks", "nonsense", `v.json:1: broken JSON: invalid character 'o' in literal null (expecting 'u')`},
		{"a comma too many", "ks", "{\n\"sharded\": true,\n}", `v.json:3: broken JSON: invalid character '}'`},
		{"cut short", "ks", "{\"sharded\":\n true", `v.json:2: broken JSON: the document ends too early`},
		{"text after the end", "ks", "{}\n{}", `v.json:2: there is text after the end of the JSON document`},
		{"no object", "ks", "[]", `v.json:1: a VSchema is an object, not an array`},
		{"unknown field", "ks", "{\n\"shraded\": true}", `v.json:2: shraded: there is no field "shraded" here, did you mean "sharded"?`},
		{"unknown field deep down", "ks", `{"tables": {"t": {"column_vindexes": [{"colum": "id"}]}}}`,
			`v.json:1: tables.t.column_vindexes[0].colum: there is no field "colum" here, did you mean "column"?`},
		{"unknown field, near a valid one", "ks", `{"tables": {"t": {"auto_increment": {"seqence": 1}}}}`,
			`v.json:1: tables.t.auto_increment.seqence: there is no field "seqence" here, did you mean "sequence"?`},
		{"wrong kind", "ks", `{"sharded": "yes"}`, `v.json:1: sharded: must be true or false, not a string`},
		{"object for a list", "ks", `{"tables": {"t": {"columns": {}}}}`, `v.json:1: tables.t.columns: must be an array, not an object`},
		{"unknown column type", "ks", `{"tables": {"t": {"columns": [{"name": "a", "type": "VARCHER"}]}}}`,
			`v.json:1: tables.t.columns[0].type: "VARCHER" is not one of the values, did you mean "VARCHAR"?`},
		{"name twice", "ks", `{"tables": {"t": {}, "t": {}}}`, `v.json:1: tables.t: the name stands twice in one object`},
		{"wrapped too deep", "ks", `{"ks": {"sharded": true}}`,
			`v.json:1: ks: the keyspace is wrapped one level too deep: the file must hold the value of "ks" itself, or {"keyspaces": {"ks": ...}}`},
		{"one keyspace without its name", "", `{"sharded": true, "tables": {}}`,
			`v.json:1: this is the VSchema of one keyspace, and it is not known which: wrap it, as {"keyspaces": {"NAME": ...}}`},
		{"several keyspaces", "", `{"ks": {"sharded": 1}}`, `v.json:1: ks.sharded: must be true or false, not a number`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := vindexes.Load(tc.keyspace, []byte(tc.text), "v.json")
			require.ErrorContains(t, err, tc.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestLoadForms(t *testing.T) {
	const keyspace = `{"sharded": true, "vindexes": {"h": {"type": "hash"}}, "_comment": "x",
		"tables": {"t": {"columnVindexes": [{"column": "id", "name": "h"}]}}}`
	for name, load := range map[string]func() (*vschemapb.SrvVSchema, error){
		"one keyspace": func() (*vschemapb.SrvVSchema, error) { return vindexes.Load("ks", []byte(keyspace), "") },
		"keyspaces": func() (*vschemapb.SrvVSchema, error) {
			return vindexes.Load("", []byte(`{"keyspaces": {"ks": `+keyspace+`}}`), "")
		},
		"keyspaces, named": func() (*vschemapb.SrvVSchema, error) {
			return vindexes.Load("ks", []byte(`{"keyspaces": {"ks": `+keyspace+`}}`), "")
		},
		"keyspaces, unmarked": func() (*vschemapb.SrvVSchema, error) { return vindexes.Load("", []byte(`{"ks": `+keyspace+`}`), "") },
	} {
		t.Run(name, func(t *testing.T) {
			def, err := load()
			require.NoError(t, err)
			vs, err := vindexes.Build(def, vindexes.Types())
			require.NoError(t, err)
			require.Equal(t, "h", vs.Keyspaces["ks"].Tables["t"].ColumnVindexes[0].Name)
		})
	}
}

func TestBuildRefuses(t *testing.T) {
	sharded := func(rest string) string {
		return `{"ks": {"sharded": true, "vindexes": {"h": {"type": "hash"},
			"l": {"type": "lookup", "params": {"table": "lt", "from": "a", "to": "b"}, "owner": "items"}}, "tables": {` + rest + `}}}`
	}
	const t0 = `"t": {"column_vindexes": [{"column": "id", "name": "h"}]}`
	for _, tc := range []struct{ name, text, want string }{
		{"unknown vindex type", `{"ks": {"vindexes": {"h": {"type": "hsah"}}}}`,
			`keyspaces.ks.vindexes.h.type: vindexType "hsah" not found, did you mean "hash"?`},
		{"bad parameter", `{"ks": {"vindexes": {"h": {"type": "lookup", "params": {"write_only": "x"}}}}}`,
			`keyspaces.ks.vindexes.h.params: write_only value must be 'true' or 'false': 'x'`},
		{"owner by a slip", sharded(`"item": {"column_vindexes": [{"column": "id", "name": "h"}]}`),
			`keyspaces.ks.vindexes.l.owner: table "items" is not in keyspace ks, did you mean "item"?`},
		{"unknown vindex", sharded(t0 + `, "u": {"column_vindexes": [{"column": "id", "name": "hh"}]}`),
			`keyspaces.ks.tables.u.column_vindexes[0].name: vindex hh not found for table u, did you mean "h"?`},
		{"no vindex", sharded(t0 + `, "u": {}`), `keyspaces.ks.tables.u: missing primary col vindex for table: u`},
		{"primary vindex not unique", sharded(`"t": {"column_vindexes": [{"column": "id", "name": "l"}]}`),
			`keyspaces.ks.tables.t.column_vindexes[0]: primary vindex l is not Unique for table t`},
		{"no column", sharded(`"t": {"column_vindexes": [{"name": "h"}]}`),
			`keyspaces.ks.tables.t.column_vindexes[0]: must specify at least one column for vindex (h) and table (t)`},
		{"column and columns", sharded(`"t": {"column_vindexes": [{"name": "h", "column": "a", "columns": ["a"]}]}`),
			`keyspaces.ks.tables.t.column_vindexes[0]: can't use column and columns at the same time in vindex (h) and table (t)`},
		{"column twice", sharded(`"t": {"column_vindexes": [{"name": "h", "column": "a"}], "columns": [{"name": "a"}, {"name": "A"}]}`),
			`keyspaces.ks.tables.t.columns[1].name: duplicate column name 'A' for table: t`},
		{"unknown table type", `{"ks": {"tables": {"s": {"type": "sequnce"}}}}`,
			`keyspaces.ks.tables.s.type: unidentified table type sequnce, did you mean "sequence"?`},
		{"sequence in a sharded keyspace", sharded(t0 + `, "s": {"type": "sequence"}`),
			`keyspaces.ks.tables.s: sequence table has to be in an unsharded keyspace or must be pinned: s`},
		{"unknown sequence keyspace", `{"ks": {"tables": {"t": {"auto_increment": {"column": "id", "sequence": "sk.s"}}}}, "seq": {"tables": {"s": {"type": "sequence"}}}}`,
			`keyspaces.ks.tables.t.auto_increment.sequence: cannot resolve sequence sk.s: VT05003: unknown database 'sk' in vschema, valid names are seq.s`},
		{"reference to its own keyspace", sharded(t0 + `, "r": {"type": "reference", "source": "ks.t"}`),
			`keyspaces.ks.tables.r.source: source "ks.t" may not reference a table in the same keyspace as table: r`},
		{"reference to no keyspace", sharded(t0 + `, "r": {"type": "reference", "source": "kss.t"}`),
			`keyspaces.ks.tables.r.source: source "kss.t" references a non-existent keyspace "kss", did you mean "ks"?`},
		{"bad pin", `{"ks": {"tables": {"t": {"pinned": "zz"}}}}`, `keyspaces.ks.tables.t.pinned: could not decode the keyspace id for pin`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			def, err := vindexes.Load("", []byte(tc.text), "v.json")
			require.NoError(t, err)
			_, err = vindexes.Build(def, vindexes.Types())
			require.ErrorContains(t, err, tc.want)
		})
	}
}

// twoKeyspaces has a sharded and an unsharded keyspace with names in common.
const twoKeyspaces = `{"keyspaces": {
	"user": {"sharded": true,
		"vindexes": {"h": {"type": "hash"}, "m": {"type": "multicol", "params": {"column_count": "3"}},
			"n": {"type": "lookup", "params": {"table": "n", "from": "name", "to": "ksid"}, "owner": "u"}},
		"tables": {"u": {"column_vindexes": [{"column": "id", "name": "h"}, {"column": "name", "name": "n"}],
				"auto_increment": {"column": "id", "sequence": "main.seq"}},
			"both": {"column_vindexes": [{"column": "id", "name": "h"}]},
			"wide": {"column_vindexes": [{"columns": ["a", "b", "c"], "name": "m"}]},
			"ref": {"type": "reference", "source": "main.ref"}}},
	"main": {"tables": {"seq": {"type": "sequence"}, "both": {}, "ref": {}}}},
	"routing_rules": {"rules": [{"from_table": "old", "to_tables": ["user.u"]}, {"from_table": "off", "to_tables": []},
		{"from_table": "main.u@replica", "to_tables": ["user.u"]}, {"from_table": "lost", "to_tables": ["nowhere.u"]}]}}`

func TestBuildTables(t *testing.T) {
	vs := buildText(t, twoKeyspaces)
	u := vs.Keyspaces["user"].Tables["u"]
	require.Len(t, u.Owned, 1)
	require.Equal(t, "n", u.Owned[0].Name)
	require.Same(t, vs.Keyspaces["main"].Tables["seq"], u.AutoIncrement.Sequence)
	wide := vs.Keyspaces["user"].Tables["wide"].Ordered
	require.Len(t, wide, 3)
	for i, cv := range wide {
		require.Len(t, cv.Columns, 3-i)
		require.Equal(t, i > 0, cv.IsPartialVindex())
		require.Equal(t, i == 0, cv.IsUnique())
		require.Equal(t, 3+i, cv.Cost())
	}
	require.Same(t, vs.Keyspaces["user"].Tables["ref"], vs.Keyspaces["main"].Tables["ref"].ReferencedBy["user"])
}

func TestFindTable(t *testing.T) {
	vs := buildText(t, twoKeyspaces)
	for _, tc := range []struct{ name, keyspace, table, want, err string }{
		{"qualified", "user", "u", "`user`.u", ""},
		{"name of one keyspace", "", "u", "`user`.u", ""},
		{"reference means its source", "", "ref", "main.ref", ""},
		{"name of two keyspaces", "", "both", "", "ambiguous table reference: both"},
		{"unknown in an unsharded keyspace", "main", "x", "main.x", ""},
		{"unknown in a sharded keyspace", "user", "x", "", "table x not found"},
		{"unknown without a keyspace", "", "x", "", "table x not found"},
		{"unknown keyspace", "nowhere", "u", "", "VT05003: unknown database 'nowhere' in vschema"},
		{"routed", "", "old", "`user`.u", ""},
		{"disabled", "", "off", "", "table off has been disabled"},
		{"rule for replicas alone", "main", "u", "main.u", ""},
		{"rule that leads nowhere", "", "lost", "", "VT05003: unknown database 'nowhere' in vschema"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			table, err := vs.FindTable(tc.keyspace, tc.table)
			if tc.err != "" {
				require.EqualError(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, table.String())
		})
	}
	routed, err := vs.FindRoutedTable("main", "u", topodatapb.TabletType_REPLICA)
	require.NoError(t, err)
	require.Equal(t, "`user`.u", routed.String())
	_, vindex, err := vs.FindTableOrVindex("", "h")
	require.NoError(t, err)
	require.Equal(t, "h", vindex.String())
	_, _, err = vs.FindTableOrVindex("", "nothing")
	require.ErrorAs(t, err, &vindexes.NotFoundError{})
}

func TestOneUnshardedKeyspaceHasEveryTable(t *testing.T) {
	vs := buildText(t, `{"only": {}}`)
	table, err := vs.FindTable("", "anything")
	require.NoError(t, err)
	require.Equal(t, "`only`.anything", table.String())
}

func TestWithTables(t *testing.T) {
	before := buildText(t, twoKeyspaces)
	parser := sqlparser.NewTestParser()
	stmt, err := parser.Parse("select id from u")
	require.NoError(t, err)
	create, err := parser.ParseStrictDDL("create table child (id int, uid int, foreign key (uid) references u (id) on delete cascade)")
	require.NoError(t, err)
	fk := create.(*sqlparser.CreateTable).TableSpec.Constraints[0].Details.(*sqlparser.ForeignKeyDefinition)
	id := vindexes.Column{Name: sqlparser.NewIdentifierCI("id"), Type: sqltypes.Int64}
	after := before.WithTables("user", []vindexes.TableSchema{
		{Name: "u", Columns: []vindexes.Column{id}, PrimaryKey: sqlparser.Columns{id.Name}},
		{Name: "child", ForeignKeys: []*sqlparser.ForeignKeyDefinition{fk}},
		{Name: "v", View: stmt.(sqlparser.TableStatement)},
	}).WithTables("main", []vindexes.TableSchema{{Name: "fresh", Columns: []vindexes.Column{id}}})

	u := after.Keyspaces["user"].Tables["u"]
	require.True(t, u.ColumnListAuthoritative)
	require.NotNil(t, u.FindColumn(sqlparser.NewIdentifierCI("ID")))
	require.Len(t, u.PrimaryKey, 1)
	require.Len(t, u.ChildForeignKeys, 1)
	require.Len(t, after.Keyspaces["user"].Tables["child"].ParentForeignKeys, 1)
	require.NotNil(t, after.FindView("", "v"))
	fresh, err := after.FindTable("", "fresh")
	require.NoError(t, err)
	require.Equal(t, "main.fresh", fresh.String())

	require.False(t, before.Keyspaces["user"].Tables["u"].ColumnListAuthoritative, "the old VSchema must not change")
	require.Nil(t, before.FindView("user", "v"))
	dropped := after.WithTables("user", nil)
	require.Empty(t, dropped.Keyspaces["user"].Tables["u"].Columns)
	require.NotEmpty(t, dropped.Keyspaces["main"].Tables["fresh"].Columns)
}

func TestForeignKeyCycleIsRefused(t *testing.T) {
	parser := sqlparser.NewTestParser()
	fkOf := func(sql string) []*sqlparser.ForeignKeyDefinition {
		stmt, err := parser.ParseStrictDDL(sql)
		require.NoError(t, err)
		return []*sqlparser.ForeignKeyDefinition{stmt.(*sqlparser.CreateTable).TableSpec.Constraints[0].Details.(*sqlparser.ForeignKeyDefinition)}
	}
	vs := buildText(t, `{"ks": {"foreign_key_mode": "managed"}}`).WithTables("ks", []vindexes.TableSchema{
		{Name: "a", ForeignKeys: fkOf("create table a (x int, foreign key (x) references b (x) on update cascade)")},
		{Name: "b", ForeignKeys: fkOf("create table b (x int, foreign key (x) references a (x) on update cascade)")},
	})
	require.ErrorContains(t, vs.Keyspaces["ks"].Error, "VT09019: keyspace 'ks' has cyclic foreign keys")
}

func FuzzLoad(f *testing.F) {
	f.Add("", twoKeyspaces)
	f.Add("ks", `{"sharded": true, "vindexes": {"h": {"type": "hash"}}, "tables": {"t": {"column_vindexes": [{"column": "id", "name": "h"}]}}}`)
	f.Add("ks", `{"tables": {"t": {"columns": [{"name": "a", "type": 6165, "nullable": false, "default": "1+"}]}}}`)
	f.Add("", `{"mirror_rules": {"rules": [{"from_table": "a.b@replica", "to_table": "c.d", "percent": 1.5}]}, "keyspaces": {"a": {}, "c": {}}}`)
	f.Fuzz(func(t *testing.T, keyspace, text string) {
		if strings.Contains(text, "_path") || strings.Contains(text, "region_map") {
			return // these name files
		}
		def, err := vindexes.Load(keyspace, []byte(text), "f.json")
		if err != nil {
			return
		}
		vs, err := vindexes.Build(def, vindexes.Types())
		if err != nil {
			return
		}
		for name := range vs.Keyspaces {
			if _, err := vs.FindTable(name, "t"); err == nil {
				vs.WithTables(name, []vindexes.TableSchema{{Name: "t"}})
			}
		}
	})
}
