package combo

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/vitrodb/vitro/vindexes"
)

// statement is one SQL statement and the place it stands at.
type statement struct {
	file string
	line int // of its first word
	sql  string
}

// sourceDepthMax limits how deep files may include one another.
const sourceDepthMax = 20

// readScript reads a file and cuts it into statements, files it includes with
// "source" in place. shown is how the file is called in messages.
func readScript(fsys fs.FS, name, shown string, depth int) ([]statement, error) {
	if depth > sourceDepthMax {
		return nil, &vindexes.Error{File: shown, Message: fmt.Sprintf("files include one another more than %d deep: is there a circle?", sourceDepthMax)}
	}
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	cut, err := splitScript(string(data), shown)
	if err != nil {
		return nil, err
	}
	var statements []statement
	for _, stmt := range cut {
		included, ok := includedFile(stmt.sql)
		if !ok {
			statements = append(statements, stmt)
			continue
		}
		target := path.Join(path.Dir(name), included)
		inner, err := readScript(fsys, target, path.Join(path.Dir(shown), included), depth+1)
		if err != nil {
			return nil, &vindexes.Error{File: stmt.file, Line: stmt.line, Message: fmt.Sprintf("source %s: %s", included, err.Error())}
		}
		statements = append(statements, inner...)
	}
	return statements, nil
}

// includedFile is the file of a "source FILE" line.
func includedFile(sql string) (string, bool) {
	words := strings.Fields(sql)
	if len(words) == 2 && (strings.EqualFold(words[0], "source") || words[0] == `\.`) {
		return strings.Trim(words[1], `'"`), true
	}
	return "", false
}

// splitScript cuts a text into statements at ";" outside of quotes and
// comments. Comments of one line are dropped; /* */ stay, they may be hints.
// "source FILE" and "DELIMITER x" end with their line, as in the mysql client.
func splitScript(text, file string) ([]statement, error) {
	s := &splitter{text: text, file: file, line: 1, delimiter: ";"}
	for s.at < len(s.text) {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	s.end()
	return s.statements, nil
}

// splitter walks a text.
type splitter struct {
	text, file string
	at, line   int
	delimiter  string

	sql        strings.Builder // the statement so far, without blanks before it
	first      int             // the line of its first word
	statements []statement
}

// step looks at what stands at the present place.
func (s *splitter) step() error {
	rest := s.text[s.at:]
	switch {
	case s.lineCommand(rest):
	case strings.HasPrefix(rest, s.delimiter) && !s.insideProgram():
		s.at += len(s.delimiter)
		s.end()
	case rest[0] == '#' || strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '):
		s.skip(lineLength(rest))
	case strings.HasPrefix(rest, "/*"):
		return s.take(rest, strings.Index(rest[2:], "*/")+4, "comment")
	case rest[0] == '\'' || rest[0] == '"' || rest[0] == '`':
		return s.take(rest, quotedLength(rest), "quoted text")
	default:
		s.keep(rest[:1])
	}
	return nil
}

// lineCommand handles the commands that end with their line, where a
// statement begins.
func (s *splitter) lineCommand(rest string) bool {
	if s.sql.Len() > 0 || s.at > 0 && s.text[s.at-1] != '\n' && strings.TrimSpace(s.text[strings.LastIndexByte(s.text[:s.at], '\n')+1:s.at]) != "" {
		return false
	}
	line := strings.TrimSpace(rest[:lineLength(rest)])
	word, argument, _ := strings.Cut(line, " ")
	switch {
	case strings.EqualFold(word, "delimiter") && strings.TrimSpace(argument) != "":
		s.delimiter = strings.TrimSpace(argument)
	case (strings.EqualFold(word, "source") || word == `\.`) && strings.TrimSpace(argument) != "":
		s.statements = append(s.statements, statement{s.file, s.line, strings.TrimRight(line, "; \t")})
	default:
		return false
	}
	s.skip(lineLength(rest))
	return true
}

func lineLength(rest string) int {
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		return end
	}
	return len(rest)
}

// quotedLength is how long the quoted text at the beginning is; less than 2
// where its end is missing.
func quotedLength(rest string) int {
	quote := rest[0]
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == '\\' && quote != '`':
			i++
		case rest[i] != quote:
		case i+1 < len(rest) && rest[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return 0
}

// take keeps n bytes; too few mean that the end of what began is missing.
func (s *splitter) take(rest string, n int, what string) error {
	if n < 2 || what == "comment" && n < 4 {
		return &vindexes.Error{File: s.file, Line: s.line, Message: "the " + what + " that begins here does not end"}
	}
	s.keep(rest[:n])
	return nil
}

// keep adds to the statement, and skip passes over.
func (s *splitter) keep(part string) {
	if s.sql.Len() > 0 || strings.TrimSpace(part) != "" {
		if s.sql.Len() == 0 {
			s.first = s.line
		}
		s.sql.WriteString(part)
	}
	s.skip(len(part))
}

func (s *splitter) skip(n int) {
	s.line += strings.Count(s.text[s.at:s.at+n], "\n")
	s.at += n
}

// storedProgram matches the beginning of a statement whose body may hold
// statements of its own.
var storedProgram = regexp.MustCompile(`(?i)^create\s+(definer\s*=\s*\S+\s+)?(or\s+replace\s+)?(procedure|function|trigger|event)\b`)

// insideProgram says whether the statement so far is a stored program whose
// BEGIN has not met its END.
func (s *splitter) insideProgram() bool {
	sql := s.sql.String()
	if s.delimiter != ";" || !storedProgram.MatchString(sql) {
		return false
	}
	depth, last := 0, ""
	for _, word := range programWord.FindAllString(sql, -1) {
		word = strings.ToLower(word)
		switch {
		case word == "begin", word == "case" && last != "end":
			depth++
		case word == "end":
			depth--
		case last == "end" && (word == "if" || word == "loop" || word == "while" || word == "repeat"):
			depth++ // it ended something that was not counted
		}
		last = word
	}
	return depth > 0
}

// programWord matches quoted texts, so that words in them do not count, and
// words.
var programWord = regexp.MustCompile("'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|[A-Za-z_]+")

// end ends the statement.
func (s *splitter) end() {
	if sql := strings.TrimSpace(s.sql.String()); sql != "" {
		s.statements = append(s.statements, statement{s.file, s.first, sql})
	}
	s.sql.Reset()
}
