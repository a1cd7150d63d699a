package sqlengine

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"
)

// typer finds the types of expressions by those of the columns and subqueries in them.
type typer struct {
	leaves map[string]selectType // by their text
	outer  map[string]bool       // aliases of tables that joins give NULLs for
}

func intType(chars int, notNull bool) selectType {
	return selectType{kind: kindInt, length: chars, notNull: notNull}
}

func textType(chars int, notNull bool, collation string) selectType {
	return selectType{kind: kindText, length: chars, notNull: notNull, collation: collation}
}

func otherType(text string, notNull bool) selectType {
	return selectType{text: text, notNull: notNull}
}

// bigintChars is how many characters a BIGINT takes.
const bigintChars = 21

// typeOf is the type of an expression; found is what the engine takes it for, which is all that is known of many functions.
func (t *typer) typeOf(e sqlparser.Expr, found sql.Type) selectType {
	if typ, known := t.of(e); known {
		return typ
	}
	typ := engineType(found, false)
	if typ.kind == kindText && typ.length >= varcharMax {
		typ.collation, typ.length = "", mediumTextMax+1
	}
	return typ
}

// of is the type of an expression, as far as it is known without the engine.
func (t *typer) of(e sqlparser.Expr) (selectType, bool) {
	switch e := e.(type) {
	case *sqlparser.ColName, *sqlparser.Subquery:
		typ, ok := t.leaves[sqlparser.String(e)]
		if _, isQuery := e.(*sqlparser.Subquery); isQuery {
			typ.notNull = false
		}
		return typ, ok
	case *sqlparser.Literal:
		return literalType(e)
	case sqlparser.BoolVal:
		return intType(1, true), true
	case *sqlparser.NullVal:
		return selectType{kind: kindNull}, true
	case *sqlparser.IntroducerExpr:
		typ, ok := t.of(e.Expr)
		if e.CharacterSet == "_binary" {
			return selectType{kind: kindBytes, length: typ.length * 4, notNull: true}, ok
		}
		if id, err := sql.ParseCollation(strings.TrimPrefix(e.CharacterSet, "_"), "", false); err == nil {
			typ.collation = id.Name()
		}
		return typ, ok
	case *sqlparser.CollateExpr:
		typ, ok := t.of(e.Expr)
		typ = expressionOf(typ)
		typ.collation = e.Collation
		return typ, ok
	case *sqlparser.BinaryExpr:
		return t.arithmetic(e)
	case *sqlparser.UnaryExpr:
		return t.unary(e)
	case *sqlparser.ComparisonExpr:
		return intType(1, e.Operator == sqlparser.NullSafeEqualOp || t.notNull(e.Left, e.Right)), true
	case *sqlparser.BetweenExpr:
		return intType(1, t.notNull(e.Left, e.From, e.To)), true
	case *sqlparser.AndExpr:
		return intType(1, t.notNull(e.Left, e.Right)), true
	case *sqlparser.OrExpr:
		return intType(1, t.notNull(e.Left, e.Right)), true
	case *sqlparser.XorExpr:
		return intType(1, t.notNull(e.Left, e.Right)), true
	case *sqlparser.NotExpr:
		return intType(1, t.notNull(e.Expr)), true
	case *sqlparser.IsExpr, *sqlparser.ExistsExpr:
		return intType(1, true), true
	case *sqlparser.CaseExpr:
		return t.caseType(e)
	case *sqlparser.CastExpr:
		return t.cast(e.Expr, e.Type)
	case *sqlparser.ConvertExpr:
		return t.cast(e.Expr, e.Type)
	case *sqlparser.ConvertUsingExpr:
		typ, ok := t.of(e.Expr)
		collation := ""
		if id, err := sql.ParseCollation(e.Type, "", false); err == nil {
			collation = id.Name()
		}
		return textType(typ.chars(), typ.notNull, collation), ok
	case *sqlparser.SubstrExpr:
		return t.substring(e)
	case *sqlparser.TrimFuncExpr:
		return t.textLike(e.StringArg)
	case *sqlparser.CurTimeFuncExpr:
		return clockType(e), true
	case *sqlparser.IntervalDateExpr:
		return t.dateSum(e)
	case *sqlparser.TimestampDiffExpr:
		return intType(bigintChars, false), true
	case *sqlparser.ExtractFuncExpr:
		unit := strings.ToLower(e.IntervalType.ToString())
		if strings.HasSuffix(unit, "_microsecond") {
			return intType(bigintChars, false), true
		}
		return intType(integerCharsMax, false), true
	case *sqlparser.LocateExpr:
		return intType(integerCharsMax, t.notNull(e.SubStr, e.Str)), true
	case *sqlparser.FuncExpr:
		return t.function(e)
	case *sqlparser.ArgumentLessWindowExpr:
		if e.Type == sqlparser.CumeDistExprType || e.Type == sqlparser.PercentRankExprType {
			return selectType{kind: kindDouble, notNull: true}, true
		}
		return selectType{kind: kindInt, length: bigintChars, unsigned: true, notNull: true}, true
	case *sqlparser.FirstOrLastValueExpr:
		return t.nullable(e.Expr)
	case *sqlparser.LagLeadExpr:
		return t.nullable(e.Expr)
	case *sqlparser.NTHValueExpr:
		return t.nullable(e.Expr)
	case *sqlparser.NtileExpr:
		return selectType{kind: kindInt, length: bigintChars, unsigned: true}, true
	case *sqlparser.JSONExtractExpr, *sqlparser.JSONObjectExpr, *sqlparser.JSONArrayExpr, *sqlparser.JSONKeysExpr, *sqlparser.JSONValueModifierExpr, *sqlparser.JSONRemoveExpr:
		return otherType("json", false), true
	case sqlparser.AggrFunc:
		return t.aggregate(e)
	}
	return selectType{}, false
}

