package planner

import (
	"fmt"
	"runtime"

	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
)

type (
	// builder plans one statement.
	builder struct {
		pc       *Context
		sql      string
		reserved *sqlparser.ReservedVars
		trace    []string
		warnings []*querypb.QueryWarning
	}

	// planned is a tree with the tables it uses, as keyspace.table.
	planned struct {
		primitive engine.Primitive
		tables    []string
	}
)

// Build plans a statement. sql is its text, stmt its normalised syntax tree, which planning changes, reserved the bind variables
// that the statement has already, and needs those that the gateway must fill in.
// Errors carry Vitess's codes; a bug of the planner is VT13001 with the statement.
func Build(sql string, stmt sqlparser.Statement, reserved *sqlparser.ReservedVars, needs *sqlparser.BindVarNeeds, pc *Context) (*engine.Plan, error) {
	plan, _, err := build(sql, stmt, reserved, needs, pc)
	return plan, err
}

// Trace plans a statement and tells the phases and what each rewrite changed, line by line, also where planning fails.
func Trace(sql string, stmt sqlparser.Statement, reserved *sqlparser.ReservedVars, needs *sqlparser.BindVarNeeds, pc *Context) (*engine.Plan, []string, error) {
	return build(sql, stmt, reserved, needs, pc)
}

func build(sql string, stmt sqlparser.Statement, reserved *sqlparser.ReservedVars, needs *sqlparser.BindVarNeeds, pc *Context) (plan *engine.Plan, trace []string, err error) {
	b := &builder{pc: pc, sql: sql, reserved: reserved}
	defer func() {
		if r := recover(); r != nil {
			plan, trace, err = nil, b.trace, bug(r, sql)
		}
	}()
	kind := stmt
	out, err := b.statement(sql, stmt)
	if err != nil {
		return nil, b.trace, err
	}
	plan = engine.NewPlan(sql, kind, out.primitive, needs, out.tables)
	plan.Warnings = b.warnings
	return plan, b.trace, nil
}

// bug words a broken invariant. Refusals that a panic carried past operators.Plan stay what they are.
func bug(r any, sql string) error {
	if _, isRuntime := r.(runtime.Error); !isRuntime {
		if err, ok := r.(error); ok {
			return err
		}
	}
	return vterrors.VT13001(fmt.Sprintf("%v while planning: %s", r, sql))
}

// statement plans a statement by its kind. The primitive is nil for those that the gateway runs by itself.
func (b *builder) statement(sql string, stmt sqlparser.Statement) (planned, error) {
	if b.pc.Destination != nil && isRouted(stmt) {
		return b.bypass(stmt)
	}
	switch stmt := stmt.(type) {
	case *sqlparser.Begin, *sqlparser.Commit, *sqlparser.Rollback, *sqlparser.Savepoint, *sqlparser.SRollback,
		*sqlparser.Release, *sqlparser.Kill:
		return planned{}, nil
	case sqlparser.TableStatement:
		return b.query(stmt)
	case *sqlparser.Insert:
		return b.insert(stmt)
	case *sqlparser.Update:
		return b.update(stmt)
	case *sqlparser.Delete:
		return b.delete(stmt)
	case sqlparser.DDLStatement:
		return b.ddl(sql, stmt)
	case sqlparser.DBDDLStatement:
		return b.database(stmt)
	case *sqlparser.AlterVschema:
		return b.alterVSchema(stmt)
	case *sqlparser.AlterMigration:
		return b.alterMigration(sql, stmt)
	case *sqlparser.RevertMigration:
		return b.revertMigration(sql, stmt)
	case *sqlparser.ShowMigrationLogs:
		return b.migrationCommand(sql, vterrors.VT09006("SHOW"))
	case *sqlparser.ShowThrottledApps:
		return b.migrationCommand(sql, vterrors.VT09007("SHOW"))
	case *sqlparser.ShowThrottlerStatus:
		return b.migrationCommand(sql, vterrors.VT09010())
	}
	return b.sessionStatement(sql, stmt)
}

