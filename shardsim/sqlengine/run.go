package sqlengine

import (
	"context"
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
)

// runEngine is tier 3: bind and analyse the cached syntax tree, and execute the plan once.
func (s *Session) runEngine(ctx context.Context, st *statement, binds map[string]*querypb.BindVariable, out *emitter) error {
	if s.sql.hasMode("ONLY_FULL_GROUP_BY") {
		if err := s.checkFullGrouping(st.ast); err != nil {
			return err
		}
	}
	if err := s.checkSchema(st.ast); err != nil {
		return err
	}
	if !st.step {
		if err := s.checkColumnUsers(st.ast); err != nil {
			return err
		}
	}
	if create, ok := st.ast.(*sqlparser.CreateTable); ok && create.Select != nil {
		return s.createAsSelect(ctx, create, out)
	}
	if add := counterColumn(st.ast); add != nil {
		if s.sql.running == nil {
			s.sql.running = sql.NewContext(ctx, sql.WithSession(s.sql))
		}
		return s.addCounter(ctx, st.ast.(*sqlparser.AlterTable), add, out)
	}
	if steps := alterSteps(st.ast); steps != nil {
		if done, err := s.runSteps(ctx, st.ast.(*sqlparser.AlterTable), steps, out); done {
			return err
		}
	}
	if done, err := s.runRoutineDDL(ctx, st.ast, out); done {
		return err
	}
	if drop, ok := st.ast.(*sqlparser.DropTable); ok && drop.Temp {
		return s.dropTemporary(drop, out)
	}
	if isMultiTable(st.ast) {
		return s.runMultiTable(ctx, st, binds, out)
	}
	v, err := s.variant(st, binds)
	if err != nil {
		return err
	}
	sctx := s.sql.context(ctx, v.text)
	s.sql.running = sctx
	if st.keys != nil {
		defer s.sql.holdVariable("foreign_key_checks")()
		if err := s.sql.SetSessionVariable(sctx, "foreign_key_checks", *st.keys); err != nil {
			return err
		}
	}
	s.noteTarget(st)
	if alter, ok := st.ast.(*sqlparser.AlterTable); ok {
		if done, err := s.alterSearchIndexes(sctx, alter); done {
			if err != nil {
				return err
			}
			return out.send(&sqltypes.Result{})
		}
	}

	parse := func(text string) (dolt.Statement, error) { return parseEngine(sctx, text) }
	existed := false
	if create, ok := st.ast.(*sqlparser.CreateTable); ok {
		existed = s.exists(create)
	}
	fallback := ""
	if isDDL(st.ast) {
		fallback = st.text
	}
	stmt, err := v.take(parse, fallback)
	if err != nil {
		return err
	}
	node, flags, err := s.analyse(sctx, st, stmt, v.text, binds)
	if err != nil {
		return err
	}
	if !isDDL(st.ast) {
		// Types keep the lists of ENUM members of a CREATE TABLE, which binding it again would write to.
		v.release(stmt)
	}
	err = s.drain(sctx, st, binds, node, flags, out)
	create, ok := st.ast.(*sqlparser.CreateTable)
	if ok && err == nil && existed && create.IfNotExists {
		s.sql.warnings = append(s.sql.warnings, &sql.Warning{Level: "Note", Code: 1050, Message: "Table '" + create.Table.Name.String() + "' already exists"})
	}
	if ok && err == nil && !existed {
		err = s.addSearchIndexes(sctx, create)
	}
	if err == nil {
		err = s.setPreciseTimes(sctx, st.ast)
	}
	if err == nil {
		err = s.keepClauses(sctx, st.ast)
	}
	if ok && err != nil && !existed {
		// The engine makes the table first and its keys and checks after.
		_ = (&database{shard: s.shard}).DropTable(sctx, create.Table.Name.String())
	}
	return err
}

func parseEngine(ctx *sql.Context, text string) (dolt.Statement, error) {
	stmt, _, err := sql.GlobalParser.ParseOneWithOptions(ctx, text, sql.LoadSqlMode(ctx).ParserOptions())
	if err != nil {
		return nil, sql.ErrSyntaxError.New(err.Error())
	}
	carryWindows(stmt)
	return stmt, nil
}

// noteTarget remembers the table the statement writes to, for error texts.
func (s *Session) noteTarget(st *statement) {
	if st.target == "" {
		return
	}
	if t := s.sql.tableNamed(st.target); t != nil {
		s.sql.target = newTable(s.shard, t.Def)
	}
}

