package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"vitess.io/vitess/go/mysql/config"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/test/vschemawrapper"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtenv"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/engine"
	"vitess.io/vitess/go/vt/vtgate/planbuilder"
	"vitess.io/vitess/go/vt/vtgate/vindexes"

	"github.com/vitrodb/vitro/planner/plantest"
	tables "github.com/vitrodb/vitro/vindexes"
)

// Oracle is Vitess's planner with the VSchema and session of one case file.
type Oracle struct {
	session *session
}

// session answers what Vitess's planner asks. The embedded wrapper falls back on a keyspace called main, whichever is asked
// for; this one has the rules of a gateway beyond that.
type session struct {
	*vschemawrapper.VSchemaWrapper
}

// SelectedKeyspace returns the selected keyspace, or main. VT09005 for none.
func (s *session) SelectedKeyspace() (*vindexes.Keyspace, error) {
	if s.Keyspace != nil {
		return s.Keyspace, nil
	}
	if main := s.V.Keyspaces["main"]; main != nil {
		return main.Keyspace, nil
	}
	return nil, vterrors.VT09005()
}

// AnyKeyspace returns the selected keyspace, or else the first sharded one by name, or else the first.
func (s *session) AnyKeyspace() (*vindexes.Keyspace, error) {
	if ks, err := s.SelectedKeyspace(); err == nil {
		return ks, nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.V.Keyspaces)) {
		if ks := s.V.Keyspaces[name].Keyspace; ks.Sharded {
			return ks, nil
		}
	}
	return s.FirstSortedKeyspace()
}

// FirstSortedKeyspace returns the first keyspace by name.
func (s *session) FirstSortedKeyspace() (*vindexes.Keyspace, error) {
	names := slices.Sorted(maps.Keys(s.V.Keyspaces))
	if len(names) == 0 {
		return nil, vterrors.VT09005()
	}
	return s.V.Keyspaces[names[0]].Keyspace, nil
}

// NewOracle builds the oracle of a case file from the suite's settings. Settings that the golden cases of this project do
// not use are an error.
func NewOracle(suiteFile string, suite *plantest.Suite, caseFile string) (*Oracle, error) {
	settings, ok := suite.Files[filepath.Base(caseFile)]
	if !ok {
		return nil, fmt.Errorf("the suite has no settings for %s", caseFile)
	}
	if settings.Destination != "" {
		return nil, errors.New("the oracle has no destination")
	}
	formal, err := vindexes.LoadFormal(filepath.Join(filepath.Dir(suiteFile), "vschemas", settings.VSchema))
	if err != nil {
		return nil, err
	}
	version := settings.MySQLVersion
	if version == "" {
		version = config.DefaultMySQLVersion
	}
	env, err := vtenv.New(vtenv.Options{MySQLServerVersion: version})
	if err != nil {
		return nil, err
	}
	vschema := vindexes.BuildVSchema(formal, env.Parser())
	for name, ks := range vschema.Keyspaces {
		if ks.Error != nil {
			return nil, fmt.Errorf("keyspace %s: %w", name, ks.Error)
		}
		if settings.TextCollation != "" {
			setCollations(ks, settings.TextCollation)
		}
	}
	for _, name := range settings.Setups {
		if err := learn(vschema, suite.Setups[name], env.Parser()); err != nil {
			return nil, err
		}
	}
	wrapper, err := vschemawrapper.NewVschemaWrapper(env, vschema, planbuilder.TestBuilder)
	if err != nil {
		return nil, err
	}
	wrapper.Version = querypb.ExecuteOptions_Gen4
	wrapper.ForeignKeyChecksState = settings.ForeignKeyChecks
	wrapper.EnableViews = settings.ViewsEnabled
	if settings.SysvarSetEnabled != nil {
		wrapper.SysVarEnabled = *settings.SysvarSetEnabled
	}
	if settings.DefaultKeyspace != "" {
		ks := vschema.Keyspaces[settings.DefaultKeyspace]
		if ks == nil {
			return nil, fmt.Errorf("unknown keyspace %s", settings.DefaultKeyspace)
		}
		wrapper.Keyspace = ks.Keyspace
		if err := wrapper.Vcursor.SetTarget(settings.DefaultKeyspace); err != nil {
			return nil, err
		}
	}
	return &Oracle{&session{wrapper}}, nil
}

func setCollations(ks *vindexes.KeyspaceSchema, collation string) {
	for _, table := range ks.Tables {
		for i, col := range table.Columns {
			if sqltypes.IsText(col.Type) && col.CollationName == "" {
				table.Columns[i].CollationName = collation
			}
		}
	}
}

// learn adds what schema tracking would have brought.
func learn(vschema *vindexes.VSchema, setup plantest.Setup, parser *sqlparser.Parser) error {
	for _, pk := range setup.PrimaryKeys {
		if ks := vschema.Keyspaces[pk.Keyspace]; ks != nil {
			if err := vschema.AddPrimaryKey(pk.Keyspace, pk.Table, pk.Columns); err != nil {
				return err
			}
		}
	}
	for _, uk := range setup.UniqueKeys {
		var exprs []sqlparser.Expr
		for _, text := range uk.Exprs {
			expr, err := parser.ParseExpr(text)
			if err != nil {
				return err
			}
			exprs = append(exprs, expr)
		}
		if vschema.Keyspaces[uk.Keyspace] != nil {
			if err := vschema.AddUniqueKey(uk.Keyspace, uk.Table, exprs); err != nil {
				return err
			}
		}
	}
	for _, fk := range setup.ForeignKeys {
		if vschema.Keyspaces[fk.Keyspace] != nil {
			key := tables.NewForeignKey("", fk.ChildColumns, fk.ParentTable, fk.ParentColumns, fk.OnUpdate, fk.OnDelete)
			if err := vschema.AddForeignKey(fk.Keyspace, fk.ChildTable, key); err != nil {
				return err
			}
		}
	}
	for _, view := range setup.Views {
		if ks := vschema.Keyspaces[view.Keyspace]; ks != nil {
			if err := vschema.AddView(view.Keyspace, view.Name, view.Select, parser); err != nil {
				return err
			}
		}
	}
	for _, udf := range setup.AggregateUDFs {
		if ks := vschema.Keyspaces[udf.Keyspace]; ks != nil {
			if err := vschema.AddUDF(udf.Keyspace, udf.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Plan returns the plan as JSON, or the error as a JSON string. A panic of Vitess's planner is an error too.
func (o *Oracle) Plan(query string) (text json.RawMessage) {
	plan, err := o.build(query)
	if err != nil {
		text, _ = json.Marshal(err.Error())
		return text
	}
	text, err = json.Marshal(plan)
	if err != nil {
		text, _ = json.Marshal(err.Error())
	}
	return text
}

// Build plans a query and drops the plan.
func (o *Oracle) Build(query string) error {
	_, err := o.build(query)
	return err
}

func (o *Oracle) build(query string) (plan *engine.Plan, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if stmt, err := o.session.Environment().Parser().Parse(query); err == nil {
		// What TestBuilder does for the wrapper alone.
		if hints, err := sqlparser.BuildQueryHints(stmt); err == nil && hints.ForeignKeyChecks != nil {
			defer func(before *bool) { o.session.ForeignKeyChecksState = before }(o.session.ForeignKeyChecksState)
			o.session.ForeignKeyChecksState = hints.ForeignKeyChecks
		}
	}
	return planbuilder.TestBuilder(query, o.session, o.session.CurrentDb())
}
