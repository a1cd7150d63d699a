package operators

import (
	"io"

	"vitess.io/vitess/go/sqltypes"
	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

type (
	// Schema is what the operators ask of the VSchema and the session.
	Schema interface {
		semantics.Schema
		// SelectedKeyspace is the session's keyspace, nil if none is selected.
		SelectedKeyspace() *vindexes.Keyspace
		// AnyKeyspace is where a query that needs no keyspace in particular goes.
		AnyKeyspace() (*vindexes.Keyspace, error)
		// Target is the tablet type that a table is read from and the destination its name carries, nil for none.
		Target(name sqlparser.TableName) (topodatapb.TabletType, key.Destination, error)
		// ForeignKeySetting is the session's foreign_key_checks, nil if it was never set.
		ForeignKeySetting() *bool
	}

	// Context is the planning of one statement.
	Context struct {
		Sem       *semantics.SemTable
		Schema    Schema
		Reserved  *sqlparser.ReservedVars
		Statement sqlparser.Statement
		// LeftToRight keeps the tables in the order of the text instead of joining the cheapest first.
		LeftToRight bool
		// Trace collects what the rewrites did, line by line.
		Trace []string

		phase phase
		// arguments are the bind variables that stand for expressions of the other side of a join.
		arguments []reservedArgument
		// merged are the subqueries that became part of their outer query, by argument.
		merged map[string]*sqlparser.Subquery
		// foreignKeys are those that the gateway keeps, by table; keepsAllKeys says that they are all there are, as the shards do
		// not look at any.
		foreignKeys  map[semantics.TableSet]ForeignKeys
		keepsAllKeys bool
		// depth counts the statements around a planned one.
		depth int
		// outerTables are those whose rows an outer join may replace by NULLs.
		outerTables semantics.TableSet
	}

	reservedArgument struct {
		expr sqlparser.Expr
		name string
	}
)

// NewContext starts the planning of a statement that was analysed.
func NewContext(sem *semantics.SemTable, schema Schema, reserved *sqlparser.ReservedVars, stmt sqlparser.Statement) *Context {
	return &Context{Sem: sem, Schema: schema, Reserved: reserved, Statement: stmt, merged: map[string]*sqlparser.Subquery{}}
}

// note remembers a rewrite for the trace.
func (ctx *Context) note(line string) {
	ctx.Trace = append(ctx.Trace, line)
}

// argumentFor is the bind variable that carries an expression to the other side of a join.
func (ctx *Context) argumentFor(expr sqlparser.Expr) string {
	for _, arg := range ctx.arguments {
		if ctx.Sem.Equals(arg.expr, expr) {
			return arg.name
		}
	}
	var name string
	if col, ok := expr.(*sqlparser.ColName); ok {
		name = ctx.Reserved.ReserveColName(col)
	} else {
		name = ctx.Reserved.ReserveVariable(sqlparser.CompliantString(expr))
	}
	ctx.arguments = append(ctx.arguments, reservedArgument{expr, name})
	return name
}

// typedArgument makes a bind variable of the type of an expression.
func (ctx *Context) typedArgument(name string, of sqlparser.Expr) *sqlparser.Argument {
	typ, _ := ctx.TypeOf(of)
	arg := sqlparser.NewTypedArgument(name, typ.Type())
	arg.Size, arg.Scale = typ.Size(), typ.Scale()
	return arg
}

// evalConfig is how expressions become evaluable at the gateway.
func (ctx *Context) evalConfig() *evalengine.Config {
	return &evalengine.Config{
		ResolveType: ctx.TypeOf,
		Collation:   ctx.Sem.Collation,
		Environment: ctx.Schema.Environment(),
	}
}

// TypeOf is the type of an expression, as far as the schema tells it. A column that an outer join may make NULL is nullable.
func (ctx *Context) TypeOf(expr sqlparser.Expr) (evalengine.Type, bool) {
	typ, ok := ctx.Sem.TypeForExpr(expr)
	if !ok {
		typ = ctx.computeType(expr)
		if !typ.Valid() {
			return evalengine.NewUnknownType(), false
		}
		ctx.Sem.SetType(expr, typ)
		return typ, true
	}
	if ctx.Sem.RecursiveDeps(expr).IsOverlapping(ctx.outerTables) {
		typ.SetNullability(true)
	}
	return typ, true
}

// computeType asks the evaluator what it would return for an expression over columns of known types.
func (ctx *Context) computeType(expr sqlparser.Expr) evalengine.Type {
	env := ctx.Schema.Environment()
	translated, err := evalengine.Translate(expr, &evalengine.Config{
		Collation:     ctx.Sem.Collation,
		Environment:   env,
		ResolveColumn: func(*sqlparser.ColName) (int, error) { return 0, nil },
		ResolveType: func(e sqlparser.Expr) (evalengine.Type, bool) {
			if col, ok := e.(*sqlparser.ColName); ok {
				return ctx.Sem.TypeForExpr(col)
			}
			return evalengine.NewUnknownType(), false
		},
	})
	if err != nil {
		return evalengine.NewUnknownType()
	}
	typ, err := evalengine.EmptyExpressionEnv(env).TypeOf(translated)
	if err != nil {
		return evalengine.NewUnknownType()
	}
	return typ
}

// needsWeightString tells whether values of an expression can only be ordered by the sort key that a shard computes: their
// type is not known, or they are text in a collation that the gateway does not have.
func (ctx *Context) needsWeightString(expr sqlparser.Expr) bool {
	switch expr.(type) {
	case *sqlparser.WeightStringFuncExpr, *sqlparser.Literal:
		return false
	}
	typ, ok := ctx.TypeOf(expr)
	if !ok {
		return true
	}
	return sqltypes.IsText(typ.Type()) && !ctx.Schema.Environment().CollationEnv().IsSupported(typ.Collation())
}

// isAggr tells whether a node is an aggregate, user functions included.
func (ctx *Context) isAggr(node sqlparser.SQLNode) bool {
	switch node := node.(type) {
	case sqlparser.AggrFunc:
		return true
	case *sqlparser.FuncExpr:
		return node.Name.EqualsAnyString(ctx.Schema.AggregateUDFs())
	}
	return false
}

// containsAggr tells whether an aggregate is evaluated in this query block; those of subqueries and windows are not.
func (ctx *Context) containsAggr(node sqlparser.SQLNode) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node.(type) {
		case *sqlparser.Offset, *sqlparser.Subquery:
			return false, nil
		}
		if isWindow(node) {
			return true, nil
		}
		if ctx.isAggr(node) {
			found = true
			return false, io.EOF
		}
		return true, nil
	}, node)
	return found
}

