package sqlengine

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// argumentKinds is what functions take, an argument a letter, the last one for all that follow:
//
//	t  a text    d  a text in place of a date or time alone
//	D  a date and time in place of a text, NULL of one that is none
//	i  a whole number    n  a number    m  a number in place of a date or time alone    -  any value, as it is
//
// The engine hands numbers to functions of texts and texts to functions of numbers, which then give or refuse what MySQL
// does not. It has a date as seconds since 1970.
var argumentKinds = map[string]string{
	"upper": "t", "ucase": "t", "lower": "t", "lcase": "t", "reverse": "t", "trim": "t", "ltrim": "t", "rtrim": "t",
	"left": "ti", "right": "ti", "substring": "ti", "substr": "ti", "mid": "ti", "lpad": "tit", "rpad": "tit", "insert": "tiit",
	"repeat": "ti", "space": "i", "substring_index": "tti", "replace": "t", "concat": "t", "concat_ws": "t", "quote": "t",
	"length": "t", "octet_length": "t", "char_length": "t", "character_length": "t", "bit_length": "t", "ascii": "t", "ord": "t",
	"instr": "t", "locate": "tti", "find_in_set": "t", "strcmp": "t", "soundex": "t", "elt": "id",
	"md5": "t", "sha": "t", "sha1": "t", "sha2": "ti", "crc32": "t", "to_base64": "t", "from_base64": "t", "unhex": "t", "hex": "d",
	"conv": "-ii", "bit_not": "m", "char_of": "i", "export_set": "-d", "regexp_like": "t", "regexp_replace": "ttt-", "regexp_instr": "tt-", "regexp_substr": "tt-",

	"cast_char": "t-", "date_format": "D-", "datediff": "D", "week": "D-",

	"abs": "n", "sign": "n", "floor": "n", "ceil": "n", "ceiling": "n", "round": "ni", "truncate": "ni", "mod": "n", "format": "ni-",
	"pow": "n", "power": "n", "sqrt": "n", "exp": "n", "ln": "n", "log": "n", "log2": "n", "log10": "n", "degrees": "n", "radians": "n",
	"sin": "n", "cos": "n", "tan": "n", "cot": "n", "asin": "n", "acos": "n", "atan": "n", "atan2": "n",
}

// settleArguments gives a function what it takes, LIKE and REGEXP texts, and a cast the text or number of a date.
func settleArguments(e sql.Expression) (sql.Expression, error) {
	kinds := "t"
	switch f := e.(type) {
	case *expression.Convert:
		return castOf(f)
	case *expression.ConvertUsing:
	case *expression.Like:
		if isBinaryText(f.LeftChild.Type()) || isBinaryText(f.RightChild.Type()) {
			return expression.NewLike(byteCharacters(f.LeftChild), byteCharacters(f.RightChild), f.Escape), nil
		}
	case sql.FunctionExpression:
		if kinds = argumentKinds[f.FunctionName()]; kinds == "" {
			return e, nil
		}
	default:
		return e, nil
	}
	args := e.Children()
	var fresh []sql.Expression
	for i, a := range args {
		if a == nil {
			continue
		}
		settled, changed := argument(a, kinds[min(i, len(kinds)-1)])
		if !changed {
			continue
		}
		if fresh == nil {
			fresh = append([]sql.Expression(nil), args...)
		}
		fresh[i] = settled
	}
	if fresh == nil {
		return e, nil
	}
	return e.WithChildren(fresh...)
}

// argument returns an argument as a function takes it, and whether that differs.
func argument(e sql.Expression, kind byte) (sql.Expression, bool) {
	t := e.Type()
	switch kind {
	case 't':
		if _, isBits := bitColumn(t); isBits {
			return &converted{child: e, typ: types.LongBlob}, true
		}
		if isDateOrTime(t) || isNumeric(t) || isNamedSet(t) || isYear(t) {
			return &converted{child: e, typ: defaultTextType}, true
		}
	case 'd':
		if isDateOrTime(t) {
			return &converted{child: e, typ: defaultTextType}, true
		}
	case 'i':
		_, isBits := bitColumn(t)
		if _, whole := integerType(t); whole || isBits || t == types.Null {
			return e, false
		}
		if isDateOrTime(t) {
			e = asNumber(e)
		}
		return scalarFunction{typ: fixedType(types.Int64), eval: wholeNumber}.call("whole", []sql.Expression{e}), true
	case 'D':
		if isCharacter(t) {
			return scalarFunction{typ: fixedType(types.DatetimeMaxPrecision), eval: dateOfText}.call("datetime", []sql.Expression{e}), true
		}
	case 'm':
		if isDateOrTime(t) {
			return asNumber(e), true
		}
	case 'n':
		if isDateOrTime(t) {
			return asNumber(e), true
		}
		return leadingNumber(e)
	}
	return e, false
}

func isBinaryText(t sql.Type) bool {
	s, ok := plainString(t)
	return ok && s.Collation() == sql.Collation_binary
}

// byteCharacters is a text of one character for each byte, for LIKE of binary strings: the engine's wants characters.
func byteCharacters(e sql.Expression) sql.Expression {
	spread := scalarFunction{typ: fixedType(types.CreateLongText(sql.Collation_utf8mb4_0900_bin)), eval: func(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
		raw, err := convertTo(ctx, args[0], call.args[0].Type(), types.LongBlob)
		if err != nil {
			return nil, err
		}
		text := make([]rune, 0, len(bytesOf(raw)))
		for _, b := range bytesOf(raw) {
			text = append(text, rune(b))
		}
		return string(text), nil
	}}
	return spread.call(bytesName, []sql.Expression{e})
}

// bytesName is what byteCharacters are called.
const bytesName = "bytes"

func isYear(t sql.Type) bool {
	_, ok := t.(types.YearType_)
	return ok
}

// dateOfText is the date and time a text is, NULL with a warning if it is none.
func dateOfText(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	at, ok := timeOfText(ctx, shownText(args[0]))
	if !ok || at.Equal(zeroTime) {
		ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 1292, Message: fmt.Sprintf("Incorrect datetime value: '%s'", shownText(args[0]))})
		return nil, nil
	}
	return at, nil
}

// wholeNumber is an argument as an integer.
func wholeNumber(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	raw, isBytes := args[0].([]byte)
	if !isBytes {
		return integer(ctx, args[0])
	}
	if _, isLiteral := call.args[0].(*expression.Literal); isLiteral {
		n, err := unsigned(ctx, raw)
		return int64(n), err
	}
	return integer(ctx, string(raw))
}
