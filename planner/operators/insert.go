package operators

import (
	"slices"
	"strconv"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
)

type (
	// Insert adds rows to one table.
	Insert struct {
		nullary
		noColumns
		VTable *vindexes.Table
		AST    *sqlparser.Insert
		// Ignore says that a row that is there already is no error.
		Ignore bool
		// Generate fills the auto-increment column from a sequence, nil for none.
		Generate *Generate
		// ColVindexes are the vindexes that want values. VindexValues holds them by vindex, column and row; with a SELECT as the
		// source, VindexOffsets holds the columns of the SELECT instead, -1 for one that is not given.
		ColVindexes   []*vindexes.ColumnVindex
		VindexValues  [][][]evalengine.Expr
		VindexOffsets [][]int
	}

	// Generate says which rows want values of a sequence.
	Generate struct {
		Keyspace *vindexes.Keyspace
		Table    sqlparser.TableName
		// Values are what the statement gives, NULL for a value to be generated; Offset is the column of a SELECT instead.
		Values evalengine.Expr
		Offset int
		added  bool
	}

	// InsertSelection inserts the rows that a query returns.
	InsertSelection struct {
		noColumns
		Select, Insert Operator
		// WholeInput must be read before the first row is inserted, as the query reads the table.
		WholeInput bool
	}
)

// Clone copies the insert.
func (i *Insert) Clone([]Operator) Operator {
	c := *i
	return &c
}

// Describe names the table.
func (i *Insert) Describe() string { return "Insert " + i.VTable.String() }

// Inputs are the query and the insert.
func (i *InsertSelection) Inputs() []Operator { return []Operator{i.Select, i.Insert} }

// SetInputs replaces them.
func (i *InsertSelection) SetInputs(in []Operator) { i.Select, i.Insert = in[0], in[1] }

// Clone copies the operator.
func (i *InsertSelection) Clone(in []Operator) Operator {
	c := *i
	c.SetInputs(in)
	return &c
}

// Describe names it.
func (i *InsertSelection) Describe() string { return "InsertSelection" }

func fromInsert(ctx *Context, stmt *sqlparser.Insert) Operator {
	info := must(ctx.Sem.Info(ctx.Sem.TableSetFor(stmt.Table)))
	vtable := info.VTable
	if vtable == nil {
		refuse(vterrors.VT12001("update information schema tables"))
	}
	if vtable.Type == vindexes.TypeReference && vtable.Source != nil {
		source, _, err := ctx.Schema.FindTableOrVindex(vtable.Source.TableName)
		vtable = must(source, err)
		stmt.Table.Expr = vtable.GetTableName()
	}
	var routing Routing = &AnyShardRouting{fixed: fixed{vtable.Keyspace}}
	if vtable.Keyspace.Sharded {
		name, _ := stmt.Table.Expr.(sqlparser.TableName)
		if routing = targetedRouting(ctx, name, vtable); routing == nil {
			routing = &ShardedRouting{keyspace: vtable.Keyspace, code: opcode.Scatter}
		}
	}
	if stmt.Action == sqlparser.ReplaceAct && vtable.Keyspace.Sharded {
		refuse(vterrors.VT12001("REPLACE INTO with sharded keyspace"))
	}
	if stmt.Action == sqlparser.ReplaceAct && ctx.KeepsForeignKeys() && len(vtable.PrimaryKey)+len(vtable.UniqueKeys) > 0 {
		return replace(ctx, stmt, vtable)
	}
	keys := ctx.allForeignKeys()
	cascades := len(keys.Parents) == 0 && len(keys.Children) > 0 && len(stmt.OnDup) > 0
	if rows, ok := stmt.Rows.(sqlparser.Values); cascades && (!ok || updatesDuplicates(stmt, rows, vtable)) {
		return upsert(ctx, stmt, vtable)
	}
	subqueries := pullOutOfInsert(ctx, stmt, vtable)
	op := runFirst(ctx, subqueries, planInsert(ctx, stmt, vtable, routing))
	switch {
	case len(keys.Parents) > 0:
		refuse(vterrors.VT12002(QualifiedName(vtable), QualifiedName(keys.Parents[0].Table)))
	case len(keys.Children) > 0 && stmt.Action == sqlparser.ReplaceAct:
		refuse(vterrors.VT12001("REPLACE INTO with foreign keys"))
	}
	if stmt.Comments != nil {
		op = newLockAndComment(op, stmt.Comments, sqlparser.NoLock)
	}
	return op
}

