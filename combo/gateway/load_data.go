package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner"
	"github.com/vitrodb/vitro/vindexes"
)

// loadBatch is how many rows go to the shards at a time: memory holds no more of the file.
const loadBatch = 500

// loadData is LOAD DATA LOCAL INFILE: the rows of the client's file are inserted as INSERT IGNORE or REPLACE would, batch by
// batch, all of them in one transaction. Vitess refuses it for sharded keyspaces.
func (s *Session) loadData(ctx context.Context, sql string) (_ *sqltypes.Result, err error) {
	stmt, err := parseLoad(s.gateway.env.Parser(), sql)
	if err != nil {
		return nil, err
	}
	if s.info.OpenLocal == nil {
		return nil, sqlerror.NewSQLError(sqlerror.ErrorCode(3948), sqlerror.SSClientError,
			"Loading local data is disabled; this must be enabled on both the client and server sides")
	}
	l, err := s.newLoad(stmt)
	if err != nil {
		return nil, err
	}
	file, err := s.info.OpenLocal(stmt.file)
	if err != nil {
		return nil, fmt.Errorf("ask the client for %s: %w", stmt.file, err)
	}
	defer file.Close()
	if s.tx == nil && !s.autocommit {
		s.tx = newTransaction(s)
	}
	l.execution = &execution{session: s, together: true, isDML: true}
	err = l.run(ctx, newLoadReader(file, stmt.format))
	if s.tx != nil {
		s.tx.sources = append(s.tx.sources, l.sources...)
	}
	if err = l.execution.finish(ctx, err); err != nil {
		return nil, err
	}
	if s.tx == nil {
		s.copySources(ctx, l.sources)
	}
	if table, err := s.FindTable(stmt.table.Qualifier.String(), stmt.table.Name.String()); err == nil && s.gateway.cfg.WarnShardedOnly && !table.Keyspace.Sharded {
		s.Warn(planner.UnshardedOnlyWarning("LOAD"))
	}
	return l.result(), nil
}

// load is a running LOAD DATA.
type load struct {
	session   *Session
	stmt      *loadStatement
	execution *execution
	targets   []loadTarget
	// columns are those of the INSERT: the targets that are columns, then those of SET.
	columns sqlparser.Columns
	// plans are those of batches whose rows have all fields, by their number of rows.
	plans map[int]*loadPlan

	// sources are the tables of the INSERT that have copies.
	sources []*vindexes.Table

	records, affected int
	insertID          uint64
	variables         []sqltypes.Value // of the last row, as the targets are
}

func (s *Session) newLoad(stmt *loadStatement) (*load, error) {
	l := &load{session: s, stmt: stmt, targets: stmt.targets, plans: map[int]*loadPlan{}}
	if l.targets == nil {
		table, err := s.FindTable(stmt.table.Qualifier.String(), stmt.table.Name.String())
		if err != nil {
			return nil, err
		}
		if !table.ColumnListAuthoritative {
			return nil, vterrors.VT09004()
		}
		for _, column := range table.Columns {
			l.targets = append(l.targets, loadTarget{name: column.Name.String()})
		}
	}
	for _, target := range l.targets {
		if !target.variable {
			l.columns = append(l.columns, sqlparser.NewIdentifierCI(target.name))
		}
	}
	for _, set := range stmt.sets {
		if l.columns.FindColumn(set.Name.Name) < 0 {
			l.columns = append(l.columns, set.Name.Name)
		}
	}
	return l, nil
}

