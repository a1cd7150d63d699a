package operators

import (
	"maps"
	"slices"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
)

// InfoSchemaRouting is for tables of system schemas. Predicates on schema and table names say whose shards can answer; they
// become bind variables, as the name that a shard knows may differ from the keyspace's.
type InfoSchemaRouting struct {
	// Schemas are the schema names compared with; Tables are the table names, by bind variable.
	Schemas []sqlparser.Expr
	Tables  map[string]sqlparser.Expr
	seen    []sqlparser.Expr
}

// Opcode is DBA.
func (r *InfoSchemaRouting) Opcode() opcode.Opcode { return opcode.DBA }

// Keyspace is found when the query runs.
func (r *InfoSchemaRouting) Keyspace() *vindexes.Keyspace { return nil }
func (r *InfoSchemaRouting) cost() int                    { return 0 }

func (r *InfoSchemaRouting) clone() Routing {
	return &InfoSchemaRouting{Schemas: slices.Clone(r.Schemas), Tables: maps.Clone(r.Tables), seen: slices.Clone(r.seen)}
}

func (r *InfoSchemaRouting) narrow(ctx *Context, pred sqlparser.Expr) Routing {
	r.seen = append(r.seen, pred)
	cmp, ok := pred.(*sqlparser.ComparisonExpr)
	if !ok || cmp.Operator != sqlparser.EqualOp {
		return r
	}
	col, isSchema := nameColumn(ctx, cmp.Left)
	if col == nil {
		if col, isSchema = nameColumn(ctx, cmp.Right); col == nil {
			return r
		}
		cmp.Left, cmp.Right = cmp.Right, cmp.Left
	}
	value := cmp.Right
	if fn, ok := value.(*sqlparser.FuncExpr); ok && (fn.Name.EqualString("database") || fn.Name.EqualString("schema")) {
		return r
	}
	if _, err := TranslateSystemName(ctx, value); err != nil {
		return r
	}
	if isSchema {
		cmp.Right = sqlparser.NewTypedArgument(sqltypes.BvSchemaName, sqltypes.VarChar)
		if !slices.ContainsFunc(r.Schemas, func(s sqlparser.Expr) bool { return sqlparser.Equals.Expr(s, value) }) {
			r.Schemas = append(r.Schemas, value)
		}
		return r
	}
	name := ctx.argumentFor(col)
	cmp.Right = sqlparser.NewTypedArgument(name, sqltypes.VarChar)
	if r.Tables == nil {
		r.Tables = map[string]sqlparser.Expr{}
	}
	r.Tables[name] = value
	return r
}

func (r *InfoSchemaRouting) reset(ctx *Context) Routing {
	var routing Routing = &InfoSchemaRouting{}
	for _, pred := range r.seen {
		routing = narrowRouting(ctx, pred, routing)
	}
	return routing
}

// TranslateSystemName makes a name evaluable. VT12001 for one that comes from a column.
func TranslateSystemName(ctx *Context, expr sqlparser.Expr) (evalengine.Expr, error) {
	return evalengine.Translate(expr, &evalengine.Config{
		Collation:   collations.SystemCollation.Collation,
		Environment: ctx.Schema.Environment(),
		ResolveColumn: func(*sqlparser.ColName) (int, error) {
			return 0, vterrors.VT12001("comparing table schema name with a column name")
		},
	})
}

// schemaNameColumns are the columns of information_schema that hold names of schemas, in MySQL 8.4.
var schemaNameColumns = map[string]bool{
	"table_schema": true, "constraint_schema": true, "unique_constraint_schema": true, "referenced_table_schema": true,
	"schema_name": true, "specific_schema": true, "routine_schema": true, "trigger_schema": true,
	"event_object_schema": true, "event_schema": true, "view_schema": true,
}

// nameColumn is the column if it holds names of schemas or of tables, else nil.
func nameColumn(_ *Context, expr sqlparser.Expr) (col *sqlparser.ColName, isSchema bool) {
	col, ok := expr.(*sqlparser.ColName)
	if !ok {
		return nil, false
	}
	switch name := col.Name.Lowered(); {
	case schemaNameColumns[name]:
		return col, true
	case name == "table_name", name == "referenced_table_name":
		return col, false
	}
	return nil, false
}

func newInfoSchemaRoute(ctx *Context, qt *QueryTable) *Route {
	ks := must(ctx.Schema.AnyKeyspace())
	table := &Table{Query: qt, VTable: &vindexes.Table{Name: qt.Name.Name, Keyspace: ks}}
	var routing Routing = &InfoSchemaRouting{}
	for _, pred := range qt.Predicates {
		routing = narrowRouting(ctx, pred, routing)
	}
	return &Route{unary: unary{table}, Routing: routing}
}

// mergeInfoSchema joins two system tables on one shard, unless they ask about different schemas.
func mergeInfoSchema(ctx *Context, p routePair, c combiner) *Route {
	l, r := p.left.Routing.(*InfoSchemaRouting), p.right.Routing.(*InfoSchemaRouting)
	sameExpr := func(a, b sqlparser.Expr) bool { return sqlparser.Equals.Expr(a, b) }
	switch {
	case len(l.Schemas)+len(l.Tables) == 0:
		return c.combine(ctx, p.left, p.right, r)
	case len(r.Schemas)+len(r.Tables) == 0:
		return c.combine(ctx, p.left, p.right, l)
	case len(l.Schemas) == 0 && len(r.Schemas) == 0:
		for name, expr := range r.Tables {
			if have, ok := l.Tables[name]; ok && !sameExpr(have, expr) {
				return nil
			}
		}
	case !slices.EqualFunc(l.Schemas, r.Schemas, sameExpr):
		return nil
	}
	if l.Tables == nil && len(r.Tables) > 0 {
		l.Tables = map[string]sqlparser.Expr{}
	}
	maps.Copy(l.Tables, r.Tables)
	return c.combine(ctx, p.left, p.right, l)
}
