package sqlengine

import (
	"bytes"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// searchFunctions look for a text in others, by the collation they have together.
var searchFunctions = map[string]scalarFunction{
	"locate":      {min: 2, max: 3, typ: fixedType(types.Int64), eval: locate},
	"instr":       {min: 2, max: 2, typ: fixedType(types.Int64), eval: instr},
	"find_in_set": {min: 2, max: 2, typ: fixedType(types.Int64), eval: findInSet},
	"field":       {min: 2, max: 255, nulls: true, typ: fixedType(types.Int64), eval: field},
}

// searchCollation is what two texts are compared by, or false if one is binary.
func searchCollation(ctx *sql.Context, a, b sql.Expression) (sql.CollationID, bool) {
	for _, e := range []sql.Expression{a, b} {
		if isBinaryText(e.Type()) {
			return 0, false
		}
	}
	id, ok := commonCollation(ctx, a, b)
	if !ok {
		id = defaultCollation
	}
	return id, true
}

// textMatcher returns what tells whether two texts of expressions are the same, and whether they are texts, not bytes.
func textMatcher(ctx *sql.Context, a, b sql.Expression) (same func(a, b []byte) bool, isText bool) {
	id, isText := searchCollation(ctx, a, b)
	if !isText {
		return bytes.Equal, false
	}
	coll, _ := collationOf(id)
	return func(a, b []byte) bool {
		return bytes.Equal(a, b) || utf8.Valid(a) && coll.Collate(a, b, false) == 0
	}, true
}

// locate is LOCATE(part, s) or LOCATE(part, s, from): where s has part, 0 if nowhere.
func locate(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	from := int64(1)
	if len(args) == 3 {
		var err error
		if from, err = integer(ctx, args[2]); err != nil {
			return nil, err
		}
	}
	same, isText := textMatcher(ctx, call.args[0], call.args[1])
	return position(bytesOf(args[1]), bytesOf(args[0]), from, same, isText), nil
}

func instr(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	same, isText := textMatcher(ctx, call.args[0], call.args[1])
	return position(bytesOf(args[0]), bytesOf(args[1]), 1, same, isText), nil
}

// position returns where text has part, from a position on. What matches has as many bytes as part, as in MySQL: a letter
// without an accent does not match one with it in UTF-8.
func position(text, part []byte, from int64, same func(a, b []byte) bool, isText bool) int64 {
	if from < 1 {
		return 0
	}
	for at := int64(1); ; at++ {
		if at >= from && len(part) <= len(text) && same(text[:len(part)], part) {
			return at
		}
		if len(text) == 0 {
			return 0
		}
		n := 1
		if isText {
			_, n = utf8.DecodeRune(text)
		}
		text = text[n:]
	}
}

// findInSet is FIND_IN_SET(s, list): which of the texts between commas s is, 0 if none.
func findInSet(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	text, list := bytesOf(args[0]), bytesOf(args[1])
	if len(list) == 0 {
		return int64(0), nil
	}
	same, _ := textMatcher(ctx, call.args[0], call.args[1])
	for i, item := range bytes.Split(list, []byte(",")) {
		if same(item, text) {
			return int64(i + 1), nil
		}
	}
	return int64(0), nil
}

// field is FIELD(v, a, b, ...): which of the others v equals, 0 if none. All are compared as texts if all are texts, as exact
// numbers if all are, else as doubles.
func field(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	if args[0] == nil {
		return int64(0), nil
	}
	texts, exact := true, true
	for _, a := range call.args {
		_, isText := plainString(a.Type())
		texts = texts && (isText || isNamedSet(a.Type()))
		_, _, isExact := exactDigits(a.Type())
		exact = exact && isExact
	}
	for i, v := range args[1:] {
		if v == nil {
			continue
		}
		equal, err := false, error(nil)
		switch {
		case texts:
			equal, err = equalTexts(ctx, call, i+1, args[0], v)
		case exact:
			equal, err = equalDecimals(args[0], v)
		default:
			equal, err = equalDoubles(ctx, call, i+1, args[0], v)
		}
		if err != nil {
			return nil, err
		}
		if equal {
			return int64(i + 1), nil
		}
	}
	return int64(0), nil
}

// equalTexts compares the first argument with another one.
func equalTexts(ctx *sql.Context, call *scalarCall, at int, a, b any) (bool, error) {
	var words [2][]byte
	for i, v := range []any{a, b} {
		text, err := convertTo(ctx, v, call.args[at*i].Type(), types.LongBlob)
		if err != nil {
			return false, err
		}
		words[i] = bytesOf(text)
	}
	same, _ := textMatcher(ctx, call.args[0], call.args[at])
	return same(words[0], words[1]), nil
}

func equalDecimals(a, b any) (bool, error) {
	x, err := exactDecimal(a)
	if err != nil {
		return false, err
	}
	y, err := exactDecimal(b)
	return x.Equal(y), err
}

// equalDoubles compares the first argument with another one, a date as its number.
func equalDoubles(ctx *sql.Context, call *scalarCall, at int, a, b any) (bool, error) {
	var numbers [2]float64
	for i, v := range []any{a, b} {
		if d, ok := decimalOfTime(v, call.args[at*i].Type()); ok {
			v = d
		}
		var err error
		if numbers[i], err = numberArg(ctx, v); err != nil {
			return false, err
		}
	}
	return numbers[0] == numbers[1], nil
}
