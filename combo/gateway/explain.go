package gateway

import (
	"bytes"
	"context"
	"encoding/json"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
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
	return emit(result)
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
	text, err := json.Marshal(plan)
	if err != nil {
		return nil, err
	}
	return textResult([]string{"JSON"}, []string{instructionsText(text)}), nil
}

// instructionsText takes the tree out of a plan and indents it with tabs.
func instructionsText(plan []byte) string {
	var parts struct{ Instructions json.RawMessage }
	if err := json.Unmarshal(plan, &parts); err != nil || parts.Instructions == nil {
		return string(plan)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, parts.Instructions, "", "\t"); err != nil {
		return string(plan)
	}
	return out.String()
}