// notNull reports whether no argument can be NULL.
func (t *typer) notNull(args ...sqlparser.Expr) bool {
	for _, a := range args {
		if tuple, ok := a.(sqlparser.ValTuple); ok {
			if !t.notNull(tuple...) {
				return false
			}
			continue
		}
		if typ, known := t.of(a); !known || !typ.notNull {
			return false
		}
	}
	return true
}

// expressionOf is the type of what is made of a column: it has no default or comment.
func expressionOf(t selectType) selectType {
	if t.isColumn && t.kind != kindOther {
		t.text = ""
	}
	t.isColumn, t.defaults = false, ""
	return t
}

func literalType(lit *sqlparser.Literal) (selectType, bool) {
	switch lit.Type {
	case sqlparser.IntVal:
		_, err := strconv.ParseInt(lit.Val, 10, 64)
		return selectType{kind: kindInt, length: len(lit.Val) + len(lit.Val)/10*2, unsigned: err != nil, notNull: true}, true
	case sqlparser.DecimalVal:
		whole, fraction, _ := strings.Cut(strings.TrimLeft(lit.Val, "-0"), ".")
		return selectType{kind: kindDecimal, length: max(1, len(whole)+len(fraction)), scale: len(fraction), notNull: true}, true
	case sqlparser.FloatVal:
		return selectType{kind: kindDouble, notNull: true}, true
	case sqlparser.StrVal:
		return textType(utf8.RuneCountInString(lit.Val), true, ""), true
	case sqlparser.HexVal:
		return selectType{kind: kindBytes, length: len(lit.Val) / 2, notNull: true}, true
	case sqlparser.HexNum:
		return selectType{kind: kindBytes, length: (len(lit.Val) - 1) / 2, notNull: true}, true
	case sqlparser.BitNum:
		return selectType{kind: kindBytes, length: (len(strings.TrimPrefix(lit.Val, "0b")) + 7) / 8, notNull: true}, true
	case sqlparser.DateVal:
		return otherType("date", true), true
	case sqlparser.TimeVal:
		return otherType("time"+secondDigits(lit.Val), true), true
	case sqlparser.TimestampVal:
		return otherType("datetime"+secondDigits(lit.Val), true), true
	}
	return selectType{}, false
}