// updatesDuplicates tells whether a row can be there already by its primary key.
func updatesDuplicates(stmt *sqlparser.Insert, rows sqlparser.Values, vtable *vindexes.Table) bool {
	nameColumns(stmt, vtable)
	checkRowLengths(stmt, rows)
	return len(vtable.UniqueKeys) > 0 || hasWholeKey(vtable, stmt.Columns, rows[0])
}

// allForeignKeys are the keys that the gateway keeps, of all tables of the statement.
func (ctx *Context) allForeignKeys() ForeignKeys {
	var all ForeignKeys
	for _, info := range ctx.Sem.Tables {
		if info != nil {
			keys := ctx.foreignKeys[info.ID]
			all.Parents, all.Children = append(all.Parents, keys.Parents...), append(all.Children, keys.Children...)
		}
	}
	return all
}

func planInsert(ctx *Context, stmt *sqlparser.Insert, vtable *vindexes.Table, routing Routing) Operator {
	nameColumns(stmt, vtable)
	ins := &Insert{VTable: vtable, AST: stmt, Ignore: bool(stmt.Ignore) || stmt.OnDup != nil}
	ins.Generate = generateIDs(ctx, stmt, vtable)
	if vtable.Keyspace.Sharded {
		ins.ColVindexes = slices.DeleteFunc(slices.Clone(vtable.ColumnVindexes), (*vindexes.ColumnVindex).IsPartialVindex)
	}
	for _, cv := range ins.ColVindexes {
		for _, col := range cv.Columns {
			checkOnDuplicate(stmt.OnDup, col)
		}
	}
	route := &Route{unary: unary{ins}, Routing: routing}
	switch rows := stmt.Rows.(type) {
	case sqlparser.Values:
		ins.takeVindexValues(ctx, rows)
	case sqlparser.TableStatement:
		return insertSelect(ctx, ins, route, rows)
	}
	return route
}

// nameColumns adds the list of columns that an INSERT leaves out. VT09004 if they are not known.
func nameColumns(stmt *sqlparser.Insert, vtable *vindexes.Table) {
	if stmt.Columns != nil || !givesColumns(stmt.Rows) {
		return
	}
	if !vtable.ColumnListAuthoritative {
		refuse(vterrors.VT09004())
	}
	for _, col := range vtable.Columns {
		stmt.Columns = append(stmt.Columns, col.Name)
	}
}

// checkRowLengths refuses rows of another length than the list of columns: VT03006.
func checkRowLengths(stmt *sqlparser.Insert, rows sqlparser.Values) {
	for _, row := range rows {
		if len(stmt.Columns) != len(row) {
			refuse(vterrors.VT03006())
		}
	}
}

// givesColumns is false for `insert into t values ()`.
func givesColumns(rows sqlparser.InsertRows) bool {
	values, ok := rows.(sqlparser.Values)
	return !ok || len(values[0]) > 0
}

// checkOnDuplicate refuses ON DUPLICATE KEY UPDATE of a vindex column, unless it sets the value that was to be inserted.
func checkOnDuplicate(onDup sqlparser.OnDup, col sqlparser.IdentifierCI) {
	for _, set := range onDup {
		if !col.Equal(set.Name.Name) {
			continue
		}
		value, ok := set.Expr.(*sqlparser.ValuesFuncExpr)
		if !ok || !value.Name.Name.Equal(set.Name.Name) {
			refuse(vterrors.VT12001("DML cannot update vindex column"))
		}
		return
	}
}

