package sqlengine

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// jsonFault says what is wrong with a text that is no JSON and at which byte, as errors 3140 and 3141 of MySQL do:
//
//	"Missing a comma or ] after an array element." at position 2
//
// It returns "" for a text that is JSON.
func jsonFault(text string) string {
	p := jsonReader{text: text}
	p.blanks()
	switch {
	case p.at == len(p.text):
		p.fail("The document is empty.")
	case p.value():
		p.blanks()
		if p.at < len(p.text) {
			p.fail("The document root must not be followed by other values.")
		}
	}
	if p.fault == "" {
		return ""
	}
	return fmt.Sprintf("%q at position %d.", p.fault, p.at)
}

// jsonReader reads a text until its first fault. Its methods return false for one, and leave at where that is.
type jsonReader struct {
	text  string
	at    int
	fault string
}

func (p *jsonReader) fail(fault string) bool {
	p.fault = fault
	return false
}

func (p *jsonReader) failAt(at int, fault string) bool {
	p.at = at
	return p.fail(fault)
}

// next is the next byte, 0 at the end.
func (p *jsonReader) next() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *jsonReader) take(b byte) bool {
	if p.next() != b || p.at >= len(p.text) {
		return false
	}
	p.at++
	return true
}

func (p *jsonReader) blanks() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *jsonReader) value() bool {
	switch p.next() {
	case 'n':
		return p.word("null")
	case 't':
		return p.word("true")
	case 'f':
		return p.word("false")
	case '"':
		return p.string()
	case '{':
		return p.object()
	case '[':
		return p.array()
	}
	return p.number()
}

func (p *jsonReader) word(word string) bool {
	for i := range len(word) {
		if !p.take(word[i]) {
			return p.fail("Invalid value.")
		}
	}
	return true
}

func (p *jsonReader) object() bool {
	p.take('{')
	p.blanks()
	if p.take('}') {
		return true
	}
	for {
		if p.next() != '"' {
			return p.fail("Missing a name for object member.")
		}
		if !p.string() {
			return false
		}
		p.blanks()
		if !p.take(':') {
			return p.fail("Missing a colon after a name of object member.")
		}
		p.blanks()
		if !p.value() {
			return false
		}
		p.blanks()
		switch {
		case p.take('}'):
			return true
		case !p.take(','):
			return p.fail("Missing a comma or } after an object member.")
		}
		p.blanks()
	}
}

func (p *jsonReader) array() bool {
	p.take('[')
	p.blanks()
	if p.take(']') {
		return true
	}
	for {
		if !p.value() {
			return false
		}
		p.blanks()
		switch {
		case p.take(']'):
			return true
		case !p.take(','):
			return p.fail("Missing a comma or ] after an array element.")
		}
		p.blanks()
	}
}

func (p *jsonReader) string() bool {
	p.take('"')
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return true
		case c == '\\':
			if !p.escape() {
				return false
			}
		case c < 0x20:
			return p.fail("Invalid encoding in string.")
		case c < utf8.RuneSelf:
			p.at++
		default:
			r, size := utf8.DecodeRuneInString(p.text[p.at:])
			if r == utf8.RuneError && size == 1 {
				return p.fail("Invalid encoding in string.")
			}
			p.at += size
		}
	}
	return p.fail("Missing a closing quotation mark in string.")
}

func (p *jsonReader) escape() bool {
	start := p.at
	p.take('\\')
	if p.take('u') {
		return p.unicode(start)
	}
	if p.at == len(p.text) || strings.IndexByte(`"\/bfnrt`, p.next()) < 0 {
		return p.failAt(start, "Invalid escape character in string.")
	}
	p.at++
	return true
}

// unicode reads the digits after \u, and the second half of a surrogate pair.
func (p *jsonReader) unicode(start int) bool {
	code, ok := p.hex()
	if !ok {
		return p.failAt(start, `Incorrect hex digit after \u escape in string.`)
	}
	if code < 0xD800 || code > 0xDFFF {
		return true
	}
	if code > 0xDBFF || !p.take('\\') || !p.take('u') {
		return p.failAt(start, "The surrogate pair in string is invalid.")
	}
	low, ok := p.hex()
	if !ok {
		return p.failAt(start, `Incorrect hex digit after \u escape in string.`)
	}
	if low < 0xDC00 || low > 0xDFFF {
		return p.failAt(start, "The surrogate pair in string is invalid.")
	}
	return true
}

func (p *jsonReader) hex() (code int, ok bool) {
	for range 4 {
		digit := strings.IndexByte("0123456789abcdef", p.next()|0x20)
		if c := p.next(); c >= '0' && c <= '9' {
			digit = int(c - '0')
		}
		if digit < 0 || p.at >= len(p.text) {
			return 0, false
		}
		code = code<<4 | digit
		p.at++
	}
	return code, true
}

func (p *jsonReader) number() bool {
	p.take('-')
	switch {
	case p.take('0'):
	case !p.digits():
		return p.fail("Invalid value.")
	}
	if p.take('.') && !p.digits() {
		return p.fail("Miss fraction part in number.")
	}
	if p.take('e') || p.take('E') {
		if !p.take('+') {
			p.take('-')
		}
		if !p.digits() {
			return p.fail("Miss exponent in number.")
		}
	}
	return true
}

// digits reads digits, of which there must be one at least.
func (p *jsonReader) digits() bool {
	start := p.at
	for p.next() >= '0' && p.next() <= '9' {
		p.at++
	}
	return p.at > start
}

// jsonTextError is 3141 for a text that is no JSON in an argument, from 1 on, of a function.
func jsonTextError(at any, function, text string) error {
	fault := jsonFault(text)
	if fault == "" {
		fault = `"Invalid value." at position 0.` // the engine's limits, not the text's
	}
	return mysqlError(3141, "22032", "Invalid JSON text in argument %v to function %s: %s", at, function, fault)
}

// castJSON is CAST(x AS JSON): a text is parsed, other values become the JSON values that are like them.
func castJSON(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	if text, ok := args[0].(string); ok {
		if fault := jsonFault(text); fault != "" {
			return nil, jsonTextError(1, "cast_as_json", text)
		}
	}
	if text, ok := jsonTime(args[0], call.args[0].Type()); ok {
		return types.JSONDocument{Val: text}, nil
	}
	doc, _, err := types.JSON.Convert(ctx, args[0])
	return doc, err
}

// jsonTime is a date or time as a JSON document shows it: with six digits of a second. The engine's form is Go's.
func jsonTime(v any, typ sql.Type) (text string, ok bool) {
	switch v := v.(type) {
	case time.Time:
		if types.IsDateType(typ) {
			return v.Format("2006-01-02"), true
		}
		return v.Format("2006-01-02 15:04:05.000000"), true
	case types.Timespan:
		text = v.String()
		if !strings.Contains(text, ".") {
			text += ".000000"
		}
		return text, true
	}
	return "", false
}
