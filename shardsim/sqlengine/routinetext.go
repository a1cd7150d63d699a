package sqlengine

import (
	"encoding/hex"
	"regexp"
	"strings"

	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Statements of routines that the engine's parser does not know, or takes for others, become the CALL of a procedure that nobody
// can make, with the statement in its argument.

const hiddenProcedure = "hidden statement"

var (
	hiddenCall = regexp.MustCompile("call `" + hiddenProcedure + "`\\(x'([0-9a-f]*)'\\)")

	// setTransaction is about the next transaction; with SESSION it is about all, which the engine's parser tells.
	setTransaction = regexp.MustCompile(`(?is)^set\s+transaction\s[^;]*`)

	// notInRoutines begin with reserved words, and with what follows mean no clause of another statement.
	notInRoutines = regexp.MustCompile("(?is)^(?:(lock|unlock)\\s+(?:tables?|instance)\\b|(load\\s+(?:data|xml))\\b|(use)\\s+([\\w`]+))")
)

// hideStatements makes a routine's text one that the engine parses; showStatements is the way back.
func hideStatements(text string) string {
	var b strings.Builder
	eachWord(text, func(rest string, isWord bool) (length int, err error) {
		if isWord {
			for _, hidden := range []*regexp.Regexp{diagnosticsText, setTransaction} {
				if found := hidden.FindString(rest); found != "" {
					b.WriteString("call `" + hiddenProcedure + "`(x'" + hex.EncodeToString([]byte(found)) + "')")
					return len(found), nil
				}
			}
		}
		length = max(skippedLength(rest), 1)
		b.WriteString(rest[:length])
		return length, nil
	})
	return b.String()
}

func showStatements(text string) string {
	return hiddenCall.ReplaceAllStringFunc(text, func(call string) string {
		plain, _ := hex.DecodeString(hiddenCall.FindStringSubmatch(call)[1])
		return string(plain)
	})
}

// hiddenStatement returns the statement behind a CALL, "" if it is none that was hidden.
func hiddenStatement(call *dolt.Call) string {
	if call.ProcName.Name.String() != hiddenProcedure {
		return ""
	}
	plain, _ := hex.DecodeString(string(call.Params[0].(*dolt.SQLVal).Val))
	return string(plain)
}

// checkRoutineText refuses statements that MySQL does not let a routine be made with.
func checkRoutineText(text string) error {
	return eachWord(text, func(rest string, isWord bool) (length int, err error) {
		if found := notInRoutines.FindStringSubmatch(rest); isWord && found != nil {
			word := strings.ToUpper(found[1] + found[2] + found[3])
			hint := strings.ToUpper(found[4])
			if hint != "INDEX" && hint != "KEY" {
				return 0, mysqlError(1314, "0A000", "%s is not allowed in stored procedures", strings.Join(strings.Fields(word), " "))
			}
		}
		return max(skippedLength(rest), 1), nil
	})
}

// eachWord goes through a text. f gets what is left of it, and whether a word begins there that is no name after a dot, and
// returns the length to go on by.
func eachWord(text string, f func(rest string, isWord bool) (length int, err error)) error {
	for at := 0; at < len(text); {
		isWord := skippedLength(text[at:]) == 0 && (at == 0 || text[at-1] != '.' && !isWordByte(text[at-1]))
		length, err := f(text[at:], isWord)
		if err != nil {
			return err
		}
		at += length
	}
	return nil
}

func isWordByte(c byte) bool {
	return c == '_' || c == '@' || c == '$' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// skippedLength is how long the quoted text or comment is that a text begins with, 0 for none.
func skippedLength(text string) int {
	end := -1
	switch quote := text[0]; {
	case quote == '\'' || quote == '"' || quote == '`':
		for i := 1; i < len(text); i++ {
			if text[i] == '\\' && quote != '`' {
				i++
			} else if text[i] == quote {
				return i + 1
			}
		}
		return len(text)
	case strings.HasPrefix(text, "/*"):
		if end = strings.Index(text, "*/"); end >= 0 {
			return end + 2
		}
		return len(text)
	case text[0] == '#' || strings.HasPrefix(text, "-- "):
		if end = strings.IndexByte(text, '\n'); end >= 0 {
			return end
		}
		return len(text)
	}
	return 0
}
