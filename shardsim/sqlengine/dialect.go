package sqlengine

import (
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/datetime"
	"vitess.io/vitess/go/vt/sqlparser"
)

// engineText prints a statement of the gateway's dialect for the engine's parser. The shape of each list bind variable
// is given, as the engine has no lists: (::ids) becomes (:ids_0, :ids_1), and of pairs ((:ids_0_0, :ids_0_1), ...). What the engine's grammar lacks is printed in
// other words where these mean the same; what has no other words is refused before, see unsupportedSyntax.
func engineText(stmt sqlparser.SQLNode, lists map[string]listShape) string {
	_, isDDL := stmt.(sqlparser.DDLStatement)
	p := &dialect{lists: lists, tables: tablesOf(stmt), isDDL: isDDL}
	buf := sqlparser.NewTrackedBuffer(p.format)
	buf.Myprintf("%v", stmt)
	return buf.String()
}

type dialect struct {
	lists  map[string]listShape
	isDDL  bool
	exact  map[*sqlparser.Literal]bool // decimals that something is compared with
	tables map[string]string           // real names of tables by their aliases, both in lower case
}

// tablesOf returns the tables a statement with MATCH names anywhere.
func tablesOf(stmt sqlparser.SQLNode) map[string]string {
	hasMatch := false
	var tables []sqlparser.TableExpr
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.MatchExpr:
			hasMatch = true
		case *sqlparser.AliasedTableExpr:
			tables = append(tables, node)
		}
		return true, nil
	}, stmt)
	if !hasMatch {
		return nil
	}
	return aliases(tables)
}

// listShape is how many values a list has, and how many each of these has: 0 if they are no tuples.
type listShape struct{ length, arity int }

// format prints the nodes that differ and leaves the others to their own Format, which comes back here for children.
func (p *dialect) format(buf *sqlparser.TrackedBuffer, node sqlparser.SQLNode) {
	switch node := node.(type) {
	case sqlparser.ListArg:
		p.formatList(buf, string(node))
	case *sqlparser.Select:
		// Locks are taken by the scans, see statement.scanMode.
		c := *node
		c.Lock = sqlparser.NoLock
		c.Comments = nil
		c.SelectExprs, c.OrderBy = windowsByAlias(node)
		c.OrderBy = positionsByExpression(node, c.SelectExprs, c.OrderBy)
		c.Format(buf)
	case *sqlparser.AlterView:
		p.format(buf, &sqlparser.CreateView{ViewName: node.ViewName, IsReplace: true, Columns: node.Columns, Select: node.Select})
	case *sqlparser.CreateView:
		c := *node
		c.Select = aliased(c.Select, isText)
		c.Format(buf)
	case *sqlparser.DerivedTable:
		c := *node
		c.Select = aliased(c.Select, isText)
		c.Format(buf)
	case *sqlparser.CommonTableExpr:
		c := *node
		c.Subquery = aliased(c.Subquery, isText)
		c.Format(buf)
	case *sqlparser.Union:
		c := *node
		c.Lock = sqlparser.NoLock
		_, nested := c.Left.(*sqlparser.Union)
		c.Left = enclosed(c.Left)
		if nested || len(c.OrderBy) > 0 {
			c.Left = aliased(c.Left, isComputed)
		}
		c.Format(buf)
	case *sqlparser.IntervalDateExpr:
		formatInterval(buf, node)
	case *sqlparser.CastExpr:
		formatCast(buf, node, node.Expr, node.Type)
	case *sqlparser.ConvertExpr:
		formatCast(buf, node, node.Expr, node.Type)
	case *sqlparser.FuncExpr:
		formatFunc(buf, node)
	case *sqlparser.ComparisonExpr:
		p.keepExact(node)
		if isQuantified(node) {
			formatQuantified(buf, node)
			return
		}
		if parts, ok := pairwise(node); ok {
			buf.Myprintf("(%v)", parts)
			return
		}
		asMembership(node).Format(buf)
	case *sqlparser.Insert:
		c := withInserted(node)
		c.Comments = nil
		c.Format(buf)
	case *sqlparser.Update:
		c := *node
		c.Comments = nil
		c.Format(buf)
	case *sqlparser.Delete:
		p.formatDelete(buf, node)
	case *sqlparser.AliasedTableExpr:
		// Index hints change plans, not results.
		c := *node
		c.Hints = nil
		c.Format(buf)
	case *sqlparser.ParenTableExpr:
		buf.Myprintf("(%v)", crossJoined(node.Exprs))
	case *sqlparser.Literal:
		p.formatLiteral(buf, node)
	case *sqlparser.UnaryExpr:
		switch node.Operator {
		case sqlparser.TildaOp:
			formatCall(buf, "bit_not", node.Expr)
		case sqlparser.NStringOp:
			buf.Myprintf("%v", node.Expr)
		default:
			node.Format(buf)
		}
	case *sqlparser.IntervalFuncExpr:
		formatCall(buf, "interval_of", append([]sqlparser.Expr{node.Expr}, node.Exprs...)...)
	case *sqlparser.CharExpr:
		if node.Charset == "" {
			formatCall(buf, "char_of", node.Exprs...)
			return
		}
		node.Format(buf)
	case *sqlparser.MatchExpr:
		p.formatMatch(buf, node)
	case *sqlparser.MemberOfExpr:
		formatCall(buf, "member_of", node.Value, node.JSONArr)
	case *sqlparser.AssignmentExpr:
		formatAssignment(buf, node)
	case *sqlparser.JSONValueExpr:
		formatJSONValue(buf, node)
	case *sqlparser.WindowSpecification:
		plainWindow(node).Format(buf)
	case *sqlparser.NullTreatmentClause, *sqlparser.FromFirstLastClause:
		// RESPECT NULLS and FROM FIRST are what is done anyway; the others are refused.
	case *sqlparser.GroupBy:
		formatGroupBy(buf, node)
	case *sqlparser.CreateTable:
		// The session knows that a table is temporary, see database.create.
		c := *node
		c.Temp = false
		if c.TableSpec != nil && c.TableSpec.PartitionOption != nil {
			spec := *c.TableSpec
			spec.PartitionOption = nil // see keepClauses
			c.TableSpec = &spec
		}
		c.Format(buf)
	case *sqlparser.DropTable:
		c := *node
		c.Temp = false
		c.Format(buf)
	case *sqlparser.TableSpec:
		nameIndexes(node).Format(buf)
	case *sqlparser.ColumnType:
		formatColumnType(buf, node)
	default:
		node.Format(buf)
	}
}

