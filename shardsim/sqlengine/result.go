package sqlengine

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
)

// shape is how the rows of a result look: its fields and how their values are converted.
type shape struct {
	fields     []*querypb.Field
	converters []converter
}

// shape describes the result of a plan. Names and origins come from the statement, as the engine loses them for aliases.
func (s *Session) shape(st *statement, binds map[string]*querypb.BindVariable, schema sql.Schema) *shape {
	sh := &shape{fields: make([]*querypb.Field, len(schema)), converters: make([]converter, len(schema))}
	named := namesOf(st.ast, binds, len(schema))
	_, isSelect := st.ast.(*sqlparser.Select)
	for i, col := range schema {
		conv := newConverter(col.Type)
		// What is a column has its type, also under an alias.
		isExpression := col.Source == ""
		if isSelect && named != nil {
			isExpression = named[i].col == ""
		}
		if isExpression {
			conv.wire = expressionType(col.Type, conv.wire)
			// The engine says 0 or 6 digits where it does not know.
			if t, ok := col.Type.(sql.DatetimeType); ok && (t.Precision() == 0 || t.Precision() == 6) {
				conv.scale = anyFraction
			}
		}
		f := &querypb.Field{Name: col.Name, Type: conv.wire}
		if named != nil {
			f.Name = named[i].name
		}
		describeType(f, col.Type)
		if !col.Nullable && col.Source != "" {
			f.Flags |= uint32(querypb.MySqlFlag_NOT_NULL_FLAG)
		}
		if origin := s.describeOrigin(f, st, col, named, i); origin != nil {
			conv.shape = shapeOf(origin)
			describeShape(f, origin.Type, conv.shape)
		}
		sh.fields[i], sh.converters[i] = f, conv
	}
	return sh
}

// namedColumn is what a select list says about a column.
type namedColumn struct {
	name  string
	table string // qualifier of a plain column, may be empty
	col   string // name of a plain column, empty for expressions
}

// namesOf returns the select list's names, or nil if it has stars and the engine's names must do.
func namesOf(ast sqlparser.Statement, binds map[string]*querypb.BindVariable, n int) []namedColumn {
	ts, ok := ast.(sqlparser.TableStatement)
	if !ok {
		return nil
	}
	sel, err := sqlparser.GetFirstSelect(ts)
	if err != nil || sel == nil || sel.SelectExprs == nil || len(sel.SelectExprs.Exprs) != n {
		return nil
	}
	named := make([]namedColumn, n)
	for i, e := range sel.SelectExprs.Exprs {
		a, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			return nil
		}
		col, plain := a.Expr.(*sqlparser.ColName)
		if plain {
			named[i] = namedColumn{name: col.Name.String(), table: col.Qualifier.Name.String(), col: col.Name.String()}
		} else {
			named[i].name = expressionName(a.Expr, binds)
		}
		if a.As.NotEmpty() {
			named[i].name = a.As.String()
		}
	}
	return named
}

// expressionName is the name of a column without alias: its text, with values for bind variables.
func expressionName(e sqlparser.Expr, binds map[string]*querypb.BindVariable) string {
	if lit, ok := e.(*sqlparser.Literal); ok && lit.Type == sqlparser.StrVal {
		return lit.Val
	}
	buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, node sqlparser.SQLNode) {
		arg, ok := node.(*sqlparser.Argument)
		if !ok {
			node.Format(buf)
			return
		}
		bv := binds[arg.Name]
		if bv == nil {
			node.Format(buf)
			return
		}
		if v := sqltypes.MakeTrusted(bv.Type, bv.Value); v.IsQuoted() && node == sqlparser.SQLNode(e) {
			buf.WriteString(v.ToString())
		} else {
			v.EncodeSQLStringBuilder(buf.Builder)
		}
	})
	buf.Myprintf("%v", e)
	return buf.String()
}

// describeOrigin fills in where a column comes from, and returns that column, nil if it is none of a table.
func (s *Session) describeOrigin(f *querypb.Field, st *statement, col *sql.Column, named []namedColumn, i int) *sql.Column {
	sel, ok := st.ast.(*sqlparser.Select)
	if !ok {
		return nil
	}
	alias, name := col.Source, col.Name
	if named != nil {
		if named[i].col == "" {
			return nil
		}
		name = named[i].col
		if named[i].table != "" {
			alias = named[i].table
		}
	}
	names := aliases(sel.From)
	if alias == "" && len(names) == 1 {
		for a := range names {
			alias = a
		}
	}
	real, ok := names[strings.ToLower(alias)]
	if !ok {
		return nil
	}
	f.Table, f.OrgTable, f.Database = alias, real, s.shard.keyspace
	t := s.sql.tableNamed(real)
	if t == nil {
		return nil
	}
	m := metaOf(t.Def)
	f.OrgTable = m.name
	if strings.EqualFold(alias, real) {
		f.Table = m.name
	}
	at := m.columns.IndexOfColName(name)
	if at < 0 {
		return nil
	}
	f.OrgName = m.columns[at].Name
	f.Flags |= m.keyFlags(at)
	if !m.columns[at].Nullable {
		f.Flags |= uint32(querypb.MySqlFlag_NOT_NULL_FLAG)
		if m.columns[at].Default == nil && !m.columns[at].AutoIncrement {
			f.Flags |= uint32(querypb.MySqlFlag_NO_DEFAULT_VALUE_FLAG)
		}
	}
	if m.columns[at].AutoIncrement {
		f.Flags |= uint32(querypb.MySqlFlag_AUTO_INCREMENT_FLAG)
	}
	return m.columns[at]
}

