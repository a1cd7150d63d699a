package planner

import (
	"strconv"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/operators"
	"github.com/vitrodb/vitro/vindexes"
)

// route makes the primitive of a route: what is below it becomes the SQL that it sends.
func (b *builder) route(ctx *operators.Context, op *operators.Route) (engine.Primitive, error) {
	stmt, dml, err := operators.ToSQL(ctx, op.Source)
	if err != nil {
		return nil, err
	}
	if commented, ok := stmt.(sqlparser.Commented); ok && op.Comments != nil {
		commented.SetComments(op.Comments.GetComments())
	}
	h := hintsIn(op.Comments)
	switch stmt := stmt.(type) {
	case sqlparser.TableStatement:
		if locking, ok := stmt.(sqlparser.SelectStatement); ok && op.Lock != sqlparser.NoLock {
			locking.SetLock(op.Lock)
		}
		return b.readRoute(ctx, op, stmt, h)
	case *sqlparser.Update:
		return b.updateRoute(ctx, op, dml.(*operators.Update), stmt, h)
	case *sqlparser.Delete:
		return b.deleteRoute(ctx, op, dml.(*operators.Delete), stmt, h)
	case *sqlparser.Insert:
		return b.insertRoute(ctx, op, dml.(*operators.Insert), stmt, h)
	}
	return nil, vterrors.VT13001("route over a statement that is none")
}

func (b *builder) readRoute(ctx *operators.Context, op *operators.Route, stmt sqlparser.TableStatement, h hints) (engine.Primitive, error) {
	useListArguments(op.Routing)
	params, err := b.routing(ctx, op.Routing)
	if err != nil {
		return nil, err
	}
	route := &engine.Route{
		RoutingParameters:       params,
		TruncateColumnCount:     op.ResultColumns,
		FetchLastInsertID:       ctx.Sem.Signature.LastInsertIDArg,
		ScatterErrorsAsWarnings: h.scatterErrorsAsWarnings,
		QueryTimeout:            h.queryTimeout,
	}
	for _, order := range op.Ordering {
		typ, _ := ctx.TypeOf(order.Expr)
		route.OrderBy = append(route.OrderBy, b.orderBy(order.Offset, order.WeightString, order.Direction, typ))
	}
	tidy(stmt)
	return b.wireUp(route, stmt)
}

// routing says which shards a route goes to. Where any keyspace will do, it is the session's.
func (b *builder) routing(ctx *operators.Context, routing operators.Routing) (*engine.RoutingParameters, error) {
	params := &engine.RoutingParameters{Opcode: routing.Opcode(), Keyspace: routing.Keyspace()}
	if params.Keyspace == nil {
		ks, err := b.pc.AnyKeyspace()
		if err != nil {
			return nil, err
		}
		params.Keyspace = ks
	}
	switch r := routing.(type) {
	case *operators.ShardedRouting:
		if r.Selected != nil {
			params.Vindex, params.Values, params.ColumnTypes = r.Selected.Vindex, r.Selected.Values, r.Selected.ColumnTypes
		}
	case *operators.TargetedRouting:
		params.TargetDestination = r.Destination
	case *operators.SequenceRouting:
		params.Keyspace = r.SequenceKeyspace()
	case *operators.InfoSchemaRouting:
		for _, schema := range r.Schemas {
			expr, err := operators.TranslateSystemName(ctx, schema)
			if err != nil {
				return nil, err
			}
			params.SysTableTableSchema = append(params.SysTableTableSchema, expr)
		}
		params.SysTableTableName = map[string]evalengine.Expr{}
		for name, table := range r.Tables {
			expr, err := operators.TranslateSystemName(ctx, table)
			if err != nil {
				return nil, err
			}
			params.SysTableTableName[name] = expr
		}
	}
	return params, nil
}

// useListArguments lets each shard be asked for its own values of an IN: the list becomes the bind variable ::__vals.
func useListArguments(routing operators.Routing) {
	sharded, ok := routing.(*operators.ShardedRouting)
	if !ok || sharded.Selected == nil {
		return
	}
	_, isMulti := sharded.Selected.Vindex.(vindexes.MultiColumn)
	for i, pred := range sharded.Selected.Predicates {
		cmp, ok := pred.(*sqlparser.ComparisonExpr)
		if !ok || cmp.Operator != sqlparser.InOp {
			continue
		}
		if _, isCol := cmp.Left.(*sqlparser.ColName); !isCol || sqlparser.Equals.Expr(cmp.Right, sqlparser.ListArg(opcode.DMLValues)) {
			continue
		}
		name := opcode.ListVar
		if isMulti {
			name += strconv.Itoa(i)
		}
		cmp.Right = sqlparser.ListArg(name)
	}
}

// tidy gives every query block a select list, and puts columns left of what they are compared with.
func tidy(stmt sqlparser.Statement) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.Select:
			if node.GetColumnCount() == 0 {
				node.AddSelectExpr(&sqlparser.AliasedExpr{Expr: sqlparser.NewIntLiteral("1")})
			}
		case *sqlparser.ComparisonExpr:
			if node.Operator.IsCommutative() && !sqlparser.IsColName(node.Left) && sqlparser.IsColName(node.Right) {
				node.Left, node.Right = node.Right, node.Left
			}
		}
		return true, nil
	}, stmt)
}

// wireUp sets the texts of a route. A lookup vindex that can be planned becomes a plan of its own, whose result says where the
// route goes.
func (b *builder) wireUp(route *engine.Route, stmt sqlparser.TableStatement) (engine.Primitive, error) {
	route.Query = sqlparser.String(stmt)
	route.QueryStatement = stmt
	route.FieldQuery = sqlparser.NewTrackedBuffer(sqlparser.FormatImpossibleQuery).WriteNode(stmt).ParsedQuery().Query
	lookup, ok := route.Vindex.(vindexes.LookupPlanable)
	if !ok {
		return route, nil
	}
	query, arguments := lookup.Query()
	parsed, known, err := b.pc.Env.Parser().Parse2(query)
	if err != nil {
		return nil, err
	}
	sub := &builder{pc: b.pc, sql: query, reserved: sqlparser.NewReservedVars("vtg", known)}
	found, err := sub.query(parsed.(sqlparser.TableStatement))
	if err != nil {
		return nil, vterrors.Wrapf(err, "failed to plan the lookup query: [%s]", query)
	}
	via := &engine.VindexLookup{
		Opcode: route.Opcode, Vindex: lookup, Keyspace: route.Keyspace, Values: route.Values,
		Arguments: arguments, Lookup: found.primitive, SendTo: route,
	}
	route.Opcode, route.Vindex, route.Values = opcode.ByDestination, nil, nil
	return via, nil
}