// crossJoined is a list of tables as a join: the engine has no lists in parentheses, which the gateway makes of inner joins beside
// an outer one, (a, b) LEFT JOIN c.
func crossJoined(tables []sqlparser.TableExpr) sqlparser.TableExpr {
	joined := tables[0]
	for _, t := range tables[1:] {
		if join, ok := t.(*sqlparser.JoinTableExpr); ok {
			t = &sqlparser.ParenTableExpr{Exprs: []sqlparser.TableExpr{join}}
		}
		joined = &sqlparser.JoinTableExpr{LeftExpr: joined, Join: sqlparser.NormalJoinType, RightExpr: t}
	}
	return joined
}

// insertedRows is the derived table of an INSERT ... SELECT whose rows are named.
const insertedRows = "__rows"

// withInserted is an INSERT, with the values that VALUES() means named where they come from a query: the engine knows VALUES()
// beside a list of rows alone.
func withInserted(ins *sqlparser.Insert) sqlparser.Insert {
	c := *ins
	query, isQuery := ins.Rows.(sqlparser.TableStatement)
	if !isQuery || !usesValues(ins.OnDup) || len(ins.Columns) == 0 {
		return c
	}
	table := sqlparser.NewTableName(insertedRows)
	name := func(i int) string { return insertedRows + strconv.Itoa(i) }
	var columns sqlparser.Columns
	exprs := &sqlparser.SelectExprs{}
	for i := range ins.Columns {
		columns = append(columns, sqlparser.NewIdentifierCI(name(i)))
		exprs.Exprs = append(exprs.Exprs, &sqlparser.AliasedExpr{Expr: sqlparser.NewColNameWithQualifier(name(i), table)})
	}
	c.Rows = &sqlparser.Select{SelectExprs: exprs, From: []sqlparser.TableExpr{&sqlparser.AliasedTableExpr{
		Expr: &sqlparser.DerivedTable{Select: query}, As: sqlparser.NewIdentifierCS(insertedRows), Columns: columns,
	}}}
	c.OnDup = sqlparser.CopyOnRewrite(ins.OnDup, nil, func(cur *sqlparser.CopyOnWriteCursor) {
		if values, ok := cur.Node().(*sqlparser.ValuesFuncExpr); ok {
			if at := ins.Columns.FindColumn(values.Name.Name); at >= 0 {
				cur.Replace(sqlparser.NewColNameWithQualifier(name(at), table))
			}
		}
	}, nil).(sqlparser.OnDup)
	return c
}

func usesValues(onDup sqlparser.OnDup) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		_, is := node.(*sqlparser.ValuesFuncExpr)
		found = found || is
		return !found, nil
	}, onDup)
	return found
}

