package sqlengine

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
)

// selectColumn is a column of the table that CREATE TABLE ... SELECT makes.
type selectColumn struct {
	name string
	typ  selectType
}

// typeKind is what a selectType is of.
type typeKind int

const (
	kindOther   typeKind = iota // as text says
	kindInt                     // length is how many characters it may take, a sign included
	kindDecimal                 // length is the precision
	kindDouble
	kindText  // length is in characters
	kindBytes // length is in bytes
	kindNull
)

// selectType is the type of a column or expression as MySQL gives it to a column.
type selectType struct {
	kind      typeKind
	length    int // of kindOther, how many characters a member of an ENUM or SET may have
	scale     int
	unsigned  bool
	notNull   bool
	collation string // of kindText, empty for the connection's
	text      string // of a column of a table, or of kindOther: its type
	defaults  string // DEFAULT clause and COMMENT of a column of a table
	isColumn  bool   // a column of a table, whose type is kept
}

// Texts of more characters than a VARCHAR holds are TEXTs.
const (
	varcharMax    = 16383
	mediumTextMax = 1<<24/4 - 1
)

// integerCharsMax is how many characters an INT takes, its sign included: expressions that may take more are BIGINT.
const integerCharsMax = 11

// definition is the type as CREATE TABLE has it, with its NULLs and default.
func (t selectType) definition() string {
	if t.isColumn {
		text := t.text
		if t.notNull {
			text += " not null"
		} else if strings.HasPrefix(text, "timestamp") {
			text += " null"
		}
		return text + t.defaults
	}
	text, zero := t.column()
	switch {
	case !t.notNull:
		return text
	case zero == "":
		return text + " not null"
	}
	return text + " not null default " + zero
}

// column returns the type of a column for the expression, and the default of one that is NOT NULL, "" for none.
func (t selectType) column() (text, zero string) {
	switch t.kind {
	case kindInt:
		text = "int"
		if t.length > integerCharsMax {
			text = "bigint"
		}
		if t.unsigned {
			text += " unsigned"
		}
		return text, "'0'"
	case kindDecimal:
		zero = "0"
		if t.scale > 0 {
			zero += "." + strings.Repeat("0", t.scale)
		}
		return fmt.Sprintf("decimal(%d,%d)", min(t.length, decimalDigitsMax), min(t.scale, decimalScaleMax)), "'" + zero + "'"
	case kindDouble:
		return "double", "'0'"
	case kindText:
		return t.textColumn()
	case kindBytes:
		switch {
		case t.length > 1<<24-1:
			return "longblob", ""
		case t.length > 65535:
			return "mediumblob", ""
		case t.length > 65532:
			return "blob", ""
		}
		return fmt.Sprintf("varbinary(%d)", t.length), "''"
	case kindNull:
		return "binary(0)", ""
	}
	if strings.HasPrefix(t.text, "time") && !strings.HasPrefix(t.text, "timestamp") {
		zero = "'00:00:00'"
	}
	return t.text, zero
}

func (t selectType) textColumn() (text, zero string) {
	switch {
	case t.length > mediumTextMax:
		text = "longtext"
	case t.length > 65535:
		text = "mediumtext"
	case t.length > varcharMax:
		text = "text"
	default:
		text, zero = fmt.Sprintf("varchar(%d)", t.length), "''"
	}
	if t.collation != "" {
		text += collationClause(t.collation)
	}
	return text, zero
}

func collationClause(collation string) string {
	set := ""
	if id, err := sql.ParseCollation("", collation, false); err == nil {
		set = " character set " + id.CharacterSet().Name()
	}
	return set + " collate " + collation
}

// selectTypes returns the columns of a query.
func (s *Session) selectTypes(query sqlparser.TableStatement) ([]selectColumn, error) {
	switch q := query.(type) {
	case *sqlparser.Select:
		return s.typesOfSelect(q)
	case *sqlparser.Union:
		left, right := q.Left, q.Right
		if q.With != nil {
			left, right = withCTEs(left, q.With), withCTEs(right, q.With)
		}
		columns, err := s.selectTypes(left)
		if err != nil {
			return nil, err
		}
		others, err := s.selectTypes(right)
		if err != nil {
			return nil, err
		}
		if len(columns) != len(others) {
			return nil, mysqlError(1222, "21000", "The used SELECT statements have a different number of columns")
		}
		for i := range columns {
			columns[i].typ = unionType(columns[i].typ, others[i].typ)
		}
		return columns, nil
	}
	schema, err := s.querySchema(query)
	if err != nil {
		return nil, err
	}
	var columns []selectColumn
	for _, c := range schema {
		columns = append(columns, selectColumn{c.Name, engineType(c.Type, !c.Nullable)})
	}
	return columns, nil
}