// takeVindexValues moves the values of vindex columns into bind variables, so that they can be routed by.
func (i *Insert) takeVindexValues(ctx *Context, rows sqlparser.Values) {
	checkRowLengths(i.AST, rows)
	i.VindexValues = make([][][]evalengine.Expr, len(i.ColVindexes))
	for v, cv := range i.ColVindexes {
		i.VindexValues[v] = make([][]evalengine.Expr, len(cv.Columns))
		for c, name := range cv.Columns {
			at, _ := findOrAddColumn(i.AST, name)
			for _, row := range rows {
				value := must(evalengine.Translate(row[at], ctx.evalConfig()))
				i.VindexValues[v][c] = append(i.VindexValues[v][c], value)
			}
		}
	}
	for _, cv := range i.ColVindexes {
		for _, name := range cv.Columns {
			at, _ := findOrAddColumn(i.AST, name)
			for n, row := range rows {
				row[at] = sqlparser.NewArgument(opcode.InsertVar(name, n))
			}
		}
	}
	if len(i.ColVindexes) == 0 {
		i.VindexValues = nil
	}
}

// findOrAddColumn is the position of a column; one that is missing is added with NULLs.
func findOrAddColumn(stmt *sqlparser.Insert, name sqlparser.IdentifierCI) (at int, added bool) {
	if at = stmt.Columns.FindColumn(name); at >= 0 {
		return at, false
	}
	stmt.Columns = append(stmt.Columns, name)
	if rows, ok := stmt.Rows.(sqlparser.Values); ok {
		for i := range rows {
			rows[i] = append(rows[i], &sqlparser.NullVal{})
		}
	}
	return len(stmt.Columns) - 1, true
}

// generateIDs plans the values of the auto-increment column, nil if the table has none.
func generateIDs(ctx *Context, stmt *sqlparser.Insert, vtable *vindexes.Table) *Generate {
	auto := vtable.AutoIncrement
	if auto == nil {
		return nil
	}
	gen := &Generate{Keyspace: auto.Sequence.Keyspace, Table: sqlparser.TableName{Name: auto.Sequence.Name}}
	at, added := findOrAddColumn(stmt, auto.Column)
	rows, ok := stmt.Rows.(sqlparser.Values)
	if !ok {
		gen.Offset, gen.added = at, added
		return gen
	}
	var values sqlparser.ValTuple
	for n, row := range rows {
		if len(stmt.Columns) != len(row) {
			refuse(vterrors.VT03006())
		}
		if _, isDefault := row[at].(*sqlparser.Default); isDefault {
			row[at] = &sqlparser.NullVal{}
		}
		values = append(values, row[at])
		row[at] = sqlparser.NewArgument(opcode.SequenceVar + strconv.Itoa(n))
	}
	gen.Values = must(evalengine.Translate(values, ctx.evalConfig()))
	return gen
}

func insertSelect(ctx *Context, ins *Insert, route *Route, query sqlparser.TableStatement) Operator {
	if columnsDiffer(ins.Generate, ins.AST, query) {
		refuse(vterrors.VT03006())
	}
	selected := planTree(ctx, fromQuery(ctx, query))
	refuseErr(checkRoutes(ctx, selected))
	out := &InsertSelection{Select: newLockAndComment(selected, nil, sqlparser.ShareModeLock), Insert: route}
	out.WholeInput = slices.Contains(TablesUsed(selected), QualifiedName(ins.VTable))
	for v, cv := range ins.ColVindexes {
		var offsets []int
		for _, name := range cv.Columns {
			at := ins.AST.Columns.FindColumn(name)
			if at < 0 && v == 0 {
				refuse(vterrors.VT09003(name))
			}
			offsets = append(offsets, at)
		}
		ins.VindexOffsets = append(ins.VindexOffsets, offsets)
	}
	return out
}

func refuseErr(err error) {
	if err != nil {
		refuse(err)
	}
}

// columnsDiffer tells whether a query returns another number of columns than are inserted, as far as its stars let one know.
func columnsDiffer(gen *Generate, stmt *sqlparser.Insert, query sqlparser.TableStatement) bool {
	want := len(stmt.Columns)
	if gen != nil && gen.added {
		want--
	}
	have := query.GetColumnCount()
	if want <= have {
		return want < have
	}
	return !slices.ContainsFunc(firstSelect(query).GetColumns(), func(e sqlparser.SelectExpr) bool {
		_, isStar := e.(*sqlparser.StarExpr)
		return isStar
	})
}