// aliased gives expressions of a query's first SELECT the names that they have without an alias. The engine does not sort by
// the position of an expression in a union that has none, and loses count of those of a union within one; and it names texts
// with their quotes.
func aliased(s sqlparser.TableStatement, wanted func(sqlparser.Expr) bool) sqlparser.TableStatement {
	switch s := s.(type) {
	case *sqlparser.Union:
		c := *s
		c.Left = aliased(c.Left, wanted)
		return &c
	case *sqlparser.Select:
		c := *s
		exprs := append([]sqlparser.SelectExpr(nil), s.SelectExprs.Exprs...)
		for i, e := range exprs {
			a, ok := e.(*sqlparser.AliasedExpr)
			if !ok || a.As.NotEmpty() {
				continue
			}
			if wanted(a.Expr) {
				exprs[i] = &sqlparser.AliasedExpr{Expr: a.Expr, As: sqlparser.NewIdentifierCI(expressionName(a.Expr, nil))}
			}
		}
		c.SelectExprs = &sqlparser.SelectExprs{Exprs: exprs}
		return &c
	}
	return s
}

func isComputed(e sqlparser.Expr) bool {
	_, isColumn := e.(*sqlparser.ColName)
	return !isColumn
}

func isText(e sqlparser.Expr) bool {
	literal, ok := e.(*sqlparser.Literal)
	return ok && literal.Type == sqlparser.StrVal
}

// formatInterval prints sums of a date and an INTERVAL as DATE_ADD, which is ours.
func formatInterval(buf *sqlparser.TrackedBuffer, node *sqlparser.IntervalDateExpr) {
	name := "date_add"
	switch node.Syntax {
	case sqlparser.IntervalDateExprBinarySub, sqlparser.IntervalDateExprDateSub, sqlparser.IntervalDateExprSubdate:
		name = "date_sub"
	}
	unit := node.Unit
	if unit == datetime.IntervalNone {
		unit = datetime.IntervalDay
	}
	buf.Myprintf(name+"(%v, interval %v "+unitText(unit.ToString())+")", node.Date, node.Interval)
}

func (p *dialect) formatList(buf *sqlparser.TrackedBuffer, name string) {
	shape := p.lists[name]
	formatItems(buf, shape.length, func(i int) {
		if shape.arity == 0 {
			buf.WriteArg(":", listItem(name, i))
			return
		}
		formatItems(buf, shape.arity, func(j int) { buf.WriteArg(":", listItem(listItem(name, i), j)) })
	})
}

func formatItems(buf *sqlparser.TrackedBuffer, n int, item func(i int)) {
	buf.WriteString("(")
	for i := range n {
		if i > 0 {
			buf.WriteString(", ")
		}
		item(i)
	}
	buf.WriteString(")")
}

// listItem names the bind variable of one value of a list.
func listItem(name string, i int) string { return name + "_" + strconv.Itoa(i) }

// formatDelete prints DELETE FROM t AS a, which the engine does not read, under the table's own name, or as DELETE a FROM t AS a
// where a subquery may mean another table by that name.
func (p *dialect) formatDelete(buf *sqlparser.TrackedBuffer, node *sqlparser.Delete) {
	c := *node
	c.Comments = nil
	c.Ignore = false // the engine does not read it: what it would let pass are foreign keys, which stay errors
	single := node.IsSingleAliasExpr() && node.TableExprs[0].(*sqlparser.AliasedTableExpr).As.NotEmpty()
	if single && !hasSubquery(node) {
		withoutAlias(&c).Format(buf)
		return
	}
	if !single || len(node.OrderBy) > 0 || node.Limit != nil {
		c.Format(buf)
		return
	}
	if node.With != nil {
		buf.Myprintf("%v", node.With)
	}
	buf.WriteString("delete ")
	t := node.TableExprs[0].(*sqlparser.AliasedTableExpr)
	buf.Myprintf("%v from %v%v", t.As, t, node.Where)
}

func hasSubquery(stmt sqlparser.SQLNode) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		_, is := node.(*sqlparser.Subquery)
		found = found || is
		return !found, nil
	}, stmt)
	return found
}