// withCTEs gives a side of a union the common table expressions of the whole.
func withCTEs(query sqlparser.TableStatement, with *sqlparser.With) sqlparser.TableStatement {
	switch q := query.(type) {
	case *sqlparser.Select:
		if q.With == nil {
			c := *q
			c.With = with
			return &c
		}
	case *sqlparser.Union:
		if q.With == nil {
			c := *q
			c.With = with
			return &c
		}
	}
	return query
}

// typesOfSelect finds the types of a select list. Those of what the query reads are the engine's; what expressions make of them is
// typer's to say.
func (s *Session) typesOfSelect(sel *sqlparser.Select) ([]selectColumn, error) {
	schema, err := s.querySchema(sel)
	if err != nil {
		return nil, err
	}
	t := &typer{leaves: make(map[string]selectType), outer: outerTables(sel.From)}
	if err := s.typeLeaves(sel, t); err != nil {
		return nil, err
	}
	st := s.shard.engine.parse(sqlparser.String(sel))
	named := namesOf(st.ast, nil, len(schema))
	columns := make([]selectColumn, len(schema))
	for i, c := range schema {
		columns[i] = selectColumn{c.Name, s.leafType(sel, c.Source, c.Name, c, t.outer)}
		if named == nil {
			continue
		}
		columns[i].name = named[i].name
		columns[i].typ = t.typeOf(sel.SelectExprs.Exprs[i].(*sqlparser.AliasedExpr).Expr, c.Type)
	}
	return columns, nil
}

// typeLeaves finds the types of the columns and subqueries of a select list: those of a query of them alone.
func (s *Session) typeLeaves(sel *sqlparser.Select, t *typer) error {
	var leaves []sqlparser.SelectExpr
	var nodes []sqlparser.Expr
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		var leaf sqlparser.Expr
		switch node := node.(type) {
		case *sqlparser.ColName:
			leaf = node
		case *sqlparser.Subquery:
			leaf = node
		case *sqlparser.ExistsExpr:
			return false, nil
		default:
			return true, nil
		}
		if _, known := t.leaves[sqlparser.String(leaf)]; !known {
			t.leaves[sqlparser.String(leaf)] = selectType{}
			leaves = append(leaves, &sqlparser.AliasedExpr{Expr: leaf, As: sqlparser.NewIdentifierCI(fmt.Sprintf("leaf_%d", len(leaves)))})
			nodes = append(nodes, leaf)
		}
		return false, nil
	}, sel.SelectExprs)
	if len(leaves) == 0 {
		return nil
	}
	schema, err := s.querySchema(&sqlparser.Select{With: sel.With, SelectExprs: &sqlparser.SelectExprs{Exprs: leaves}, From: sel.From})
	if err != nil {
		return err
	}
	for i, node := range nodes {
		typ := engineType(schema[i].Type, false)
		if col, ok := node.(*sqlparser.ColName); ok {
			typ = s.leafType(sel, col.Qualifier.Name.String(), col.Name.String(), schema[i], t.outer)
		}
		t.leaves[sqlparser.String(node)] = typ
	}
	return nil
}

// derivedTypes are the columns of the derived tables, views and common table expressions that a query reads: those of an alias, or
// of all for "".
func (s *Session) derivedTypes(sel *sqlparser.Select, alias string) (all []selectColumn) {
	add := func(query sqlparser.TableStatement, names sqlparser.Columns, called string) {
		if query == nil || alias != "" && !strings.EqualFold(called, alias) {
			return
		}
		columns, err := s.selectTypes(query)
		if err != nil {
			return // the whole query has said what is wrong
		}
		for i := range names {
			if i < len(columns) {
				columns[i].name = names[i].String()
			}
		}
		all = append(all, columns...)
	}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		t, ok := node.(*sqlparser.AliasedTableExpr)
		if !ok {
			return true, nil
		}
		switch e := t.Expr.(type) {
		case *sqlparser.DerivedTable:
			add(e.Select, t.Columns, t.As.String())
		case sqlparser.TableName:
			called := t.As.String()
			if called == "" {
				called = e.Name.String()
			}
			query, names := s.namedQuery(sel.With, e.Name.String())
			add(query, names, called)
		}
		return false, nil
	}, sqlparser.TableExprs(sel.From))
	return all
}

