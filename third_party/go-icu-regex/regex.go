package regex

import (
	"context"

	"gopkg.in/src-d/go-errors.v1"
	"vitess.io/vitess/go/mysql/icuregex"
)

// Regex is one pattern and one text, for one goroutine at a time. Positions
// and occurrences count from 1, in characters.
type Regex interface {
	// SetRegexString compiles the pattern. It comes before all others.
	SetRegexString(ctx context.Context, pattern string, flags RegexFlags) error
	// SetMatchString sets the text that the methods below look at.
	SetMatchString(ctx context.Context, text string) error
	// IndexOf is the position of a match, or that behind its end; 0 for none.
	IndexOf(ctx context.Context, start, occurrence int, endIndex bool) (int, error)
	// Matches tells whether there is a match. Here alone start counts from 0.
	Matches(ctx context.Context, start, occurrence int) (bool, error)
	// Replace gives the text with one match replaced, or all from start on if
	// occurrence is 0.
	Replace(ctx context.Context, replacement string, start, occurrence int) (string, error)
	// Substring is the text of a match; false for none.
	Substring(ctx context.Context, start, occurrence int) (string, bool, error)
	// StringBufferSize is what CreateRegex was given.
	StringBufferSize() uint32
	// Close ends the use of the Regex.
	Close() error
}

// RegexFlags change what a pattern means; the numbers are ICU's.
type RegexFlags uint32

// The flags of ICU's URegexpFlag.
const (
	RegexFlags_None                     RegexFlags = 0
	RegexFlags_Unix_Lines                          = RegexFlags(icuregex.UnixLines)
	RegexFlags_Case_Insensitive                    = RegexFlags(icuregex.CaseInsensitive)
	RegexFlags_Comments                            = RegexFlags(icuregex.Comments)
	RegexFlags_Multiline                           = RegexFlags(icuregex.Multiline)
	RegexFlags_Literal                             = RegexFlags(icuregex.Literal)
	RegexFlags_Dot_All                             = RegexFlags(icuregex.DotAll)
	RegexFlags_Unicode_Word                        = RegexFlags(icuregex.UWord)
	RegexFlags_Error_On_Unknown_Escapes            = RegexFlags(icuregex.ErrorOnUnknownEscapes)
)

// The kinds of errors, worded as the package this one stands in for has them.
var (
	ErrRegexNotYetSet = errors.NewKind("SetRegexString must be called before any other function")
	ErrMatchNotYetSet = errors.NewKind("SetMatchString must be called as there is nothing to match against")
	ErrInvalidRegex   = errors.NewKind("the given regular expression is invalid")
)

// ShouldPanic has no effect: a Regex is plain memory and cannot leak.
var ShouldPanic = true

// SetRegexLeakHandler has no effect, as ShouldPanic.
func SetRegexLeakHandler(func()) {}

// CreateRegex makes a Regex. The size is kept for StringBufferSize alone.
func CreateRegex(stringBufferInBytes uint32) Regex {
	return &expression{bufferSize: stringBufferInBytes}
}

// expression is the one Regex.
type expression struct {
	bufferSize uint32
	matcher    *icuregex.Matcher // nil: no pattern yet
	text       []rune
	hasText    bool
}

var _ Regex = (*expression)(nil)

func (e *expression) SetRegexString(_ context.Context, pattern string, flags RegexFlags) error {
	e.matcher, e.text, e.hasText = nil, nil, false
	compiled, err := icuregex.CompileString(pattern, icuregex.RegexpFlag(flags))
	if err != nil {
		return ErrInvalidRegex.Wrap(err)
	}
	e.matcher = icuregex.NewMatcher(compiled)
	return nil
}

func (e *expression) SetMatchString(_ context.Context, text string) error {
	if e.matcher == nil {
		return ErrRegexNotYetSet.New()
	}
	e.text, e.hasText = []rune(text), true
	return nil
}

func (e *expression) IndexOf(_ context.Context, start, occurrence int, endIndex bool) (int, error) {
	found, err := e.find(start-1, occurrence)
	switch {
	case err != nil || !found:
		return 0, err
	case endIndex:
		return e.matcher.End() + 1, nil
	}
	return e.matcher.Start() + 1, nil
}

func (e *expression) Matches(_ context.Context, start, occurrence int) (bool, error) {
	return e.find(start, occurrence)
}

func (e *expression) Substring(_ context.Context, start, occurrence int) (string, bool, error) {
	found, err := e.find(start-1, occurrence)
	if err != nil || !found {
		return "", false, err
	}
	return string(e.text[e.matcher.Start():e.matcher.End()]), true, nil
}

func (e *expression) Replace(_ context.Context, replacement string, start, occurrence int) (string, error) {
	found, err := e.find(start-1, occurrence)
	if err != nil {
		return "", err
	}
	var out []rune
	copied := 0
	for found {
		out = append(out, e.text[copied:e.matcher.Start()]...)
		if out, err = appendReplacement(out, e.matcher, []rune(replacement)); err != nil {
			return "", err
		}
		copied = e.matcher.End()
		if occurrence > 0 {
			break
		}
		if found, err = e.matcher.Find(); err != nil {
			return "", err
		}
	}
	return string(append(out, e.text[copied:]...)), nil
}

func (e *expression) StringBufferSize() uint32 { return e.bufferSize }

func (e *expression) Close() error {
	e.matcher, e.text, e.hasText = nil, nil, false
	return nil
}

// find goes to a match: the first at or after index start, then occurrence-1
// further ones. What lies before start still counts for ^, \b and lookbehind.
func (e *expression) find(start, occurrence int) (bool, error) {
	switch {
	case e.matcher == nil:
		return false, ErrRegexNotYetSet.New()
	case !e.hasText:
		return false, ErrMatchNotYetSet.New()
	}
	found, err := e.findFirst(start)
	for n := 1; n < occurrence && found && err == nil; n++ {
		found, err = e.matcher.Find()
	}
	return found && err == nil, err
}

// findFirst is the matcher's Find from another index than 0, which it does not
// offer: one attempt at each index.
func (e *expression) findFirst(start int) (bool, error) {
	e.matcher.Reset(e.text)
	if start <= 0 {
		return e.matcher.Find()
	}
	for i := start; i <= len(e.text); i++ {
		if err := e.matcher.MatchAt(i, false); err != nil {
			return false, err
		}
		if e.matcher.Start() >= 0 {
			return true, nil
		}
	}
	return false, nil
}
