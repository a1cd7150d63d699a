package planner

import (
	"strings"

	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
)

// Statements are the session's, which PREPARE keeps by name, and its user variables, which may hold their texts.
type Statements interface {
	// Prepared returns a statement's text and how many parameters it has.
	Prepared(name string) (sql string, params int, ok bool)
	// UserVariable returns the value of @name as text.
	UserVariable(name string) (text string, ok bool)
}

// prepareStatement plans what PREPARE is given, to see that it can be.
func (b *builder) prepareStatement(stmt *sqlparser.PrepareStmt) (planned, error) {
	sql, err := b.preparedText(stmt.Statement)
	if err != nil {
		return planned{}, err
	}
	plan, err := b.planText(sql)
	if err != nil {
		return planned{}, err
	}
	return planned{engine.NewRowsPrimitive(nil, nil), plan.TablesUsed}, nil
}

// preparedText is a literal, or the value of a user variable. VT03024 if that is not set.
func (b *builder) preparedText(expr sqlparser.Expr) (string, error) {
	name := ""
	switch expr := expr.(type) {
	case *sqlparser.Literal:
		return expr.Val, nil
	case *sqlparser.Variable:
		name = expr.Name.Lowered()
	case *sqlparser.Argument:
		name = strings.TrimPrefix(expr.Name, sqlparser.UserDefinedVariableName)
	default:
		return "", vterrors.VT13002("prepare statement should not have : %T", expr)
	}
	if b.pc.Statements != nil {
		if text, ok := b.pc.Statements.UserVariable(name); ok {
			return text, nil
		}
	}
	return "", vterrors.VT03024(name)
}

// planText plans a statement that another one names.
func (b *builder) planText(sql string) (*engine.Plan, error) {
	stmt, known, err := Parse(b.pc.Env.Parser(), sql)
	if err != nil {
		return nil, err
	}
	checks, err := HintedForeignKeyChecks(stmt)
	if err != nil {
		return nil, err
	}
	pc := *b.pc
	if checks != nil {
		pc.ForeignKeyChecks = checks
	}
	reserved := sqlparser.NewReservedVars("vtg", known)
	normal, err := sqlparser.Normalize(stmt, reserved, map[string]*querypb.BindVariable{}, false, pc.Keyspace,
		sqlparser.SQLSelectLimitUnset, "", nil, pc.ForeignKeyChecks, &pc)
	if err != nil {
		return nil, err
	}
	return Build(sql, normal.AST, reserved, normal.BindVarNeeds, &pc)
}

// executeStatement plans EXECUTE. VT09011 for an unknown statement, VT03025 for too few or too many arguments.
func (b *builder) executeStatement(stmt *sqlparser.ExecuteStmt) (planned, error) {
	sql, params, err := b.findStatement(stmt.Name, "EXECUTE")
	if err != nil {
		return planned{}, err
	}
	if params != len(stmt.Arguments) {
		return planned{}, vterrors.VT03025("EXECUTE")
	}
	plan, err := b.planText(sql)
	if err != nil {
		return planned{}, err
	}
	return planned{&engine.ExecStmt{Params: stmt.Arguments, Input: plan.Instructions}, plan.TablesUsed}, nil
}

func (b *builder) deallocate(stmt *sqlparser.DeallocateStmt) (planned, error) {
	_, _, err := b.findStatement(stmt.Name, "DEALLOCATE PREPARE")
	return planned{primitive: engine.NewRowsPrimitive(nil, nil)}, err
}

func (b *builder) findStatement(name sqlparser.IdentifierCI, command string) (sql string, params int, err error) {
	if b.pc.Statements != nil {
		if sql, params, ok := b.pc.Statements.Prepared(name.Lowered()); ok {
			return sql, params, nil
		}
	}
	return "", 0, vterrors.VT09011(name.Lowered(), command)
}