func (s *Session) analyse(ctx *sql.Context, st *statement, stmt dolt.Statement, text string, binds map[string]*querypb.BindVariable) (sql.Node, *sql.QueryFlags, error) {
	exprs, err := s.sql.bindExpressions(binds)
	if err != nil {
		return nil, nil, err
	}
	return s.analyseBound(ctx, st, stmt, text, exprs)
}

// analyseBound analyses a statement whose bind variables are expressions.
func (s *Session) analyseBound(ctx *sql.Context, st *statement, stmt dolt.Statement, text string, binds map[string]sql.Expression) (sql.Node, *sql.QueryFlags, error) {
	a := s.shard.engine.analyzer
	builder := planbuilder.New(ctx, a.Catalog, nil, nil)
	if len(binds) > 0 {
		builder.SetBindingsWithExpr(binds)
	}
	node, flags, err := builder.BindOnly(stmt, text, nil)
	if err != nil {
		return nil, nil, err
	}
	if flags.SubqueryIsSet() {
		if err := analyseWhole(node); err != nil {
			return nil, nil, err
		}
	}
	if isDDL(st.ast) {
		if err := fromContext(ctx).checkColumnDefaults(ctx, node); err != nil {
			return nil, nil, err
		}
	}
	if st.settles {
		if node, err = settle(ctx, node); err != nil {
			return nil, nil, err
		}
	}
	node, err = a.Analyze(ctx, node, nil, flags)
	if err == nil && st.settles {
		node, err = settleComparisons(ctx, node)
	}
	if err == nil && st.isDML {
		node, err = assigns(ctx, node)
	}
	return node, flags, err
}

// analyseWhole takes writes that hold a subquery out of the engine's short analysis, which leaves subqueries unready. The engine
// does so itself unless the subquery is in EXISTS. In ON DUPLICATE KEY UPDATE it would take the rows for others: 1235.
func analyseWhole(node sql.Node) (err error) {
	transform.Inspect(node, func(n sql.Node) bool {
		switch n := n.(type) {
		case *plan.Update:
			n.HasSingleRel = false
		case *plan.DeleteFrom:
			n.RefsSingleRel = false
		case *plan.InsertInto:
			for _, set := range n.OnDupExprs {
				sql.Inspect(set, func(e sql.Expression) bool {
					if _, isSubquery := e.(*plan.Subquery); isSubquery {
						err = errUnsupported("subqueries in ON DUPLICATE KEY UPDATE")
					}
					return err == nil
				})
			}
		}
		return err == nil
	})
	return err
}

// batchRows is how many rows a piece of a result has at most.
const batchRows = 1000

// drain executes a plan and emits its result.
func (s *Session) drain(ctx *sql.Context, st *statement, binds map[string]*querypb.BindVariable, node sql.Node, flags *sql.QueryFlags, out *emitter) (err error) {
	iter, schema, err := execOverrides{engine: s.shard.engine}.executed(ctx, node)
	if err != nil {
		return err
	}
	iter = rowexec.AddExpressionCloser(node, iter)
	if schema == nil {
		schema = node.Schema()
	}
	closed := false
	closeIter := func() error {
		if closed {
			return nil
		}
		closed = true
		return iter.Close(ctx)
	}
	defer func() {
		if closeErr := closeIter(); err == nil {
			err = closeErr
		}
	}()

	first, err := iter.Next(ctx)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err == nil && types.IsOkResult(first) {
		if err := closeIter(); err != nil {
			return err
		}
		return out.send(s.okResult(st, types.GetOkResult(first)))
	}
	if isDDL(st.ast) || st.isDML || isSet(st.ast) {
		return out.send(&sqltypes.Result{})
	}
	return s.emitRows(ctx, st, binds, schema, iter, first, errors.Is(err, io.EOF), out)
}

func (s *Session) emitRows(ctx *sql.Context, st *statement, binds map[string]*querypb.BindVariable, schema sql.Schema, iter sql.RowIter, row sql.Row, end bool, out *emitter) error {
	w := newRowWriter(s.shape(st, binds, schema[:len(schema)-st.hidden]), out)
	for !end {
		if err := w.add(ctx, row, nil); err != nil {
			return err
		}
		var err error
		row, err = iter.Next(ctx)
		if end = errors.Is(err, io.EOF); err != nil && !end {
			return err
		}
	}
	w.piece.InsertID, w.piece.InsertIDChanged = s.sql.insertID()
	return w.close()
}