// secondDigits is how many digits of a second a text has, in brackets, "" for none.
func secondDigits(text string) string {
	_, digits, _ := strings.Cut(text, ".")
	if digits == "" {
		return ""
	}
	return fmt.Sprintf("(%d)", min(len(digits), 6))
}

// arithmetic is the type of a sum, product or another operation of numbers.
func (t *typer) arithmetic(e *sqlparser.BinaryExpr) (selectType, bool) {
	a, okA := t.of(e.Left)
	b, okB := t.of(e.Right)
	notNull := a.notNull && b.notNull
	switch e.Operator {
	case sqlparser.BitAndOp, sqlparser.BitOrOp, sqlparser.BitXorOp, sqlparser.ShiftLeftOp, sqlparser.ShiftRightOp:
		return selectType{kind: kindInt, length: bigintChars, unsigned: true, notNull: notNull}, okA && okB
	}
	if !okA || !okB {
		return selectType{}, false
	}
	isInt := a.kind == kindInt && b.kind == kindInt
	exact := (a.kind == kindInt || a.kind == kindDecimal) && (b.kind == kindInt || b.kind == kindDecimal)
	out := selectType{kind: kindInt, unsigned: isInt && (a.unsigned || b.unsigned), notNull: notNull}
	switch e.Operator {
	case sqlparser.IntDivOp:
		out.length, out.notNull = a.length, false
		return out, isInt
	case sqlparser.DivOp:
		if exact {
			return selectType{kind: kindDecimal, length: a.digits() + 4 + b.scale, scale: a.scale + 4}, true
		}
	case sqlparser.ModOp:
		if isInt {
			out.length, out.notNull = max(a.length, b.length), false
			return out, true
		}
		notNull = false
	}
	if !exact {
		return selectType{kind: kindDouble, notNull: notNull && e.Operator != sqlparser.DivOp}, true
	}
	scale := max(a.scale, b.scale)
	digits := max(a.digits()-a.scale, b.digits()-b.scale) + 1 + scale
	switch e.Operator {
	case sqlparser.MultOp:
		scale, digits = a.scale+b.scale, a.digits()+b.digits()
	case sqlparser.ModOp:
		digits--
	}
	if isInt {
		out.length = digits
		out.length++
		return out, true
	}
	return selectType{kind: kindDecimal, length: digits, scale: scale, notNull: notNull}, true
}

// nullable is the type of an expression that may be NULL for the sake of a window.
func (t *typer) nullable(e sqlparser.Expr) (selectType, bool) {
	typ, ok := t.of(e)
	typ.notNull = false
	if typ.isColumn {
		typ.defaults = ""
	}
	return typ, ok
}

func (t *typer) unary(e *sqlparser.UnaryExpr) (selectType, bool) {
	typ, ok := t.of(e.Expr)
	typ = expressionOf(typ)
	switch e.Operator {
	case sqlparser.UMinusOp:
		if typ.kind == kindInt {
			typ.length, typ.unsigned = typ.length+1, false
		} else if !typ.isNumber() {
			typ = selectType{kind: kindDouble, notNull: typ.notNull}
		}
	case sqlparser.TildaOp:
		typ = selectType{kind: kindInt, length: bigintChars, unsigned: true, notNull: typ.notNull}
	case sqlparser.BangOp:
		typ = intType(1, typ.notNull)
	}
	return typ, ok
}

// choice is the type of a value that is one of several.
func (t *typer) choice(values ...sqlparser.Expr) (selectType, bool) {
	var out selectType
	for i, v := range values {
		typ, ok := t.of(v)
		if !ok {
			return out, false
		}
		typ = expressionOf(typ)
		if i == 0 {
			out = typ
		} else {
			out = mergedType(out, typ)
		}
	}
	return out, len(values) > 0
}