// run inserts the rows of a file.
func (l *load) run(ctx context.Context, reader *loadReader) error {
	for range l.stmt.skip {
		if err := reader.skipLine(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
	var rows [][]loadField
	for {
		row, err := reader.row()
		end := errors.Is(err, io.EOF)
		switch {
		case end:
		case err != nil:
			return fmt.Errorf("read row %d of %s: %w", l.records+len(rows)+1, l.stmt.file, err)
		default:
			rows = append(rows, row)
			l.checkFields(l.records+len(rows), row)
		}
		if len(rows) == loadBatch || end && len(rows) > 0 {
			if err := l.insert(ctx, rows); err != nil {
				return err
			}
			rows = rows[:0]
		}
		if end {
			return nil
		}
	}
}

// checkFields warns of a row with too few or too many fields.
func (l *load) checkFields(number int, row []loadField) {
	switch {
	case len(row) < len(l.targets):
		l.session.warn(Warning{Level: "Warning", Code: 1261, Message: fmt.Sprintf("Row %d doesn't contain data for all columns", number)})
	case len(row) > len(l.targets):
		l.session.warn(Warning{Level: "Warning", Code: 1262, Message: fmt.Sprintf(
			"Row %d was truncated; it contained more data than there were input columns", number)})
	}
}

// insert inserts a batch.
func (l *load) insert(ctx context.Context, rows [][]loadField) error {
	s := l.session
	bindVars := make(BindVars, len(rows)*len(l.targets))
	whole := true // the rows differ in their values alone
	for i, row := range rows {
		whole = whole && len(row) >= len(l.targets)
		for j := range l.targets {
			bindVars[loadVar(i, j)] = sqltypes.ValueBindVariable(fieldValue(row, j))
		}
	}
	plan := l.plans[len(rows)]
	if plan == nil || !whole {
		var err error
		if plan, err = l.plan(rows); err != nil {
			return err
		}
		if whole {
			l.plans[len(rows)] = plan
		}
	}
	for name, literal := range plan.literals {
		bindVars[name] = literal
	}
	bindVars, err := s.addNeeds(plan.needs, bindVars, true)
	if err != nil {
		return err
	}
	env := s.newEnv(l.execution)
	env.MoreWrites = true
	err = s.guarded(plan.plan, func() error {
		return plan.plan.Instructions.Execute(ctx, env, bindVars, func(piece *sqltypes.Result) error {
			l.affected += int(piece.RowsAffected)
			if l.insertID == 0 {
				l.insertID = piece.InsertID
			}
			return nil
		})
	})
	l.records += len(rows)
	last := rows[len(rows)-1]
	l.variables = l.variables[:0]
	for j := range l.targets {
		l.variables = append(l.variables, fieldValue(last, j))
	}
	return err
}

func fieldValue(row []loadField, j int) sqltypes.Value {
	if j >= len(row) || row[j].null {
		return sqltypes.NULL
	}
	return sqltypes.MakeTrusted(sqltypes.VarChar, row[j].text)
}

// loadVar names the bind variable of a field.
func loadVar(row, field int) string { return fmt.Sprintf("f%d_%d", row, field) }

// loadPlan is the plan of a batch, with the bind variables that are the same for each.
type loadPlan struct {
	*cachedPlan
	literals BindVars
}

// plan plans the INSERT of a batch.
func (l *load) plan(rows [][]loadField) (*loadPlan, error) {
	insert := &sqlparser.Insert{
		Action: l.stmt.action, Ignore: sqlparser.Ignore(l.stmt.action == sqlparser.InsertAct),
		Table: &sqlparser.AliasedTableExpr{Expr: l.stmt.table}, Columns: l.columns,
	}
	values := make(sqlparser.Values, len(rows))
	known := sqlparser.BindVars{}
	for i, row := range rows {
		tuple, err := l.tuple(i, len(row))
		if err != nil {
			return nil, err
		}
		values[i] = tuple
		for j := range l.targets {
			known[loadVar(i, j)] = struct{}{}
		}
	}
	insert.Rows = values
	n, err := l.session.normalise(insert, known, nil)
	if err != nil {
		return nil, err
	}
	plan, err := l.session.newPlan(n)
	if err != nil {
		return nil, err
	}
	if plan.plan.Instructions == nil {
		return nil, vterrors.VT13001("no plan for LOAD DATA")
	}
	l.sources = plan.sources
	return &loadPlan{plan, n.bindVars}, nil
}

// tuple is the row of an INSERT for a line with so many fields.
func (l *load) tuple(row, fields int) (sqlparser.ValTuple, error) {
	tuple := make(sqlparser.ValTuple, len(l.columns))
	for j, target := range l.targets {
		switch at := l.columns.FindColumn(sqlparser.NewIdentifierCI(target.name)); {
		case target.variable:
		case j < fields:
			tuple[at] = sqlparser.NewArgument(loadVar(row, j))
		default:
			tuple[at] = &sqlparser.Default{}
		}
	}
	for _, set := range l.stmt.sets {
		expr, err := l.valueOf(row, set.Expr)
		if err != nil {
			return nil, err
		}
		tuple[l.columns.FindColumn(set.Name.Name)] = expr
	}
	return tuple, nil
}

// valueOf puts the fields of a row in the place of the variables and columns that they go to.
func (l *load) valueOf(row int, expr sqlparser.Expr) (sqlparser.Expr, error) {
	var failure error
	out := sqlparser.CopyOnRewrite(expr, nil, func(c *sqlparser.CopyOnWriteCursor) {
		name, variable := "", false
		switch node := c.Node().(type) {
		case *sqlparser.Variable:
			if node.Scope != sqlparser.VariableScope {
				return
			}
			name, variable = node.Name.String(), true
		case *sqlparser.ColName:
			name = node.Name.String()
		default:
			return
		}
		for j, target := range l.targets {
			if target.variable == variable && strings.EqualFold(target.name, name) {
				c.Replace(sqlparser.NewArgument(loadVar(row, j)))
				return
			}
		}
		if !variable && failure == nil {
			failure = sqlerror.NewSQLErrorf(sqlerror.ERBadFieldError, sqlerror.SSBadFieldError, "Unknown column '%s' in 'field list'", name)
		}
	}, nil).(sqlparser.Expr)
	return out, failure
}

// result is the statement's, after it is committed.
func (l *load) result() *sqltypes.Result {
	for j, target := range l.targets {
		if target.variable && j < len(l.variables) {
			l.session.SetUserVariable(target.name, l.variables[j])
		}
	}
	skipped, deleted := l.records-l.affected, 0
	if skipped < 0 {
		skipped, deleted = 0, -skipped
	}
	return &sqltypes.Result{
		RowsAffected: uint64(l.affected), InsertID: l.insertID,
		Info: fmt.Sprintf("Records: %d  Deleted: %d  Skipped: %d  Warnings: %d", l.records, deleted, skipped, l.session.WarningCount()),
	}
}
