package gateway

import (
	"bytes"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Statements that differ in simple literals alone need not be parsed to be recognised:
//
//	select v from u where id = 17 and name = 'x'
//	select v from u where id = #  and name = $      the shape: a key
//	                           17             'x'   the literals, by position
//
// A shape is learned from a statement that was parsed and normalised, and only where that shows which literal became
// which bind variable. Everything unusual (comments, escapes, decimals, parameters, quotes of other kinds) has no shape.

// textLiteral is a literal cut out of a statement's text.
type textLiteral struct {
	text   string
	quoted bool
}

// shape is what a text without its literals led to.
type shape struct {
	plan *cachedPlan // nil: the shape does not tell enough, the statement is always parsed
	// names are the bind variables of the literals, by position.
	names []string
	// repeats: literals may repeat. Otherwise equal ones would share a bind variable, and so be another statement.
	repeats bool
}

// shapeCache holds shapes by text.
type shapeCache = lru[planKey, *shape]

const (
	shapeLengthMax   = 4096
	shapeLiteralsMax = 32
	// insertLengthMax is shapeLengthMax for INSERT: its rows are many, and each costs more to parse than to recognise.
	insertLengthMax = 256 << 10
	// integerDigitsMax keeps integers within 64 bits.
	integerDigitsMax = 18
)

// shapeOf cuts the literals out of a text. ok is false for a text that has no shape.
func shapeOf(sql string) (key string, literals []textLiteral, ok bool) {
	if len(sql) > insertLengthMax || !startsQuery(sql) {
		return "", nil, false
	}
	isInsert := strings.EqualFold(sql[:len("insert")], "insert")
	if len(sql) > shapeLengthMax && !isInsert {
		return "", nil, false
	}
	out := make([]byte, 0, len(sql))
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case isWordByte(c) && !isDigit(c):
			end := i + 1
			for end < len(sql) && isWordByte(sql[end]) {
				end++
			}
			if end < len(sql) && sql[end] == '\'' {
				return "", nil, false // x'..', _utf8'..'
			}
			out = append(out, sql[i:end]...)
			i = end
		case isDigit(c):
			end := i + 1
			for end < len(sql) && isDigit(sql[end]) {
				end++
			}
			if end-i > integerDigitsMax || end < len(sql) && (isWordByte(sql[end]) || sql[end] == '.') {
				return "", nil, false
			}
			literals = append(literals, textLiteral{text: sql[i:end]})
			out = append(out, '#')
			i = end
		case c == '\'':
			text, end, plain := plainString(sql, i)
			if !plain {
				return "", nil, false
			}
			literals = append(literals, textLiteral{text: text, quoted: true})
			out = append(out, '$')
			i = end
		case c == '`':
			end := i + 1
			for end < len(sql) && sql[end] != '`' {
				end++
			}
			if end == len(sql) {
				return "", nil, false
			}
			out = append(out, sql[i:end+1]...)
			i = end + 1
		case isUnusual(sql, i):
			return "", nil, false
		default:
			out = append(out, c)
			i++
		}
	}
	if len(literals) == 0 || len(literals) > shapeLiteralsMax && !isInsert {
		return "", nil, false
	}
	return string(out), literals, true
}

