package plantest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"vitess.io/vitess/go/mysql/config"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtenv"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner"
	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

type (
	// Config says against what queries are planned.
	Config struct {
		Settings
		Setups []Setup
		// VSchemaFile holds {"keyspaces": ...}, or one keyspace: then Keyspace names it.
		VSchemaFile string
		Keyspace    string
		// VSchema, if not nil, is the text of VSchemaFile, which is not read then.
		VSchema []byte
		// Schema holds statements as SchemaFiles do.
		Schema string
		// SchemaFiles hold CREATE TABLE statements of Keyspace, or of the selected keyspace after USE.
		SchemaFiles []string
		// FallbackKeyspace goes before others where a statement needs some keyspace and none is selected.
		FallbackKeyspace string
	}

	// Planner plans queries against one VSchema and one session.
	Planner struct {
		pc planner.Context
	}
)

// NewPlanner loads the VSchema. Errors name the file and the JSON path of a fault.
func NewPlanner(cfg Config) (*Planner, error) {
	version := cfg.MySQLVersion
	if version == "" {
		version = config.DefaultMySQLVersion
	}
	env, err := vtenv.New(vtenv.Options{MySQLServerVersion: version})
	if err != nil {
		return nil, err
	}
	vschema, err := loadVSchema(cfg, env)
	if err != nil {
		return nil, err
	}
	dest, err := parseDestination(cfg.Destination)
	if err != nil {
		return nil, err
	}
	if cfg.DefaultKeyspace != "" && vschema.Keyspaces[cfg.DefaultKeyspace] == nil && !sqlparser.SystemSchema(cfg.DefaultKeyspace) {
		return nil, fmt.Errorf("keyspace %q is not in %s; it has %v", cfg.DefaultKeyspace, cfg.VSchemaFile, vschema.KeyspaceNames())
	}
	return &Planner{planner.Context{
		VSchema: vschema, Keyspace: cfg.DefaultKeyspace, TargetString: cfg.Target, Destination: dest,
		Collation: env.CollationEnv().DefaultConnectionCharset(), Env: env,
		ForeignKeyChecks: cfg.ForeignKeyChecks, FallbackKeyspace: cfg.FallbackKeyspace,
		SysVarSetDisabled: cfg.SysvarSetEnabled != nil && !*cfg.SysvarSetEnabled, ViewsEnabled: cfg.ViewsEnabled,
		Keyspaces: cfg.TopoKeyspaces, Statements: preparedStatements{},
	}}, nil
}

func parseDestination(text string) (key.Destination, error) {
	kind, value, _ := strings.Cut(text, ":")
	switch kind {
	case "":
		return nil, nil
	case "shard":
		return key.DestinationShard(value), nil
	case "keyrange":
		target, err := key.ParseTarget("k["+value+"]", 0)
		return target.Destination, err
	}
	return nil, fmt.Errorf("destination %q is neither shard:NAME nor keyrange:START-END", text)
}

func loadVSchema(cfg Config, env *vtenv.Environment) (*vindexes.VSchema, error) {
	def, err := loadDefinition(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.TextCollation != "" {
		setCollations(def, cfg.TextCollation)
	}
	vschema, err := vindexes.Build(def, Types())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cfg.VSchemaFile, err)
	}
	learned := newSchemaSet(env)
	for _, setup := range cfg.Setups {
		if err := learned.add(setup); err != nil {
			return nil, err
		}
	}
	if err := learned.addTables(cfg.Schema, cfg.DefaultKeyspace); err != nil {
		return nil, err
	}
	for _, file := range cfg.SchemaFiles {
		if err := learned.addFile(file, cfg.DefaultKeyspace); err != nil {
			return nil, err
		}
	}
	return learned.apply(vschema), nil
}

func loadDefinition(cfg Config) (*vschemapb.SrvVSchema, error) {
	if cfg.VSchema != nil {
		return vindexes.Load(cfg.Keyspace, cfg.VSchema, cfg.VSchemaFile)
	}
	return vindexes.LoadFile(cfg.Keyspace, cfg.VSchemaFile)
}

// setCollations gives text columns a collation where they have none.
func setCollations(def *vschemapb.SrvVSchema, collation string) {
	for _, ks := range def.Keyspaces {
		for _, table := range ks.Tables {
			for _, col := range table.Columns {
				if sqltypes.IsText(col.Type) && col.CollationName == "" {
					col.CollationName = collation
				}
			}
		}
	}
}

// Plan plans a query as a client would send it, with its literals kept.
func (p *Planner) Plan(query string) (*engine.Plan, error) {
	plan, _, err := p.trace(query)
	return plan, err
}

// Trace plans a query and tells what each rewrite did, line by line.
func (p *Planner) Trace(query string) (*engine.Plan, []string, error) { return p.trace(query) }

func (p *Planner) trace(query string) (*engine.Plan, []string, error) {
	pc := p.pc
	stmt, known, err := planner.Parse(pc.Env.Parser(), query)
	if err != nil {
		return nil, nil, err
	}
	checks, err := planner.HintedForeignKeyChecks(stmt)
	if err != nil {
		return nil, nil, err
	}
	if checks != nil {
		pc.ForeignKeyChecks = checks
	}
	reserved := sqlparser.NewReservedVars("vtg", known)
	normal, err := normalise(stmt, reserved, &pc)
	if err != nil {
		return nil, nil, err
	}
	return planner.Trace(query, normal.AST, reserved, normal.BindVarNeeds, &pc)
}

// normalise rewrites a statement as a gateway does before planning. The library panics on some statements.
func normalise(stmt sqlparser.Statement, reserved *sqlparser.ReservedVars, pc *planner.Context) (result *sqlparser.RewriteASTResult, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = vterrors.VT13001(fmt.Sprintf("%v in %s", r, sqlparser.String(stmt)))
		}
	}()
	return sqlparser.Normalize(stmt, reserved, map[string]*querypb.BindVariable{}, false, pc.Keyspace,
		sqlparser.SQLSelectLimitUnset, "", nil, pc.ForeignKeyChecks, pc)
}

// PlanJSON plans a query and returns the plan as an object, or the error as a string.
func (p *Planner) PlanJSON(query string) (json.RawMessage, error) {
	return planJSON(p.Plan(query))
}

// eachStatement reads the statements of a schema file one by one.
func eachStatement(env *vtenv.Environment, text string, each func(sqlparser.Statement) error) error {
	pieces, err := env.Parser().SplitStatementToPieces(text)
	if err != nil {
		return err
	}
	for _, piece := range pieces {
		stmt, err := env.Parser().Parse(piece)
		if errors.Is(err, sqlparser.ErrEmpty) {
			continue
		}
		if err != nil {
			return err
		}
		if err := each(stmt); err != nil {
			return err
		}
	}
	return nil
}
