package planner

import (
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/operators"
	"github.com/vitrodb/vitro/vindexes"
)

func (b *builder) updateRoute(ctx *operators.Context, route *operators.Route, op *operators.Update, stmt *sqlparser.Update, h hints) (engine.Primitive, error) {
	if route.Routing.Opcode() == opcode.None {
		op.Changed = nil
	}
	var changed []*vindexes.ColumnVindex
	query := ""
	values := map[string]*engine.VindexValues{}
	if len(op.Changed) > 0 {
		owned := op.OwnedVindexQuery
		owned.From, owned.Where = stmt.GetFrom(), stmt.Where
		query, changed = sqlparser.String(owned), op.Target.VTable.ColumnVindexes
		if owned.Limit != nil && len(owned.OrderBy) == 0 {
			return nil, vterrors.VT12001("Vindex update should have ORDER BY clause when using LIMIT")
		}
		for name, cv := range op.Changed {
			values[name] = &engine.VindexValues{EvalExprMap: cv.Values, Offset: cv.Offset}
		}
	}
	if op.ChecksOff {
		operators.CheckNoForeignKeys(stmt)
	}
	useListArguments(route.Routing)
	dml, err := b.dml(ctx, route, h, op.Target.VTable, unqualified(stmt), changed, query)
	if err != nil {
		return nil, err
	}
	return &engine.Update{DML: dml, ChangedVindexValues: values}, nil
}

func (b *builder) deleteRoute(ctx *operators.Context, route *operators.Route, op *operators.Delete, stmt *sqlparser.Delete, h hints) (engine.Primitive, error) {
	var owned []*vindexes.ColumnVindex
	query := ""
	if op.OwnedVindexQuery != nil {
		op.OwnedVindexQuery.From, op.OwnedVindexQuery.Where = stmt.GetFrom(), stmt.Where
		query, owned = sqlparser.String(op.OwnedVindexQuery), op.Target.VTable.Owned
	}
	useListArguments(route.Routing)
	dml, err := b.dml(ctx, route, h, op.Target.VTable, unqualified(stmt), owned, query)
	if err != nil {
		return nil, err
	}
	return &engine.Delete{DML: dml}, nil
}

// dml is what UPDATE and DELETE have in common. ownedQuery finds the values of the vindexes that change with the rows.
func (b *builder) dml(ctx *operators.Context, route *operators.Route, h hints, vtable *vindexes.Table, query string, changed []*vindexes.ColumnVindex, ownedQuery string) (*engine.DML, error) {
	params, err := b.routing(ctx, route.Routing)
	if err != nil {
		return nil, err
	}
	dml := &engine.DML{
		RoutingParameters:    params,
		Query:                query,
		TableNames:           []string{vtable.Name.String()},
		Vindexes:             changed,
		OwnedVindexQuery:     ownedQuery,
		MultiShardAutocommit: h.multiShardAutocommit,
		QueryTimeout:         h.queryTimeout,
		FetchLastInsertID:    ctx.Sem.Signature.LastInsertIDArg,
	}
	switch {
	case params.Opcode == opcode.None:
		dml.OwnedVindexQuery, dml.Vindex, dml.Values = "", nil, nil
	case params.Opcode != opcode.Unsharded && ownedQuery != "":
		primary := vtable.ColumnVindexes[0]
		dml.KsidVindex, dml.KsidLength = primary.Vindex, len(primary.Columns)
	}
	return dml, nil
}

func (b *builder) insertRoute(ctx *operators.Context, route *operators.Route, op *operators.Insert, stmt *sqlparser.Insert, h hints) (engine.Primitive, error) {
	ins := &engine.Insert{InsertCommon: insertCommon(ctx, route, op), VindexValues: op.VindexValues}
	ins.Opcode = opcode.InsertSharded
	if route.Routing.Opcode() == opcode.Unsharded {
		ins.Opcode = opcode.InsertUnsharded
	}
	ins.MultiShardAutocommit, ins.QueryTimeout = h.multiShardAutocommit, h.queryTimeout
	if ins.Opcode == opcode.InsertSharded {
		ins.Prefix, ins.Suffix = shardedInsert(op.AST)
		ins.Mid, _ = op.AST.Rows.(sqlparser.Values)
		if op.AST.RowAlias != nil {
			ins.Alias = sqlparser.String(op.AST.RowAlias)
		}
	}
	ins.Query = unqualified(stmt)
	return ins, nil
}