// keyFlags returns the flags of a column that is part of keys.
func (m *tableMeta) keyFlags(at int) uint32 {
	var flags querypb.MySqlFlag
	for _, pk := range m.pk {
		if pk == at {
			flags |= querypb.MySqlFlag_PRI_KEY_FLAG | querypb.MySqlFlag_PART_KEY_FLAG
		}
	}
	for i := range m.indexes {
		idx := &m.indexes[i]
		for n, c := range idx.columns {
			if !strings.EqualFold(c, m.columns[at].Name) {
				continue
			}
			flags |= querypb.MySqlFlag_PART_KEY_FLAG
			switch {
			case idx.unique && len(idx.columns) == 1:
				flags |= querypb.MySqlFlag_UNIQUE_KEY_FLAG
			case n == 0:
				flags |= querypb.MySqlFlag_MULTIPLE_KEY_FLAG
			}
		}
	}
	return uint32(flags)
}

func newConverter(t sql.Type) converter {
	c := converter{typ: t, wire: querypb.Type(t.Type())}
	switch t := t.(type) {
	case sql.DecimalType:
		c.scale = int32(t.Scale())
		if t.Precision() == decimalDigitsMax && t.Scale() == decimalScaleMax {
			c.scale = -1
		}
	case sql.DatetimeType:
		c.scale = int32(t.Precision())
	case preciseTime:
		c.scale = t.digits
	}
	return c
}

// expressionType is the type MySQL gives an expression where the engine's differs: its strings are TEXT, its truth
// values TINYINT.
func expressionType(t sql.Type, wire querypb.Type) querypb.Type {
	switch {
	case wire == querypb.Type_TEXT:
		return querypb.Type_VARCHAR
	case wire == querypb.Type_BLOB:
		return querypb.Type_VARBINARY
	case t == types.Boolean, wire == querypb.Type_INT8, wire == querypb.Type_INT16:
		return querypb.Type_INT64
	}
	return wire
}

// Charset numbers of result columns: what is not text is binary, and text comes in the connection's collation.
const (
	charsetBinary = 63
	charsetText   = 255 // utf8mb4_0900_ai_ci
)

const decimalsFloat = 31 // "not fixed"

// describeType fills in charset, length, decimals and flags from a type.
func describeType(f *querypb.Field, t sql.Type) {
	f.Charset = charsetBinary
	num := uint32(querypb.MySqlFlag_NUM_FLAG)
	binary := uint32(querypb.MySqlFlag_BINARY_FLAG)
	switch t := t.(type) {
	case sql.DecimalType:
		f.Decimals = uint32(t.Scale())
		f.ColumnLength = uint32(t.Precision()) + 1
		if t.Scale() > 0 {
			f.ColumnLength++
		}
		f.Flags |= num | binary
	case sql.NumberType:
		describeNumber(f)
	case sql.EnumType:
		f.Charset = charsetText
		f.ColumnLength = 4 * longest(t.Values())
		f.Flags |= uint32(querypb.MySqlFlag_ENUM_FLAG)
	case sql.SetType:
		f.Charset = charsetText
		f.ColumnLength = 4 * uint32(len(strings.Join(t.Values(), ",")))
		f.Flags |= uint32(querypb.MySqlFlag_SET_FLAG)
	case sql.StringType:
		describeString(f, t)
	case sql.DatetimeType:
		f.ColumnLength = 19
		if types.IsDateType(t) {
			f.ColumnLength = 10
		} else if p := uint32(t.Precision()); p > 0 {
			f.ColumnLength += p + 1
			f.Decimals = p
		}
		f.Flags |= binary
	case types.TimeType:
		f.ColumnLength = 10
		if n := uint32(timeDigits(t)); n > 0 {
			f.ColumnLength, f.Decimals = 11+n, n
		}
		f.Flags |= binary
	case types.YearType_:
		f.ColumnLength = 4
		f.Flags |= num | uint32(querypb.MySqlFlag_UNSIGNED_FLAG) | uint32(querypb.MySqlFlag_ZEROFILL_FLAG)
	case types.BitType:
		f.ColumnLength = uint32(t.NumberOfBits())
		f.Flags |= uint32(querypb.MySqlFlag_UNSIGNED_FLAG)
	default:
		f.Flags |= binary
		if f.Type == querypb.Type_JSON || f.Type == querypb.Type_GEOMETRY {
			f.ColumnLength = 1<<32 - 1
			f.Flags |= uint32(querypb.MySqlFlag_BLOB_FLAG)
		}
	}
}