// startsQuery reports whether a text starts like a statement that is planned.
func startsQuery(sql string) bool {
	if len(sql) < 7 {
		return false
	}
	word := bytes.ToLower([]byte(sql[:6]))
	switch string(word) {
	case "select", "insert", "update", "delete":
		return !isWordByte(sql[6])
	default:
		return false
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWordByte reports whether a byte may stand in a name or number.
func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// isUnusual reports whether something begins that shapes leave to the parser.
func isUnusual(sql string, i int) bool {
	switch sql[i] {
	case '"', '?', ':', '#', '\\', '@', ';', 0:
		return true
	case '.':
		return i+1 < len(sql) && isDigit(sql[i+1])
	case '-':
		return i+1 < len(sql) && (sql[i+1] == '-' || sql[i+1] == '>')
	case '/':
		return i+1 < len(sql) && sql[i+1] == '*'
	default:
		return false
	}
}

// plainString reads a string without escapes that begins at i, and returns where it ends.
func plainString(sql string, i int) (text string, end int, plain bool) {
	for end = i + 1; end < len(sql); end++ {
		switch sql[end] {
		case '\\':
			return "", 0, false
		case '\'':
			if end+1 < len(sql) && (sql[end+1] == '\'' || sql[end+1] == '"') {
				return "", 0, false
			}
			return sql[i+1 : end], end + 1, true
		}
	}
	return "", 0, false
}

// distinct reports whether no literal stands twice.
func distinct(literals []textLiteral) bool {
	for i, a := range literals {
		for _, b := range literals[:i] {
			if a == b {
				return false
			}
		}
	}
	return true
}

// bindVars makes the bind variables of a statement of this shape, nil if its literals do not fit.
func (sh *shape) bindVars(literals []textLiteral) BindVars {
	if len(literals) != len(sh.names) || !sh.repeats && !distinct(literals) {
		return nil
	}
	made := make([]querypb.BindVariable, len(literals))
	out := make(BindVars, len(literals)+2)
	for i, literal := range literals {
		made[i].Type = literal.sqlType()
		made[i].Value = []byte(literal.text)
		out[sh.names[i]] = &made[i]
	}
	return out
}

func (l textLiteral) sqlType() querypb.Type {
	if l.quoted {
		return sqltypes.VarChar
	}
	return sqltypes.Int64
}

// learnShape matches a text's literals with the bind variables that normalising made of them. It returns nil where this
// statement, unlike others of its shape, does not tell.
func learnShape(n *normalised, plan *cachedPlan, literals []textLiteral) *shape {
	if n.rowVars != nil {
		return learnRows(n, plan, literals)
	}
	if len(literals) > shapeLiteralsMax {
		return &shape{}
	}
	if !distinct(literals) {
		return nil
	}
	unknown := &shape{}
	if n.personal || n.named || len(n.bindVars) != len(literals) {
		return unknown
	}
	sh := &shape{plan: plan}
	for _, literal := range literals {
		name := ""
		for candidate, bv := range n.bindVars {
			if bv.Type == literal.sqlType() && string(bv.Value) == literal.text {
				name = candidate
			}
		}
		if name == "" {
			return unknown
		}
		sh.names = append(sh.names, name)
	}
	return sh
}

// learnRows is learnShape for an INSERT of rows alone: its literals stand in the order of its bind variables.
func learnRows(n *normalised, plan *cachedPlan, literals []textLiteral) *shape {
	if n.personal || n.named || len(n.rowVars) != len(literals) || len(n.bindVars) != len(literals) {
		return &shape{}
	}
	for i, literal := range literals {
		bv := n.bindVars[n.rowVars[i]]
		if bv == nil || bv.Type != literal.sqlType() || string(bv.Value) != literal.text {
			return &shape{}
		}
	}
	return &shape{plan: plan, names: n.rowVars, repeats: true}
}

// rowVars returns the bind variables of an INSERT of rows alone, in the order of its text; nil for other statements. Each
// literal of such an INSERT has a bind variable of its own.
func rowVars(stmt sqlparser.Statement) []string {
	ins, ok := stmt.(*sqlparser.Insert)
	if !ok || len(ins.OnDup) > 0 {
		return nil
	}
	rows, ok := ins.Rows.(sqlparser.Values)
	if !ok {
		return nil
	}
	names := []string{}
	seen := map[string]bool{}
	for _, row := range rows {
		for _, value := range row {
			switch value := value.(type) {
			case *sqlparser.Argument:
				if seen[value.Name] {
					return nil
				}
				seen[value.Name] = true
				names = append(names, value.Name)
			case *sqlparser.NullVal, *sqlparser.Default:
			default:
				return nil
			}
		}
	}
	return names
}
