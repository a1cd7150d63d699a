package explain

import (
	"fmt"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/vindexes"
)

// table is one of the schema: its columns in order, in lower case, and its keys.
type table struct {
	columns []column
	keys    vindexes.TableSchema
}

type column struct {
	name string
	typ  querypb.Type
}

// readTables reads CREATE TABLE statements; others are passed over.
func readTables(parser *sqlparser.Parser, schema string) (map[string]*table, error) {
	pieces, err := parser.SplitStatementToPieces(schema)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	tables := map[string]*table{}
	for _, piece := range pieces {
		bare, _ := sqlparser.SplitMarginComments(piece)
		if bare == "" {
			continue
		}
		stmt, err := parser.ParseStrictDDL(bare)
		if err != nil {
			return nil, fmt.Errorf("schema: %q: %w", firstLine(bare), err)
		}
		create, ok := stmt.(*sqlparser.CreateTable)
		if !ok {
			continue
		}
		made := &table{}
		switch {
		case create.OptLike != nil:
			like := create.OptLike.LikeTable.Name.String()
			if tables[like] == nil {
				return nil, fmt.Errorf("schema: %q: there is no table %s before it", firstLine(bare), like)
			}
			made.columns = tables[like].columns
		case create.TableSpec != nil:
			for _, col := range create.TableSpec.Columns {
				made.columns = append(made.columns, column{strings.ToLower(col.Name.String()), col.Type.SQLType()})
			}
		}
		made.keys = vindexes.NewTableSchema(create)
		made.keys.Columns = nil
		tables[create.Table.Name.String()] = made
	}
	return tables, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// scope are the tables of one SELECT by the names they have there, in the order of FROM. ctes are the common table expressions
// that it may name.
type scope struct {
	names  []string
	tables map[string]*table
	ctes   map[string]*table
}

func (x *Explainer) scopeOf(sel *sqlparser.Select, ctes map[string]*table) (*scope, error) {
	s := &scope{tables: map[string]*table{}, ctes: ctes}
	for _, from := range sel.From {
		if err := x.addTables(s, from); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (x *Explainer) addTables(s *scope, expr sqlparser.TableExpr) error {
	switch expr := expr.(type) {
	case *sqlparser.JoinTableExpr:
		if err := x.addTables(s, expr.LeftExpr); err != nil {
			return err
		}
		return x.addTables(s, expr.RightExpr)
	case *sqlparser.ParenTableExpr:
		for _, inner := range expr.Exprs {
			if err := x.addTables(s, inner); err != nil {
				return err
			}
		}
	case *sqlparser.AliasedTableExpr:
		name := sqlparser.GetTableName(expr.Expr).String()
		found, ok := s.ctes[name]
		if !ok {
			found, ok = x.tables[name]
		}
		if qualified, isName := expr.Expr.(sqlparser.TableName); isName && sqlparser.SystemSchema(qualified.Qualifier.String()) {
			found, ok = &table{}, true
		}
		if !ok && name != "" && name != "dual" {
			return fmt.Errorf("unable to resolve table name %s: the schema does not create it", name)
		}
		if found == nil {
			found = &table{}
		}
		if !expr.As.IsEmpty() {
			name = expr.As.String()
		}
		s.names = append(s.names, name)
		s.tables[name] = found
	}
	return nil
}

// ctesOf are the common table expressions of a query, with the columns of their first SELECT.
func (x *Explainer) ctesOf(query sqlparser.TableStatement) (map[string]*table, error) {
	with := query.GetWith()
	if with == nil {
		return nil, nil
	}
	ctes := map[string]*table{}
	for _, cte := range with.CTEs {
		sel, err := sqlparser.GetFirstSelect(cte.Subquery)
		if err != nil {
			return nil, err
		}
		s, err := x.scopeOf(sel, ctes)
		if err != nil {
			return nil, err
		}
		made := &table{columns: s.outputs(sel)}
		for i, name := range cte.Columns {
			if i < len(made.columns) {
				made.columns[i].name = name.Lowered()
			}
		}
		ctes[cte.ID.String()] = made
	}
	return ctes, nil
}

// columnType is the type of a column, NULL_TYPE for one that no table has.
func (s *scope) columnType(col *sqlparser.ColName) querypb.Type {
	name := strings.ToLower(col.Name.String())
	for _, tableName := range s.names {
		if qualifier := col.Qualifier.Name.String(); qualifier != "" && qualifier != tableName {
			continue
		}
		for _, c := range s.tables[tableName].columns {
			if c.name == name {
				return c.typ
			}
		}
	}
	return sqltypes.Null
}

// weightString is the type of WEIGHT_STRING(), which must compare as bytes.
const weightString = sqltypes.VarBinary

// outputs are the columns a SELECT returns. Functions are taken for integers.
func (s *scope) outputs(sel *sqlparser.Select) []column {
	var out []column
	for _, expr := range sel.GetColumns() {
		switch expr := expr.(type) {
		case *sqlparser.StarExpr:
			for _, name := range s.names {
				if wanted := expr.TableName.Name.String(); wanted == "" || wanted == name {
					out = append(out, s.tables[name].columns...)
				}
			}
		case *sqlparser.AliasedExpr:
			out = append(out, s.output(expr.Expr))
		}
	}
	return out
}

func (s *scope) output(expr sqlparser.Expr) column {
	out := column{name: sqlparser.String(expr), typ: sqltypes.VarChar}
	switch expr := expr.(type) {
	case *sqlparser.ColName:
		return column{strings.ToLower(expr.Name.String()), s.columnType(expr)}
	case *sqlparser.CaseExpr:
		return s.output(expr.Whens[0].Val)
	case *sqlparser.WeightStringFuncExpr:
		out.typ = weightString
	case sqlparser.Callable, *sqlparser.BinaryExpr, *sqlparser.UnaryExpr:
		out.typ = sqltypes.Int32
	case *sqlparser.ComparisonExpr, *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.NotExpr, *sqlparser.IsExpr, *sqlparser.BetweenExpr:
		out.typ = sqltypes.Int64
	case *sqlparser.NullVal:
		out.typ = sqltypes.Null
	case *sqlparser.Literal:
		switch expr.Type {
		case sqlparser.IntVal, sqlparser.HexNum, sqlparser.HexVal, sqlparser.BitNum:
			out.typ = sqltypes.Int32
		case sqlparser.FloatVal:
			out.typ = sqltypes.Float64
		case sqlparser.DecimalVal:
			out.typ = sqltypes.Decimal
		}
	}
	return out
}

// madeUp is one row of a query's first SELECT. A column that WHERE compares with a list has the list's first value; else integers are the column's
// number, floats too, and all others a text of the column's name and number.
func (x *Explainer) madeUp(query sqlparser.TableStatement) (*sqltypes.Result, error) {
	sel, err := sqlparser.GetFirstSelect(query)
	if err != nil {
		return nil, err
	}
	ctes, err := x.ctesOf(query)
	if err != nil {
		return nil, err
	}
	s, err := x.scopeOf(sel, ctes)
	if err != nil {
		return nil, err
	}
	listed, first := firstOfList(sel)
	result := &sqltypes.Result{}
	var row sqltypes.Row
	for i, col := range s.outputs(sel) {
		collation := collations.CollationForType(col.typ, x.env.CollationEnv().DefaultConnectionCharset())
		result.Fields = append(result.Fields, &querypb.Field{
			Name: col.name, Type: col.typ, Charset: uint32(collation),
		})
		switch {
		case first != nil && col.name == listed:
			row = append(row, sqltypes.MakeTrusted(sqltypes.VarBinary, first))
		case col.typ == weightString:
			row = append(row, sqltypes.MakeTrusted(sqltypes.VarBinary, fmt.Appendf(nil, "%s_val_%d", col.name, i+1)))
		case sqltypes.IsIntegral(col.typ):
			row = append(row, sqltypes.NewInt32(int32(i+1)))
		case sqltypes.IsFloat(col.typ):
			row = append(row, sqltypes.NewFloat64(1+float64(i)))
		default:
			row = append(row, sqltypes.NewVarChar(fmt.Sprintf("%s_val_%d", col.name, i+1)))
		}
	}
	if len(result.Fields) > 0 {
		result.Rows = []sqltypes.Row{row}
	}
	return result, nil
}

// firstOfList is the column and the first literal of `WHERE column IN (...)`, if that is all of WHERE.
func firstOfList(sel *sqlparser.Select) (column string, value []byte) {
	if sel.Where == nil {
		return "", nil
	}
	in, ok := sel.Where.Expr.(*sqlparser.ComparisonExpr)
	if !ok || in.Operator != sqlparser.InOp {
		return "", nil
	}
	col, isColumn := in.Left.(*sqlparser.ColName)
	list, isList := in.Right.(sqlparser.ValTuple)
	if !isColumn || !isList {
		return "", nil
	}
	for _, expr := range list {
		if literal, ok := expr.(*sqlparser.Literal); ok {
			return strings.ToLower(col.Name.String()), literal.Bytes()
		}
	}
	return "", nil
}

func textFields(names ...string) []*querypb.Field {
	fields := make([]*querypb.Field, len(names))
	for i, name := range names {
		fields[i] = &querypb.Field{Name: name, Type: sqltypes.VarChar, Charset: uint32(collations.SystemCollation.Collation)}
	}
	return fields
}
