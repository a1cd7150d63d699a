package explain

import (
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/combo/gateway"
)

// maxLimit is one more than the rows a tablet returns at most (vttablet's --queryserver-config-max-result-size).
var maxLimit = sqltypes.Int64BindVariable(10001)

// mysqlQuery is what a tablet asks MySQL.
type mysqlQuery struct {
	x    *Explainer
	stmt sqlparser.Statement
	text string
	// limited: the tablet has put the limit in.
	limited bool
	// part is the transaction it runs in, if in any.
	part part
}

// asMySQL puts the values in place and bounds the rows. The type of the last bind variable, a comment, stays at the end, as
// it does when vttablet takes the comments around a query for the client's.
func (x *Explainer) asMySQL(keyspace, sql string, bindVars gateway.BindVars) (*mysqlQuery, error) {
	bare, margin := sqlparser.SplitMarginComments(sql)
	stmt, err := x.env.Parser().Parse(bare)
	if err != nil {
		return nil, err
	}
	q := &mysqlQuery{x: x, stmt: stmt, part: rowsChanged}
	switch x.roles[tableKey{keyspace, tableOf(stmt)}] {
	case sequence: // vttablet runs these itself
	case entries:
		q.part = entriesMade
		if _, ok := stmt.(*sqlparser.Delete); ok {
			q.part = entriesRemoved
		}
		q.limit()
	default:
		q.limit()
	}
	text, err := sqlparser.NewParsedQuery(stmt).GenerateQuery(bindVars, nil)
	if err != nil {
		return nil, err
	}
	// The answer is made of what the query says with its values.
	if q.stmt, err = x.env.Parser().Parse(text); err != nil {
		return nil, err
	}
	types := margin.Trailing
	if !x.cfg.Normalized {
		types = ""
	}
	q.text = join(text, types, x.notes.trailing)
	return q, nil
}

// limit bounds reads, and writes of one table, that have no limit of their own.
func (q *mysqlQuery) limit() {
	limit := &sqlparser.Limit{Rowcount: sqlparser.NewIntLiteral(string(maxLimit.Value))}
	switch stmt := q.stmt.(type) {
	case sqlparser.TableStatement:
		if stmt.GetLimit() == nil {
			stmt.SetLimit(limit)
			q.limited = true
		}
	case *sqlparser.Update:
		if stmt.Limit == nil && isOneTable(stmt.TableExprs) {
			stmt.Limit, q.limited = limit, true
		}
	case *sqlparser.Delete:
		if stmt.Limit == nil && len(stmt.Targets) == 0 && isOneTable(stmt.TableExprs) {
			stmt.Limit, q.limited = limit, true
		}
	}
}

func isOneTable(exprs []sqlparser.TableExpr) bool {
	if len(exprs) != 1 {
		return false
	}
	_, ok := exprs[0].(*sqlparser.AliasedTableExpr)
	return ok
}

func (q *mysqlQuery) isWrite() bool {
	switch q.stmt.(type) {
	case *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
		return true
	}
	return false
}

// isImpossible tells a query that only asks for its fields, which the tablet answers alone: WHERE 1 != 1.
func (q *mysqlQuery) isImpossible() bool {
	sel, ok := q.stmt.(*sqlparser.Select)
	if !ok || sel.Where == nil {
		return false
	}
	cmp, ok := sel.Where.Expr.(*sqlparser.ComparisonExpr)
	return ok && cmp.IsImpossible()
}

// answer makes up a result.
func (q *mysqlQuery) answer() (*sqltypes.Result, error) {
	switch stmt := q.stmt.(type) {
	case sqlparser.TableStatement:
		result, err := q.x.madeUp(stmt)
		if err == nil && q.isImpossible() {
			result.Rows = nil
		}
		return result, err
	case *sqlparser.Show, *sqlparser.ExplainStmt, *sqlparser.ExplainTab:
		return &sqltypes.Result{Fields: textFields("", "")}, nil
	}
	if q.isWrite() {
		affected := 1
		if insert, ok := q.stmt.(*sqlparser.Insert); ok {
			if rows, ok := insert.Rows.(sqlparser.Values); ok {
				affected = len(rows) // none was there
			}
		}
		return &sqltypes.Result{RowsAffected: uint64(affected)}, nil
	}
	return &sqltypes.Result{}, nil
}
