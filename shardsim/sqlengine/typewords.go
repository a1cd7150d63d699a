package sqlengine

import (
	"regexp"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// typeWords are types that the gateway's grammar has not, by what they are short for.
var typeWords = []struct {
	words *regexp.Regexp
	means string
}{
	{regexp.MustCompile(`(?i)^serial\b`), "bigint unsigned not null auto_increment unique"},
	{regexp.MustCompile(`(?i)^double\s+precision\b`), "double"},
	{regexp.MustCompile(`(?i)^(dec|fixed)\b`), "decimal"},
}

// withTypeWords parses a definition of a table again, in which the grammar met a type it has not: it takes such for
// definitions that are not its business. It returns what it is given where that was something else.
func withTypeWords(parse func(string) (sqlparser.Statement, error), text string, ast sqlparser.Statement) sqlparser.Statement {
	ddl, ok := ast.(sqlparser.DDLStatement)
	if !ok || ddl.IsFullyParsed() {
		return ast
	}
	again, err := parse(spelledOut(text))
	if full, ok := again.(sqlparser.DDLStatement); err == nil && ok && full.IsFullyParsed() {
		return again
	}
	return ast
}

// spelledOut replaces typeWords that follow a name, outside of quotes.
func spelledOut(text string) string {
	var out strings.Builder
	afterName := false
	for at := 0; at < len(text); {
		c := text[at]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			out.WriteByte(c)
			at++
		case skippedLength(text[at:]) > 0:
			end := at + skippedLength(text[at:])
			out.WriteString(text[at:end])
			at, afterName = end, c == '`'
		case isWordByte(c):
			end := at
			for end < len(text) && isWordByte(text[end]) {
				end++
			}
			word := text[at:end]
			if afterName {
				for _, t := range typeWords {
					if found := t.words.FindString(text[at:]); found != "" {
						word, end = t.means, at+len(found)
						break
					}
				}
			}
			out.WriteString(word)
			at, afterName = end, true
		default:
			out.WriteByte(c)
			at++
			afterName = false
		}
	}
	return out.String()
}
