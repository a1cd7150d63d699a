package sqlengine

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// bulkMin is from which length of a text it is worth looking whether it is a bulk insert.
const bulkMin = 512

// parseBulkInsert parses a long INSERT INTO t(...) VALUES (:a, :b), (:c, :d), ... of bind variables and NULLs, as gateways send
// rows: the statement with the first row by the parser, the others by hand. It returns nil for any other text.
func parseBulkInsert(parse func(string) (sqlparser.Statement, error), text string) *sqlparser.Insert {
	const values = " values ("
	start := strings.Index(text, values)
	if len(text) < bulkMin || start < 0 || !strings.HasPrefix(text, "insert ") {
		return nil
	}
	end := strings.IndexByte(text[start:], ')')
	if end < 0 {
		return nil
	}
	head := text[:start+end+1]
	ast, err := parse(head)
	ins, ok := ast.(*sqlparser.Insert)
	if err != nil || !ok || ins.RowAlias != nil || ins.OnDup != nil {
		return nil
	}
	first, ok := ins.Rows.(sqlparser.Values)
	if !ok || len(first) != 1 || len(first[0]) == 0 {
		return nil
	}
	for _, e := range first[0] {
		if _, isArgument := e.(*sqlparser.Argument); !isArgument {
			return nil
		}
	}
	rows := bulkRows(text[len(head):], first[0])
	if rows == nil {
		return nil
	}
	ins.Rows = append(first, rows...)
	return ins
}

// bulkRows parses ", (:c, :d), (:e, null)" to the end: rows like the first one, of arguments. It returns nil for anything else.
func bulkRows(text string, first sqlparser.ValTuple) sqlparser.Values {
	n := strings.Count(text, "(")
	rows := make(sqlparser.Values, 0, n)
	arguments := make([]sqlparser.Argument, 0, n*len(first))
	exprs := make([]sqlparser.Expr, 0, n*len(first))
	for len(text) > 0 {
		separator := ", ("
		start := len(exprs)
		for range first {
			var ok bool
			if text, ok = strings.CutPrefix(text, separator); !ok {
				return nil
			}
			separator = ", "
			if rest, isNull := strings.CutPrefix(text, "null"); isNull {
				text, exprs = rest, append(exprs, &sqlparser.NullVal{})
				continue
			}
			end := 0
			if strings.HasPrefix(text, ":") {
				end = 1
				for end < len(text) && isNameByte(text[end]) {
					end++
				}
			}
			if end < 2 || len(arguments) == cap(arguments) {
				return nil
			}
			arguments = append(arguments, *first[0].(*sqlparser.Argument))
			argument := &arguments[len(arguments)-1]
			argument.Name = text[1:end]
			text, exprs = text[end:], append(exprs, argument)
		}
		var ok bool
		if text, ok = strings.CutPrefix(text, ")"); !ok {
			return nil
		}
		rows = append(rows, sqlparser.ValTuple(exprs[start:len(exprs):len(exprs)]))
	}
	return rows
}

// isNameByte reports whether a byte may stand in the name of a bind variable as gateways name them.
func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}