// withoutAlias is a DELETE of one table whose columns go by the table's own name.
func withoutAlias(del *sqlparser.Delete) *sqlparser.Delete {
	table := del.TableExprs[0].(*sqlparser.AliasedTableExpr)
	name := table.Expr.(sqlparser.TableName)
	out := sqlparser.CopyOnRewrite(del, nil, func(c *sqlparser.CopyOnWriteCursor) {
		if col, ok := c.Node().(*sqlparser.ColName); ok && col.Qualifier.Name == table.As {
			c.Replace(&sqlparser.ColName{Name: col.Name, Qualifier: sqlparser.TableName{Name: name.Name}})
		}
	}, nil).(*sqlparser.Delete)
	c := *out
	c.Comments, c.Targets = nil, nil
	c.TableExprs = sqlparser.TableExprs{&sqlparser.AliasedTableExpr{Expr: name, Hints: table.Hints, Partitions: table.Partitions}}
	return &c
}

// keepExact notes the decimals that something is compared with: the binder would round them to the digits of a decimal column.
// Definitions keep their texts.
func (p *dialect) keepExact(node *sqlparser.ComparisonExpr) {
	for _, e := range [...]sqlparser.Expr{node.Left, node.Right} {
		if lit, ok := e.(*sqlparser.Literal); ok && lit.Type == sqlparser.DecimalVal && !p.isDDL {
			if p.exact == nil {
				p.exact = make(map[*sqlparser.Literal]bool)
			}
			p.exact[lit] = true
		}
	}
}

// formatLiteral prints bit literals in hexadecimal, as to the engine b'101' is a number and not a binary string, and dates
// and times as casts, as it takes them as texts; in definitions of tables as calls, which SHOW CREATE TABLE knows again.
func (p *dialect) formatLiteral(buf *sqlparser.TrackedBuffer, node *sqlparser.Literal) {
	word := ""
	switch node.Type {
	case sqlparser.DecimalVal:
		if p.exact[node] {
			formatCall(buf, "decimal_literal", sqlparser.NewStrLiteral(node.Val))
			return
		}
		node.Format(buf)
		return
	case sqlparser.BitNum:
		buf.WriteString("x'" + hex.EncodeToString(bitBytes(node.Val)) + "'")
		return
	case sqlparser.DateVal:
		word = "date"
	case sqlparser.TimeVal:
		word = "time"
	case sqlparser.TimestampVal:
		word = "timestamp"
	default:
		node.Format(buf)
		return
	}
	if p.isDDL {
		formatCall(buf, word+"_literal", sqlparser.NewStrLiteral(node.Val))
		return
	}
	if word == "timestamp" {
		word = "datetime"
	}
	formatTimeLiteral(buf, node.Val, word)
}

func formatTimeLiteral(buf *sqlparser.TrackedBuffer, text, typ string) {
	if _, fraction, ok := strings.Cut(text, "."); ok && typ != "date" {
		typ += "(" + strconv.Itoa(min(len(fraction), 6)) + ")"
	}
	buf.Myprintf("cast(%v as "+typ+")", sqlparser.NewStrLiteral(text))
}

// bitBytes returns the bytes of a bit literal, written with or without 0b: as many as its digits need.
func bitBytes(digits string) []byte {
	digits = strings.TrimPrefix(digits, "0b")
	raw := make([]byte, (len(digits)+7)/8)
	n, _ := new(big.Int).SetString("0"+digits, 2)
	return n.FillBytes(raw)
}

// formatGroupBy lets GROUP BY a constant that is no integer, as the gateway pushes down, not look like a position.
func formatGroupBy(buf *sqlparser.TrackedBuffer, node *sqlparser.GroupBy) {
	if node == nil {
		return
	}
	c := *node
	c.Exprs = append([]sqlparser.Expr(nil), node.Exprs...)
	for i, e := range c.Exprs {
		lit, isLiteral := e.(*sqlparser.Literal)
		_, isArgument := e.(*sqlparser.Argument)
		if isLiteral && lit.Type != sqlparser.IntVal || isArgument {
			c.Exprs[i] = &sqlparser.FuncExpr{Name: sqlparser.NewIdentifierCI("ifnull"), Exprs: []sqlparser.Expr{e, e}}
		}
	}
	c.Format(buf)
}

