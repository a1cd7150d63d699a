package sqlengine

import (
	"bytes"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// binaryTexts are functions of texts that give bytes where an argument is a binary string. The engine's want characters
// then too, and refuse bytes that are none.
var binaryTexts = map[string]func(args [][]byte) []byte{
	"concat": func(args [][]byte) []byte { return bytes.Join(args, nil) },
	"replace": func(args [][]byte) []byte {
		if len(args[1]) == 0 {
			return args[0]
		}
		return bytes.ReplaceAll(args[0], args[1], args[2])
	},
	"ltrim":         func(args [][]byte) []byte { return bytes.TrimLeft(args[0], " ") },
	"rtrim":         func(args [][]byte) []byte { return bytes.TrimRight(args[0], " ") },
	"trim":          func(args [][]byte) []byte { return cutStart(cutEnd(args[0], args[1]), args[1]) },
	"trim leading":  func(args [][]byte) []byte { return cutStart(args[0], args[1]) },
	"trim trailing": func(args [][]byte) []byte { return cutEnd(args[0], args[1]) },
}

// ofBytes replaces such a function.
func ofBytes(e sql.Expression) sql.Expression {
	name := ""
	switch f := e.(type) {
	case *function.Concat, *function.Replace, *function.LeftTrim, *function.RightTrim:
		name = f.(sql.FunctionExpression).FunctionName()
	case *function.Trim:
		name = "trim"
		// Only its text tells where it cuts.
		for _, side := range []string{"leading", "trailing"} {
			if strings.HasPrefix(strings.ToLower(f.String()), "trim("+side+" ") {
				name = "trim " + side
			}
		}
	default:
		return e
	}
	args := e.Children()
	if textsType(args) != types.LongBlob {
		return e
	}
	fn := binaryTexts[name]
	return scalarFunction{typ: fixedType(types.LongBlob), eval: func(ctx *sql.Context, call *scalarCall, values []any) (any, error) {
		raw := make([][]byte, len(values))
		for i, v := range values {
			b, err := convertTo(ctx, v, call.args[i].Type(), types.LongBlob)
			if err != nil {
				return nil, err
			}
			raw[i] = bytesOf(b)
		}
		return fn(raw), nil
	}}.call(name, args)
}

func cutStart(text, part []byte) []byte {
	for len(part) > 0 && bytes.HasPrefix(text, part) {
		text = text[len(part):]
	}
	return text
}

func cutEnd(text, part []byte) []byte {
	for len(part) > 0 && bytes.HasSuffix(text, part) {
		text = text[:len(text)-len(part)]
	}
	return text
}