// namedQuery is the query of a common table expression that does not read others or itself, or of a view.
func (s *Session) namedQuery(with *sqlparser.With, name string) (sqlparser.TableStatement, sqlparser.Columns) {
	if with != nil && !with.Recursive && len(with.CTEs) == 1 && strings.EqualFold(with.CTEs[0].ID.String(), name) {
		return with.CTEs[0].Subquery, with.CTEs[0].Columns
	}
	view, ok := s.shard.meta().views[strings.ToLower(name)]
	if !ok || s.sql.tableNamed(name) != nil {
		return nil, nil
	}
	parsed, _ := s.shard.engine.statement(view.TextDefinition).ast.(sqlparser.TableStatement)
	return parsed, nil
}

// leafType is the type of a column that a query reads: that of the table, or what the engine says of a derived table's.
func (s *Session) leafType(sel *sqlparser.Select, alias, name string, c *sql.Column, outer map[string]bool) selectType {
	if c.Source != "" && alias == "" {
		alias = c.Source
	}
	for _, d := range s.derivedTypes(sel, alias) {
		if strings.EqualFold(d.name, name) {
			d.typ.notNull = d.typ.notNull && !outer[strings.ToLower(alias)] && (alias != "" || len(outer) == 0)
			return d.typ
		}
	}
	names := aliases(sel.From)
	for a, real := range names {
		if alias != "" && !strings.EqualFold(a, alias) {
			continue
		}
		table := s.sql.tableNamed(real)
		if table == nil {
			continue
		}
		m := metaOf(table.Def)
		if at := m.columns.IndexOfColName(name); at >= 0 {
			return m.columnType(m.columns[at], outer[a])
		}
	}
	return engineType(c.Type, false)
}

// columnType is the type of a table's column, with its default, but not as a key, a counter or generated.
func (m *tableMeta) columnType(c *sql.Column, outer bool) selectType {
	t := engineType(c.Type, !c.Nullable && !outer)
	text, collation := shownType(c)
	if collation != "" {
		text += collationClause(collation)
	}
	t.isColumn, t.text = true, text
	if c.Default != nil && c.Generated == nil {
		t.defaults = " default " + m.defaultText(c)
	}
	if c.OnUpdate != nil {
		t.defaults += " on update " + unwrapped(defaultExpr(c.OnUpdate))
	}
	if c.AutoIncrement {
		t.defaults = " default '0'"
	}
	if c.Comment != "" {
		t.defaults += " comment " + quoteText(c.Comment)
	}
	return t
}

// engineType is the type of a column of the engine's.
func engineType(typ sql.Type, notNull bool) selectType {
	t := selectType{notNull: notNull}
	switch typ := typ.(type) {
	case sql.EnumType:
		text, collation := columnTypeText(typ)
		t.text = text + collationClause(collation)
		for _, member := range typ.Values() {
			t.length = max(t.length, utf8.RuneCountInString(member))
		}
	case sql.SetType:
		text, collation := columnTypeText(typ)
		t.text, t.length = text+collationClause(collation), utf8.RuneCountInString(strings.Join(typ.Values(), ","))
	case sql.NumberType:
		if typ.IsFloat() {
			t.kind = kindDouble
			break
		}
		t.kind, t.unsigned = kindInt, strings.Contains(strings.ToLower(typ.String()), "unsigned")
		t.length = intChars(typ)
	case sql.DecimalType:
		t.kind, t.length, t.scale = kindDecimal, int(typ.Precision()), int(typ.Scale())
	case sql.StringType:
		t.kind, t.length = kindText, int(typ.MaxCharacterLength())
		if types.IsTextBlob(typ) || typ.MaxByteLength() > 65535 {
			t.length = int(typ.MaxByteLength()/4) + 1
		}
		if t.collation = typ.Collation().Name(); typ.Collation() == sql.Collation_binary {
			t.kind, t.collation, t.length = kindBytes, "", int(typ.MaxByteLength())
		}
	default:
		switch {
		case typ == types.Null:
			t.kind = kindNull
		case types.IsTime(typ), types.IsTimespan(typ), types.IsYear(typ), types.IsJSON(typ), types.IsGeometry(typ), types.IsBit(typ):
			t.text, _ = columnTypeText(typ)
		default: // of a system variable
			t.kind, t.length = kindText, mediumTextMax+1
			if sqltypes.IsIntegral(querypb.Type(typ.Type())) {
				t.kind, t.length = kindInt, bigintChars
			}
		}
	}
	return t
}