func (t *typer) caseType(e *sqlparser.CaseExpr) (selectType, bool) {
	var values []sqlparser.Expr
	for _, w := range e.Whens {
		values = append(values, w.Val)
	}
	if e.Else != nil {
		values = append(values, e.Else)
	}
	typ, ok := t.choice(values...)
	typ.notNull = typ.notNull && e.Else != nil
	return typ, ok
}

// cast is the type of CAST(x AS ...).
func (t *typer) cast(e sqlparser.Expr, to *sqlparser.ConvertType) (selectType, bool) {
	from, ok := t.of(e)
	length := 0
	if to.Length != nil {
		length = *to.Length
	}
	switch word := strings.ToLower(to.Type); word {
	case "signed", "signed integer":
		return intType(bigintChars, from.notNull), ok
	case "unsigned", "unsigned integer":
		return selectType{kind: kindInt, length: bigintChars, unsigned: true, notNull: from.notNull}, ok
	case "decimal":
		scale := 0
		if to.Scale != nil {
			scale = *to.Scale
		}
		if length == 0 {
			length = 10
		}
		return selectType{kind: kindDecimal, length: length, scale: scale, notNull: from.notNull}, ok
	case "double", "real":
		return selectType{kind: kindDouble, notNull: from.notNull}, ok
	case "float":
		return otherType("float", from.notNull), ok
	case "char", "nchar", "binary":
		if to.Length == nil {
			length = from.chars()
		}
		if word == "binary" {
			return selectType{kind: kindBytes, length: length, notNull: from.notNull}, ok
		}
		return textType(length, from.notNull, ""), ok
	case "date", "year", "json":
		return otherType(word, false), true
	case "datetime", "time":
		if length > 0 {
			word += fmt.Sprintf("(%d)", length)
		}
		return otherType(word, false), true
	}
	return selectType{}, false
}

// textLike is the type of a text that is at most as long as another.
func (t *typer) textLike(e sqlparser.Expr) (selectType, bool) {
	typ, ok := t.of(e)
	return asText(typ), ok
}

// asText is the type of a value as a text.
func asText(t selectType) selectType {
	if t.kind == kindBytes {
		return expressionOf(t)
	}
	return textType(t.chars(), t.notNull, t.collation)
}

func (t *typer) substring(e *sqlparser.SubstrExpr) (selectType, bool) {
	typ, ok := t.textLike(e.Name)
	if n, isConstant := constantInt(e.To); isConstant {
		typ.length = min(typ.length, max(n, 0))
	}
	return typ, ok
}

// constantInt is the value of an integer literal.
func constantInt(e sqlparser.Expr) (int, bool) {
	lit, ok := e.(*sqlparser.Literal)
	if !ok || lit == nil || lit.Type != sqlparser.IntVal {
		return 0, false
	}
	n, err := strconv.Atoi(lit.Val)
	return n, err == nil
}

func clockType(e *sqlparser.CurTimeFuncExpr) selectType {
	digits := ""
	if e.Fsp > 0 {
		digits = fmt.Sprintf("(%d)", e.Fsp)
	}
	switch e.Name.Lowered() {
	case "curdate", "current_date", "utc_date":
		return otherType("date", true)
	case "curtime", "current_time", "utc_time":
		return otherType("time"+digits, true)
	}
	return otherType("datetime"+digits, true)
}

