package planner

import (
	"bytes"
	"encoding/json"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/planner/semantics"
)

// describe sends DESCRIBE table to one of its shards.
func (b *builder) describe(stmt *sqlparser.ExplainTab) (planned, error) {
	p, table, err := b.pc.tablePlace(stmt.Table)
	if err != nil {
		return planned{}, err
	}
	if table != nil {
		stmt.Table = sqlparser.TableName{Name: table.Name}
	}
	return planned{p.send(sqlparser.String(stmt), true), []string{p.keyspace.Name + "." + stmt.Table.Name.String()}}, nil
}

// explain sends EXPLAIN of a query to one shard of the keyspace that has all its tables. VT03031 where there is no such.
func (b *builder) explain(stmt *sqlparser.ExplainStmt) (planned, error) {
	switch stmt.Statement.(type) {
	case sqlparser.SelectStatement, *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
	default:
		return b.otherAdmin(sqlparser.String(stmt))
	}
	sem, err := semantics.Analyze(stmt.Statement, b.pc.Keyspace, b.pc)
	if err != nil {
		return planned{}, err
	}
	var p place
	var used []string
	for _, info := range sem.Tables {
		if info.VTable == nil {
			continue
		}
		if p.keyspace != nil && p.keyspace != info.VTable.Keyspace {
			return planned{}, vterrors.VT03031()
		}
		p.keyspace = info.VTable.Keyspace
		used = append(used, p.keyspace.Name+"."+info.Name)
	}
	if p.keyspace == nil {
		return planned{}, vterrors.VT03031()
	}
	prepareQuery(b.operatorContext(sem, stmt.Statement), stmt.Statement)
	sqlparser.RemoveKeyspace(stmt.Statement)
	return planned{p.send(sqlparser.String(stmt), true), used}, nil
}

// vexplain plans VEXPLAIN. PLAN and KEYS are answered by planning; the others run the statement: VT09008 for a write that no
// directive allows.
func (b *builder) vexplain(stmt *sqlparser.VExplainStmt) (planned, error) {
	if stmt.Type == sqlparser.KeysVExplainType {
		usage, err := b.keysOf(stmt.Statement)
		if err != nil {
			return planned{}, err
		}
		return jsonRow("ColumnUsage", usage)
	}
	out, err := b.statement(sqlparser.String(stmt.Statement), stmt.Statement)
	if err != nil {
		return planned{}, err
	}
	switch stmt.Type {
	case sqlparser.PlanVExplainType:
		return jsonRow("JSON", engine.Describe(out.primitive))
	case sqlparser.QueriesVExplainType, sqlparser.AllVExplainType:
		if isWrite(out.primitive) && !runsWrites(stmt) {
			return planned{}, vterrors.VT09008()
		}
	}
	return planned{&engine.VExplain{Input: out.primitive, Type: stmt.Type}, out.tables}, nil
}

func isWrite(p engine.Primitive) bool {
	switch p.(type) {
	case *engine.Insert, *engine.Update, *engine.Delete:
		return true
	}
	return false
}

func runsWrites(stmt *sqlparser.VExplainStmt) bool {
	comments := stmt.GetParsedComments()
	return comments != nil && comments.Directives().IsSet(sqlparser.DirectiveVExplainRunDMLQueries)
}

// jsonRow is one row of one column: a value as JSON, indented with tabs. SQL in it stays readable.
func jsonRow(column string, value any) (planned, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(value); err != nil {
		return planned{}, err
	}
	return planned{primitive: engine.NewRowsPrimitive(
		[]sqltypes.Row{{sqltypes.NewVarChar(string(bytes.TrimSpace(text.Bytes())))}},
		[]*querypb.Field{{Name: column, Type: querypb.Type_VARCHAR}},
	)}, nil
}
