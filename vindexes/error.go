package vindexes

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is a mistake in a VSchema: where it stands, and what would be right.
type Error struct {
	File    string // empty: not from a file
	Line    int    // 0: not known
	Path    string // as in keyspaces.shop.tables.item.column_vindexes[0].name
	Message string
}

// Error prints "file:line: path: message", without the parts that are empty.
func (e *Error) Error() string {
	var parts []string
	if e.File != "" {
		place := e.File
		if e.Line > 0 {
			place = fmt.Sprintf("%s:%d", e.File, e.Line)
		}
		parts = append(parts, place)
	}
	if e.Path != "" {
		parts = append(parts, e.Path)
	}
	return strings.Join(append(parts, e.Message), ": ")
}

// mistake makes an Error of a path and a message.
func mistake(path, format string, args ...any) *Error {
	return &Error{Path: path, Message: fmt.Sprintf(format, args...)}
}

// DidYouMean is a hint at the name nearest to the one given: ", did you mean
// ...?", or a list of the names if none is near, or nothing if there are none.
func DidYouMean(name string, names []string) string {
	if near := nearest(name, names); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	const namesMax = 30
	if len(names) == 0 || len(names) > namesMax {
		return ""
	}
	return ", valid names are " + strings.Join(names, ", ")
}

// Slip is the name that was surely meant by one that is a single edit away;
// empty for none. It is for names that may stand for something not known here:
// a name of one or two letters is never a slip.
func Slip(name string, names []string) string {
	const lettersMin = 3
	near := nearest(name, names)
	if utf8.RuneCountInString(name) < lettersMin || editDistance(strings.ToLower(name), strings.ToLower(near)) > 1 {
		return ""
	}
	return near
}

// nearest picks the name that the fewest edits make of the one given; empty if
// it takes more than a third of its letters.
func nearest(name string, names []string) string {
	best, bestEdits := "", 1+max(1, utf8.RuneCountInString(name)/3)
	for _, candidate := range names {
		if edits := editDistance(strings.ToLower(name), strings.ToLower(candidate)); edits < bestEdits {
			best, bestEdits = candidate, edits
		}
	}
	return best
}

// editDistance counts the letters to insert, remove, change or swap with their
// neighbour to make b of a.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
