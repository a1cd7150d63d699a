package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
)

// explain is MySQL's EXPLAIN, answered by one shard of the keyspace of the statement's tables.
func (s *Session) explain(ctx context.Context, stmt *sqlparser.ExplainStmt, bindVars BindVars, emit Emit) error {
	keyspace, err := s.explainKeyspace(stmt)
	if err != nil {
		return err
	}
	result, err := s.sendTo(ctx, keyspace, s.anyShard(keyspace), sqlparser.String(stmt))
	if err != nil {
		return err
	}
	unspellNulls(result)
	return emit(result)
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

// explainKeyspace finds the one keyspace of the tables and takes it out of their names.
func (s *Session) explainKeyspace(stmt *sqlparser.ExplainStmt) (string, error) {
	found := ""
	var failure error
	sqlparser.SafeRewrite(stmt, nil, func(cursor *sqlparser.Cursor) bool {
		table, ok := cursor.Node().(*sqlparser.AliasedTableExpr)
		if !ok {
			return true
		}
		name, ok := table.Expr.(sqlparser.TableName)
		if !ok || name.Name.String() == "dual" || sqlparser.SystemSchema(name.Qualifier.String()) {
			return true
		}
		keyspace, real, err := s.locate(name.Qualifier.String(), name.Name.String())
		if err == nil && found != "" && found != keyspace {
			err = vterrors.VT03031()
		}
		if err != nil {
			failure = err
			return false
		}
		found = keyspace
		if table.As.IsEmpty() && real != name.Name.String() {
			table.As = name.Name
		}
		table.Expr = sqlparser.NewTableName(real)
		return true
	})
	if failure != nil {
		return "", failure
	}
	if found == "" {
		found = s.anyKeyspace()
	}
	return found, nil
}

// vexplain is VEXPLAIN: PLAN shows the plan and runs nothing.
func (s *Session) vexplain(ctx context.Context, stmt *sqlparser.VExplainStmt, bindVars BindVars) (*sqltypes.Result, error) {
	if stmt.Type != sqlparser.PlanVExplainType {
		return s.vexplainRun(ctx, stmt, bindVars)
	}
	// As Vitess does, the plan is of the statement as it stands: its literals are kept.
	plan, err := s.explainedPlan(stmt.Statement, bindVars)
	if err != nil {
		return nil, err
	}
	if plan.Instructions == nil {
		return nil, vterrors.VT12001("VEXPLAIN of " + plan.QueryType.String())
	}
	return jsonResult("JSON", engine.Describe(plan.Instructions))
}

// jsonResult is one row of one column: a tree as JSON, indented with tabs. SQL in it stays readable.
func jsonResult(column string, tree engine.Description) (*sqltypes.Result, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(tree); err != nil {
		return nil, err
	}
	return textResult([]string{column}, []string{strings.TrimSpace(text.String())}), nil
}
