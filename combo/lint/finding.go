package lint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/vitrodb/vitro/vindexes"
)

// Level says how sure it is that a finding is a mistake.
type Level string

// The levels. An Error fails at the start or when a statement meets it; a Warning may be meant.
const (
	Error   Level = "error"
	Warning Level = "warning"
)

// Finding is one mistake.
type Finding struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"` // 0: not known
	Path    string `json:"path,omitempty"` // inside the file's JSON, as in tables.item.column_vindexes[0].name
	Level   Level  `json:"level"`
	Check   string `json:"check"`
	Message string `json:"message"`
}

// String prints "file:line: path: message [check]", and says of a warning that it is one.
func (f Finding) String() string {
	message := f.Message
	if f.Level == Warning {
		message = "warning: " + message
	}
	mistake := vindexes.Error{File: f.File, Line: f.Line, Path: f.Path, Message: message}
	return fmt.Sprintf("%s [%s]", mistake.Error(), f.Check)
}

// Of makes an error of level Error a finding of a check.
func Of(check string, err error) Finding {
	var mistake *vindexes.Error
	if errors.As(err, &mistake) {
		return Finding{mistake.File, mistake.Line, mistake.Path, Error, check, mistake.Message}
	}
	return Finding{Level: Error, Check: check, Message: err.Error()}
}

// Sort puts findings in the order of files, lines and paths.
func Sort(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
}