// dateSum is the type of a date and an interval: a date stays one with days, and texts stay texts.
func (t *typer) dateSum(e *sqlparser.IntervalDateExpr) (selectType, bool) {
	typ, ok := t.of(e.Date)
	unit := strings.ToLower(e.Unit.ToString())
	short := strings.Contains(unit, "hour") || strings.Contains(unit, "minute") || strings.Contains(unit, "second")
	switch {
	case typ.kind != kindOther:
		return textType(29, false, ""), ok
	case strings.HasPrefix(typ.text, "datetime"), strings.HasPrefix(typ.text, "timestamp"):
		text := "datetime" + strings.TrimPrefix(strings.TrimPrefix(typ.text, "datetime"), "timestamp")
		if strings.Contains(unit, "microsecond") {
			text = "datetime(6)"
		}
		return otherType(text, false), ok
	case strings.HasPrefix(typ.text, "date") && short:
		if strings.Contains(unit, "microsecond") {
			return otherType("datetime(6)", false), ok
		}
		return otherType("datetime", false), ok
	}
	return otherType(typ.text, false), ok
}

// aggregate is the type of an aggregate.
func (t *typer) aggregate(e sqlparser.AggrFunc) (selectType, bool) {
	switch a := e.(type) {
	case *sqlparser.Count, *sqlparser.CountStar:
		return intType(bigintChars, true), true
	case *sqlparser.Sum, *sqlparser.Avg:
		typ, ok := t.of(e.GetArg())
		if typ.kind != kindInt && typ.kind != kindDecimal {
			return selectType{kind: kindDouble}, ok
		}
		if _, isSum := e.(*sqlparser.Sum); isSum {
			return selectType{kind: kindDecimal, length: typ.digits() + 22, scale: typ.scale}, ok
		}
		return selectType{kind: kindDecimal, length: typ.digits() + 4, scale: typ.scale + 4}, ok
	case *sqlparser.Max, *sqlparser.Min, *sqlparser.AnyValue:
		typ, ok := t.of(e.GetArg())
		if !typ.isColumn {
			typ.notNull = false
			return typ, ok
		}
		typ.defaults, typ.notNull = "", false
		return typ, ok
	case *sqlparser.BitAnd, *sqlparser.BitOr, *sqlparser.BitXor:
		return selectType{kind: kindInt, length: bigintChars, unsigned: true, notNull: true}, true
	case *sqlparser.Std, *sqlparser.StdDev, *sqlparser.StdPop, *sqlparser.StdSamp, *sqlparser.VarPop, *sqlparser.VarSamp, *sqlparser.Variance:
		return selectType{kind: kindDouble}, true
	case *sqlparser.GroupConcatExpr:
		typ, ok := t.of(a.Exprs[0])
		return textType(varcharMax+1, false, typ.collation), ok
	case *sqlparser.JSONArrayAgg, *sqlparser.JSONObjectAgg:
		return otherType("json", false), true
	}
	return selectType{}, false
}

// function is the type of a call.
func (t *typer) function(e *sqlparser.FuncExpr) (selectType, bool) {
	name := e.Name.Lowered()
	if fixed, ok := fixedFunctionTypes[name]; ok {
		fixed.notNull = fixed.notNull && t.notNull(e.Exprs...)
		return fixed, true
	}
	if len(e.Exprs) == 0 {
		return selectType{}, false
	}
	first, ok := t.of(e.Exprs[0])
	switch name {
	case "upper", "ucase", "lower", "lcase", "reverse", "substring_index":
		return asText(first), ok
	case "left", "right":
		typ := asText(first)
		if n, isConstant := constantInt(e.Exprs[len(e.Exprs)-1]); isConstant {
			typ.length = min(typ.length, max(n, 0))
		}
		return typ, ok
	case "repeat":
		n, isConstant := constantInt(e.Exprs[len(e.Exprs)-1])
		typ := asText(first)
		typ.length *= n
		typ.notNull = false
		return typ, ok && isConstant
	case "lpad", "rpad", "space":
		n, isConstant := constantInt(e.Exprs[min(1, len(e.Exprs)-1)])
		return textType(n, false, first.collation), isConstant
	case "hex":
		if first.kind == kindInt {
			return textType(16, first.notNull, ""), ok
		}
		return textType(first.chars()*8, first.notNull, ""), ok
	case "concat":
		return t.concat(e.Exprs, 0)
	case "concat_ws":
		separator, _ := t.of(e.Exprs[0])
		return t.concat(e.Exprs[1:], separator.chars())
	case "coalesce", "ifnull":
		typ, ok := t.choice(e.Exprs...)
		for _, arg := range e.Exprs {
			typ.notNull = typ.notNull || t.notNull(arg)
		}
		return typ, ok
	case "if":
		return t.choice(e.Exprs[1:]...)
	case "nullif":
		typ := expressionOf(first)
		typ.notNull = false
		return typ, ok
	case "greatest", "least":
		return t.choice(e.Exprs...)
	case "abs":
		if typ := expressionOf(first); typ.isNumber() {
			return typ, ok
		}
		return selectType{kind: kindDouble, notNull: first.notNull}, ok
	case "date", "last_day":
		return otherType("date", false), true
	}
	return selectType{}, false
}