// sessionStatement plans the statements about the session, about other statements, and about tables as a whole.
func (b *builder) sessionStatement(sql string, stmt sqlparser.Statement) (planned, error) {
	switch stmt := stmt.(type) {
	case *sqlparser.Set:
		return b.set(stmt)
	case *sqlparser.Show:
		return b.show(sql, stmt)
	case *sqlparser.Use:
		return planned{primitive: &engine.UpdateTarget{Target: stmt.DBName.String()}}, nil
	case *sqlparser.ExplainTab:
		return b.describe(stmt)
	case *sqlparser.ExplainStmt:
		return b.explain(stmt)
	case *sqlparser.VExplainStmt:
		return b.vexplain(stmt)
	case *sqlparser.PrepareStmt:
		return b.prepareStatement(stmt)
	case *sqlparser.ExecuteStmt:
		return b.executeStatement(stmt)
	case *sqlparser.DeallocateStmt:
		return b.deallocate(stmt)
	case *sqlparser.Analyze:
		return b.analyze(stmt)
	case *sqlparser.OtherAdmin:
		return b.otherAdmin(sql)
	case *sqlparser.Load:
		return b.load(sql)
	case *sqlparser.CallProc:
		return b.call(stmt)
	case *sqlparser.Flush:
		return b.flush(stmt)
	case *sqlparser.Stream:
		return b.stream(stmt)
	case *sqlparser.UnlockTables:
		return planned{primitive: &engine.Unlock{}}, nil
	case *sqlparser.LockTables, *sqlparser.CommentOnly:
		return planned{primitive: engine.NewRowsPrimitive(nil, nil)}, nil
	}
	return planned{}, vterrors.VT12001(fmt.Sprintf("planning of %s statement", sqlparser.ASTToStatementType(stmt)))
}

// isRouted tells whether a statement goes as it is to the shards the session targets.
func isRouted(stmt sqlparser.Statement) bool {
	switch stmt.(type) {
	case sqlparser.TableStatement, *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete, *sqlparser.ExplainStmt,
		*sqlparser.Analyze, sqlparser.DBDDLStatement, *sqlparser.LockTables, *sqlparser.UnlockTables:
		return true
	}
	return false
}

// alterVSchema changes the VSchema of the keyspace named or selected.
func (b *builder) alterVSchema(stmt *sqlparser.AlterVschema) (planned, error) {
	p, err := b.pc.selected(stmt.Table.Qualifier.String())
	if err != nil {
		return planned{}, err
	}
	return planned{&engine.AlterVSchema{Keyspace: p.keyspace, AlterVschemaDDL: stmt}, []string{p.keyspace.Name + "." + stmt.Table.Name.String()}}, nil
}

// bypassText sends a statement's very text where the session's target says.
func (b *builder) bypassText(sql string, isDDL bool) (planned, error) {
	ks, err := b.pc.requireKeyspace()
	if err != nil {
		return planned{}, err
	}
	return planned{primitive: &engine.Send{Keyspace: ks, TargetDestination: b.pc.Destination, Query: sql, IsDDL: isDDL}}, nil
}

// bypass sends a statement where the session's target says, as it is. VT03023 for an INSERT into a key range.
func (b *builder) bypass(stmt sqlparser.Statement) (planned, error) {
	ks, err := b.pc.requireKeyspace()
	if err != nil {
		return planned{}, err
	}
	if _, isInsert := stmt.(*sqlparser.Insert); isInsert && isKeyRange(b.pc.Destination) {
		return planned{}, vterrors.VT03023(b.pc.TargetString)
	}
	hints := hintsOf(stmt)
	sqlparser.RemoveSpecificKeyspace(stmt, ks.Name)
	return planned{primitive: &engine.Send{
		Keyspace:             ks,
		TargetDestination:    b.pc.Destination,
		Query:                sqlparser.String(stmt),
		IsDML:                sqlparser.IsDMLStatement(stmt),
		MultishardAutocommit: hints.multiShardAutocommit,
		QueryTimeout:         hints.queryTimeout,
	}}, nil
}