func isWindow(node sqlparser.SQLNode) bool {
	w, ok := node.(sqlparser.WindowFunc)
	return ok && w.GetOverClause() != nil
}

// containsWindow tells whether a window function is evaluated in this query block.
func (ctx *Context) containsWindow(node sqlparser.SQLNode) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node.(type) {
		case *sqlparser.Offset, *sqlparser.Subquery:
			return false, nil
		}
		found = found || isWindow(node)
		return !found, nil
	}, node)
	return found
}

// mustFetch tells whether the value of a node can only come from an input: a column, or an aggregate that was computed there.
func (ctx *Context) mustFetch(node sqlparser.SQLNode) bool {
	_, isCol := node.(*sqlparser.ColName)
	return isCol || ctx.isAggr(node)
}

// isConstant tells whether an expression needs nothing from any input.
func (ctx *Context) isConstant(expr sqlparser.Expr) bool {
	constant := true
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		constant = constant && !ctx.mustFetch(node)
		return constant, nil
	}, expr)
	return constant
}

// constantBool evaluates a predicate that depends on no table. known is false for one that cannot be told now, or is NULL.
func (ctx *Context) constantBool(expr sqlparser.Expr) (value, known bool) {
	if _, isTuple := expr.(sqlparser.ValTuple); isTuple || !ctx.Sem.RecursiveDeps(expr).IsEmpty() {
		return false, false
	}
	env := ctx.Schema.Environment()
	collation := ctx.Schema.ConnCollation()
	translated, err := evalengine.Translate(expr, &evalengine.Config{Collation: collation, Environment: env, NoCompilation: true})
	if err != nil {
		return false, false
	}
	result, err := evalengine.EmptyExpressionEnv(env).Evaluate(translated)
	if err != nil || result.Value(collation).IsNull() {
		return false, false
	}
	value, err = result.ToBooleanStrict()
	return value, err == nil
}

// evaluable translates an expression for the gateway, nil where it cannot be; expressions that predicates made equal to it are
// tried too.
func (ctx *Context) evaluable(expr sqlparser.Expr) evalengine.Expr {
	for _, e := range ctx.Sem.EqualExprs(expr) {
		if translated, _ := evalengine.Translate(e, ctx.evalConfig()); translated != nil {
			return translated
		}
	}
	return nil
}

// reached tells whether planning has come to a phase.
func (ctx *Context) reached(p phase) bool { return ctx.phase >= p }

// aggregateCode is the opcode of an aggregate function.
func aggregateCode(fn sqlparser.AggrFunc) opcode.AggregateOpcode {
	code, _ := opcode.AggregateByName(fn.AggrName())
	_, star := fn.(*sqlparser.CountStar)
	switch {
	case star:
		return opcode.AggregateCountStar
	case code == opcode.AggregateCount && sqlparser.IsDistinct(fn):
		return opcode.AggregateCountDistinct
	case code == opcode.AggregateSum && sqlparser.IsDistinct(fn):
		return opcode.AggregateSumDistinct
	}
	return code
}

// Aggregates tells whether an aggregate is evaluated in the query block that a node belongs to.
func (ctx *Context) Aggregates(node sqlparser.SQLNode) bool { return ctx.containsAggr(node) }