// intChars is how many characters the values of an integer type take, a sign included.
func intChars(t sql.NumberType) int {
	switch t {
	case types.Boolean:
		return 1
	case types.Int8:
		return 4
	case types.Uint8:
		return 3
	case types.Int16:
		return 6
	case types.Uint16:
		return 5
	case types.Int24:
		return 9
	case types.Uint24:
		return 8
	case types.Int32:
		return 11
	case types.Uint32:
		return 10
	}
	return 20
}

// outerTables returns the aliases of tables that a join may give NULLs for.
func outerTables(from []sqlparser.TableExpr) map[string]bool {
	outer := make(map[string]bool)
	add := func(e sqlparser.TableExpr) {
		for a := range aliases([]sqlparser.TableExpr{e}) {
			outer[a] = true
		}
	}
	for _, t := range from {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			if join, ok := node.(*sqlparser.JoinTableExpr); ok {
				switch join.Join {
				case sqlparser.LeftJoinType, sqlparser.NaturalLeftJoinType:
					add(join.RightExpr)
				case sqlparser.RightJoinType, sqlparser.NaturalRightJoinType:
					add(join.LeftExpr)
				}
			}
			_, isSubquery := node.(*sqlparser.DerivedTable)
			return !isSubquery, nil
		}, t)
	}
	return outer
}

// unionType is the type that holds the values of both sides.
func unionType(a, b selectType) selectType {
	notNull := a.notNull && b.notNull
	switch {
	case a.kind == kindNull:
		a, b = b, a
		fallthrough
	case b.kind == kindNull:
		if a.isColumn {
			a.defaults = ""
		}
	case a.isColumn && b.isColumn && a.text == b.text:
		a.defaults = b.defaults
	default:
		a = mergedType(a, b)
	}
	a.notNull = notNull
	return a
}

// mergedType is the type of a choice between values of two types.
func mergedType(a, b selectType) selectType {
	out := selectType{notNull: a.notNull && b.notNull}
	switch {
	case a.kind == kindNull, b.kind == kindNull:
		if a.kind == kindNull {
			a = b
		}
		a.isColumn, a.defaults, a.notNull = a.isColumn && a.kind == kindOther, "", false
		return a
	case a.kind == kindOther && b.kind == kindOther && a.text == b.text:
		out.text = a.text
		return out
	case a.kind == kindInt && b.kind == kindInt:
		out.kind, out.unsigned, out.length = kindInt, a.unsigned && b.unsigned, max(a.length, b.length)
		if a.unsigned != b.unsigned {
			out.length++
		}
		return out
	case a.isNumber() && b.isNumber():
		if a.kind == kindDouble || b.kind == kindDouble {
			out.kind = kindDouble
			return out
		}
		out.kind, out.scale = kindDecimal, max(a.scale, b.scale)
		out.length = max(a.digits()-a.scale, b.digits()-b.scale) + out.scale
		return out
	}
	out.kind, out.length = kindText, max(a.chars(), b.chars())
	if out.collation = a.collation; out.collation == "" {
		out.collation = b.collation
	}
	if a.kind == kindBytes || b.kind == kindBytes {
		out.kind, out.collation = kindBytes, ""
	}
	return out
}

func (t selectType) isNumber() bool {
	return t.kind == kindInt || t.kind == kindDecimal || t.kind == kindDouble
}

// digits is the precision of a number.
func (t selectType) digits() int {
	if t.kind == kindInt && !t.unsigned && t.length > 1 && t.length < 20 {
		return t.length - 1
	} else if t.kind == kindInt && t.length >= 20 && !t.unsigned {
		return 19
	}
	return t.length
}

// chars is how many characters the text of a value takes.
func (t selectType) chars() int {
	switch t.kind {
	case kindDecimal:
		n := t.length
		if t.scale > 0 {
			n++
		}
		return n + 1
	case kindDouble:
		return 22
	case kindOther:
		if t.length == 0 {
			return timeChars(t.text)
		}
	}
	return t.length
}

// timeChars is how many characters a date or time takes; of others it is what any may.
func timeChars(text string) int {
	digits := 0
	if _, err := fmt.Sscanf(text[strings.IndexByte(text+"(", '('):], "(%d)", &digits); err == nil && digits > 0 {
		digits++
	}
	switch {
	case strings.HasPrefix(text, "datetime"), strings.HasPrefix(text, "timestamp"):
		return 19 + digits
	case strings.HasPrefix(text, "date"):
		return 10
	case strings.HasPrefix(text, "time"):
		return 10 + digits
	case strings.HasPrefix(text, "year"):
		return 4
	}
	return mediumTextMax + 1
}