// concat is the type of several texts one after the other.
func (t *typer) concat(args []sqlparser.Expr, between int) (selectType, bool) {
	out := selectType{kind: kindText, notNull: true, length: between * (len(args) - 1)}
	for _, arg := range args {
		typ, ok := t.of(arg)
		if !ok {
			return out, false
		}
		if typ.kind == kindBytes {
			out.kind = kindBytes
		}
		if typ.kind == kindText && typ.collation != "" {
			out.collation = typ.collation
		}
		out.length += typ.chars()
		out.notNull = out.notNull && typ.notNull
	}
	return out, true
}

// fixedFunctionTypes are the types of functions that are the same whatever the arguments are: not NULL if these are not.
var fixedFunctionTypes = map[string]selectType{
	"length": intType(10, true), "octet_length": intType(10, true), "bit_length": intType(11, true), "char_length": intType(10, true),
	"character_length": intType(10, true), "ascii": intType(3, true), "ord": intType(7, true), "instr": intType(11, true), "strcmp": intType(2, true),
	"field": intType(3, true), "find_in_set": intType(3, true), "sign": intType(2, true), "crc32": {kind: kindInt, length: bigintChars, unsigned: true, notNull: true},
	"bit_count": intType(2, true), "isnull": intType(1, true),
	"year": intType(5, false), "month": intType(2, false), "day": intType(2, false), "dayofmonth": intType(2, false), "dayofweek": intType(1, false),
	"dayofyear": intType(3, false), "weekday": intType(1, false), "quarter": intType(1, false), "week": intType(2, false), "weekofyear": intType(2, false),
	"hour": intType(3, false), "minute": intType(2, false), "second": intType(2, false), "microsecond": intType(6, false), "datediff": intType(9, false),
	"to_days": intType(9, false), "time_to_sec": intType(10, false), "yearweek": intType(6, false),
	"md5": textType(32, true, ""), "sha1": textType(40, true, ""), "sha": textType(40, true, ""), "uuid": textType(36, true, "utf8mb3_general_ci"),
	"dayname": textType(9, false, ""), "monthname": textType(9, false, ""),
	"rand": {kind: kindDouble, notNull: true}, "sqrt": {kind: kindDouble}, "ln": {kind: kindDouble}, "log": {kind: kindDouble}, "exp": {kind: kindDouble, notNull: true},
	"pow": {kind: kindDouble, notNull: true}, "power": {kind: kindDouble, notNull: true}, "sin": {kind: kindDouble, notNull: true}, "cos": {kind: kindDouble, notNull: true},
	"curdate": otherType("date", true), "timestamp": otherType("datetime", false), "timediff": otherType("time", false), "addtime": otherType("time", false),
	"subtime": otherType("time", false), "unix_timestamp": intType(bigintChars, true), "pi": {kind: kindDouble, notNull: true},
	"makedate": otherType("date", false), "sec_to_time": otherType("time", false), "maketime": otherType("time", false), "from_unixtime": otherType("datetime", false),
	"json_extract": otherType("json", false), "json_object": otherType("json", false), "json_array": otherType("json", false),
}
