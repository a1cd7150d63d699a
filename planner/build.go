package planner

import (
	"fmt"
	"runtime"

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
	out, err := b.statement(stmt)
	if err != nil {
		return nil, b.trace, err
	}
	return engine.NewPlan(sql, kind, out.primitive, needs, out.tables), b.trace, nil
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

func (b *builder) statement(stmt sqlparser.Statement) (planned, error) {
	if b.pc.Destination != nil {
		switch stmt.(type) {
		case sqlparser.TableStatement, *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
			return b.bypass(stmt)
		}
	}
	switch stmt := stmt.(type) {
	case sqlparser.TableStatement:
		return b.query(stmt)
	case *sqlparser.Insert:
		return b.insert(stmt)
	case *sqlparser.Update:
		return b.update(stmt)
	case *sqlparser.Delete:
		return b.delete(stmt)
	}
	return planned{}, vterrors.VT12001(fmt.Sprintf("planning of %s statement", sqlparser.ASTToStatementType(stmt)))
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