func insertCommon(ctx *operators.Context, route *operators.Route, op *operators.Insert) engine.InsertCommon {
	common := engine.InsertCommon{
		Keyspace:          route.Routing.Keyspace(),
		Reference:         op.VTable.Type == vindexes.TypeReference && route.Routing.Keyspace().Sharded,
		TableName:         op.VTable.Name.String(),
		Ignore:            op.Ignore,
		ColVindexes:       op.ColVindexes,
		FetchLastInsertID: ctx.Sem.Signature.LastInsertIDArg,
	}
	for _, cv := range op.ColVindexes {
		common.ColumnTypes = append(common.ColumnTypes, op.VTable.ColumnTypes(cv.Columns))
	}
	if gen := op.Generate; gen != nil {
		next := &sqlparser.Select{From: []sqlparser.TableExpr{&sqlparser.AliasedTableExpr{Expr: gen.Table}}}
		next.AddSelectExpr(&sqlparser.Nextval{Expr: &sqlparser.Argument{Name: "n", Type: sqltypes.Int64}})
		common.Generate = &engine.Generate{Keyspace: gen.Keyspace, Query: sqlparser.String(next), Values: gen.Values, Offset: gen.Offset}
	}
	return common
}

// shardedInsert prints what stands before and after the rows in the INSERT of each shard.
func shardedInsert(ins *sqlparser.Insert) (prefix string, suffix sqlparser.OnDup) {
	format := "insert %v%sinto %v%v "
	if _, isValues := ins.Rows.(sqlparser.Values); isValues {
		format += "values "
	}
	buf := sqlparser.NewTrackedBuffer(formatUnqualified)
	buf.Myprintf(format, ins.Comments, ins.Ignore.ToString(), ins.Table, ins.Columns)
	suffix = sqlparser.CopyOnRewrite(ins.OnDup, nil, func(c *sqlparser.CopyOnWriteCursor) {
		if name, ok := c.Node().(sqlparser.TableName); ok && name.Qualifier.NotEmpty() {
			c.Replace(sqlparser.NewTableName(name.Name.String()))
		}
	}, nil).(sqlparser.OnDup)
	return buf.String(), suffix
}

func (b *builder) insertSelection(ctx *operators.Context, op *operators.InsertSelection) (engine.Primitive, error) {
	route, ok := op.Insert.(*operators.Route)
	if !ok {
		return nil, vterrors.VT13001("insert is not below a route")
	}
	stmt, dml, err := operators.ToSQL(ctx, route.Source)
	if err != nil {
		return nil, err
	}
	if commented, ok := stmt.(sqlparser.Commented); ok && route.Comments != nil {
		commented.SetComments(route.Comments.GetComments())
	}
	ins := dml.(*operators.Insert)
	input, err := b.transform(ctx, op.Select)
	if err != nil {
		return nil, err
	}
	out := &engine.InsertSelect{InsertCommon: insertCommon(ctx, route, ins), Input: input, VindexValueOffset: ins.VindexOffsets}
	out.ForceNonStreaming = op.WholeInput
	out.Prefix, out.Suffix = shardedInsert(ins.AST)
	if ins.VTable.Keyspace.Sharded {
		out.Opcode = opcode.InsertSharded
	}
	return out, nil
}

func (b *builder) dmlWithInput(ctx *operators.Context, op *operators.DMLWithInput) (engine.Primitive, error) {
	in, err := b.transformAll(ctx, op.Inputs())
	if err != nil {
		return nil, err
	}
	return &engine.DMLWithInput{Input: in[0], DMLs: in[1:], OutputCols: op.Offsets, BVList: op.Vars}, nil
}