func describeNumber(f *querypb.Field) {
	f.Flags |= uint32(querypb.MySqlFlag_NUM_FLAG) | uint32(querypb.MySqlFlag_BINARY_FLAG)
	if sqltypes.IsUnsigned(f.Type) {
		f.Flags |= uint32(querypb.MySqlFlag_UNSIGNED_FLAG)
	}
	switch f.Type {
	case querypb.Type_INT8:
		f.ColumnLength = 4
	case querypb.Type_UINT8:
		f.ColumnLength = 3
	case querypb.Type_INT16:
		f.ColumnLength = 6
	case querypb.Type_UINT16:
		f.ColumnLength = 5
	case querypb.Type_INT24:
		f.ColumnLength = 9
	case querypb.Type_UINT24:
		f.ColumnLength = 8
	case querypb.Type_INT32:
		f.ColumnLength = 11
	case querypb.Type_UINT32:
		f.ColumnLength = 10
	case querypb.Type_FLOAT32:
		f.ColumnLength, f.Decimals = 12, decimalsFloat
	case querypb.Type_FLOAT64:
		f.ColumnLength, f.Decimals = 22, decimalsFloat
	default:
		f.ColumnLength = 20
	}
}

// describeShape fills in what a column's shape says.
func describeShape(f *querypb.Field, typ sql.Type, shape *numberShape) {
	if shape == nil {
		return
	}
	if shape.unsigned {
		f.Flags |= uint32(querypb.MySqlFlag_UNSIGNED_FLAG)
	}
	if shape.zerofill {
		f.Flags |= uint32(querypb.MySqlFlag_ZEROFILL_FLAG)
		f.ColumnLength = uint32(shape.width)
	}
	if shape.scale != notFixed {
		f.ColumnLength, f.Decimals = uint32(shape.digits), uint32(shape.scale)
	}
	if _, isDecimal := typ.(sql.DecimalType); isDecimal && shape.unsigned && !shape.zerofill {
		f.ColumnLength-- // no sign
	}
}

func describeString(f *querypb.Field, t sql.StringType) {
	blob := f.Type == querypb.Type_TEXT || f.Type == querypb.Type_BLOB
	if blob {
		f.Flags |= uint32(querypb.MySqlFlag_BLOB_FLAG)
	}
	if t.Collation() == sql.Collation_binary {
		f.Flags |= uint32(querypb.MySqlFlag_BINARY_FLAG)
		f.ColumnLength = uint32(min(t.MaxByteLength(), 1<<32-1))
		return
	}
	f.Charset = charsetText
	f.ColumnLength = uint32(min(t.Length()*4, 1<<32-1))
	if blob {
		f.ColumnLength = uint32(min(t.MaxByteLength(), 1<<32-1))
	}
}

func longest(values []string) uint32 {
	n := 0
	for _, v := range values {
		n = max(n, len([]rune(v)))
	}
	return uint32(n)
}

// okResult is the result of a statement without rows.
func (s *Session) okResult(st *statement, ok types.OkResult) *sqltypes.Result {
	res := &sqltypes.Result{RowsAffected: ok.RowsAffected}
	if isDDL(st.ast) {
		return &sqltypes.Result{}
	}
	if info, isUpdate := ok.Info.(plan.UpdateInfo); isUpdate {
		res.Info = fmt.Sprintf("Rows matched: %d  Changed: %d  Warnings: %d", info.Matched, info.Updated, len(s.sql.warnings))
	}
	res.InsertID, res.InsertIDChanged = s.sql.insertID()
	if ins, isInsert := st.ast.(*sqlparser.Insert); isInsert {
		if ins.Action == sqlparser.ReplaceAct {
			res.RowsAffected = uint64(s.sql.writtenRows + s.sql.deletedRows)
		}
		if res.InsertID == 0 {
			res.InsertID = s.sql.givenAuto
		}
		if rows, isValues := ins.Rows.(sqlparser.Values); !isValues || len(rows) > 1 {
			res.Info = s.recordsInfo(ins)
		}
	}
	return res
}

// recordsInfo is the text of an INSERT's OK packet.
func (s *Session) recordsInfo(ins *sqlparser.Insert) string {
	q := s.sql
	records, duplicates := q.writtenRows+q.metRows, q.changedRows
	switch {
	case ins.Action == sqlparser.ReplaceAct:
		duplicates = q.deletedRows
	case bool(ins.Ignore):
		records = max(records, q.givenRow)
		duplicates = records - q.writtenRows
	}
	return fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", records, duplicates, len(q.warnings))
}