// nameIndexes names the indexes of CREATE TABLE that have no name as MySQL does: c, c_2, c_3. The engine would give two
// of them the same name. Those of columns come first.
func nameIndexes(spec *sqlparser.TableSpec) *sqlparser.TableSpec {
	taken := make(map[string]bool)
	c := *spec
	c.Columns = append([]*sqlparser.ColumnDefinition(nil), spec.Columns...)
	var indexes []*sqlparser.IndexDefinition
	for i, col := range spec.Columns {
		opts := col.Type.Options
		if opts == nil || opts.KeyOpt != sqlparser.ColKeyUnique && opts.KeyOpt != sqlparser.ColKeyUniqueKey {
			continue
		}
		def, typ, plain := *col, *col.Type, *opts
		plain.KeyOpt = 0
		typ.Options, def.Type = &plain, &typ
		c.Columns[i] = &def
		indexes = append(indexes, &sqlparser.IndexDefinition{
			Info:    &sqlparser.IndexInfo{Type: sqlparser.IndexTypeUnique},
			Columns: []*sqlparser.IndexColumn{{Column: col.Name}},
		})
	}
	others, _ := splitSearchIndexes(spec.Indexes)
	indexes = append(indexes, others...)
	for _, idx := range others {
		taken[idx.Info.Name.Lowered()] = true
	}
	c.Indexes = indexes
	for i, idx := range c.Indexes {
		if idx.Info.Type == sqlparser.IndexTypePrimary || idx.Info.Name.NotEmpty() || idx.Info.ConstraintName.NotEmpty() ||
			len(idx.Columns) == 0 || idx.Columns[0].Column.IsEmpty() {
			continue
		}
		column := idx.Columns[0].Column.String()
		name := column
		for n := 2; taken[strings.ToLower(name)] || strings.EqualFold(name, "primary"); n++ {
			name = column + "_" + strconv.Itoa(n)
		}
		taken[strings.ToLower(name)] = true
		named, info := *idx, *idx.Info
		info.Name = sqlparser.NewIdentifierCI(name)
		named.Info = &info
		c.Indexes[i] = &named
	}
	return &c
}

// formatColumnType drops what the engine's grammar does not know and does not need.
func formatColumnType(buf *sqlparser.TrackedBuffer, node *sqlparser.ColumnType) {
	c := *node
	if c.Options != nil {
		opts := *c.Options
		opts.Invisible = nil
		opts.Format = 0
		opts.EngineAttribute = nil
		opts.SecondaryEngineAttribute = nil
		c.Options = &opts
	}
	if isPreciseTime(node) || strings.EqualFold(c.Type, "year") {
		c.Length = nil
	}
	c.Zerofill, c.Unsigned = false, c.Unsigned || c.Zerofill
	if c.Scale != nil && !strings.HasPrefix(shapedType(node), "decimal") && shapedType(node) != "" {
		c.Length, c.Scale = nil, nil
	}
	c.Format(buf)
}

// unsupportedSyntax names a construct of the statement that the engine cannot run and that has no exact other words.
func unsupportedSyntax(stmt sqlparser.Statement) string {
	found := ""
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.GroupBy:
			if sel, ok := stmt.(*sqlparser.Select); node != nil && node.WithRollup && (!ok || sel.GroupBy != node) {
				found = "GROUP BY ... WITH ROLLUP in a subquery"
			}
		case *sqlparser.JSONValueExpr:
			if node.EmptyOnResponse != nil || node.ErrorOnResponse != nil {
				found = "JSON_VALUE with ON EMPTY or ON ERROR"
			}
		case *sqlparser.ComparisonExpr:
			if asMembership(node).Modifier != sqlparser.Missing && !isQuantified(node) {
				found = "ALL or ANY before a list"
			}
		case *sqlparser.MatchExpr:
			if node.Option == sqlparser.QueryExpansionOpt || node.Option == sqlparser.NaturalLanguageModeWithQueryExpansionOpt {
				found = "MATCH ... AGAINST (... WITH QUERY EXPANSION)"
			}
		case *sqlparser.Sum, *sqlparser.Avg, *sqlparser.Count:
			if agg, ok := node.(sqlparser.DistinctableAggr); ok && agg.IsDistinct() && isWindowed(node) {
				found = "<window function>(DISTINCT ..)"
			}
		case *sqlparser.With:
			if node != nil && node.Recursive && skipsRows(node) {
				found = "OFFSET in a recursive common table expression"
			}
		case *sqlparser.NullTreatmentClause:
			if node != nil && node.Type == sqlparser.IgnoreNullsType {
				found = "IGNORE NULLS"
			}
		case *sqlparser.FromFirstLastClause:
			if node != nil && node.Type == sqlparser.FromLastType {
				found = "FROM LAST"
			}
		case *sqlparser.SelectInto:
			if node != nil && node.Type != sqlparser.IntoVariables {
				found = "SELECT ... INTO OUTFILE"
			}
		}
		return found == "", nil
	}, stmt)
	return found
}

// skipsRows reports whether a common table expression is a union that skips rows.
func skipsRows(with *sqlparser.With) bool {
	for _, cte := range with.CTEs {
		if u, ok := cte.Subquery.(*sqlparser.Union); ok && u.Limit != nil && u.Limit.Offset != nil {
			return true
		}
	}
	return false
}
