package gateway

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// plainPlan plans a statement without taking literals out. Nobody else runs the plan.
func (s *Session) plainPlan(stmt sqlparser.Statement, sql string, bindVars BindVars) (*cachedPlan, error) {
	known := sqlparser.BindVars{}
	for name := range bindVars {
		known[name] = struct{}{}
	}
	reserved := sqlparser.NewReservedVars("vtg", known)
	checks, err := s.foreignKeyChecksOf(stmt)
	if err != nil {
		return nil, err
	}
	result, err := sqlparser.Normalize(stmt, reserved, BindVars{}, false, s.keyspace(), s.selectLimit(), "", variableNames,
		checks, s)
	if err != nil {
		return nil, err
	}
	return s.newPlan(&normalised{
		stmt: result.AST, query: sql, needs: result.BindVarNeeds, reserved: reserved, foreignKeyChecks: checks,
	})
}

// runPlanned plans and runs a statement that is no query: one about tables, shards or the VSchema.
func (s *Session) runPlanned(ctx context.Context, stmt sqlparser.Statement, sql string, bindVars BindVars, emit Emit) error {
	plan, err := s.plainPlan(stmt, sql, bindVars)
	if err != nil {
		return err
	}
	return s.runPlan(ctx, plan, bindVars, false, emit)
}

// explain is MySQL's EXPLAIN, answered by one shard.
func (s *Session) explain(ctx context.Context, stmt sqlparser.Statement, sql string, bindVars BindVars, emit Emit) error {
	return s.runPlanned(ctx, stmt, sql, bindVars, func(piece *sqltypes.Result) error {
		unspellNulls(piece)
		return emit(piece)
	})
}

// unspellNulls makes NULLs of what a shard's EXPLAIN spells "NULL", in columns of numbers too.
func unspellNulls(result *sqltypes.Result) {
	for _, row := range result.Rows {
		for i, value := range row {
			if string(value.Raw()) == "NULL" {
				row[i] = sqltypes.NULL
			}
		}
	}
}
