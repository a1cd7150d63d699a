package regex

import (
	"errors"

	"vitess.io/vitess/go/mysql/icuregex"
)

// Errors of a replacement, in MySQL's words for ER_REGEXP_INDEX_OUTOFBOUNDS_ERROR
// and ER_REGEXP_INVALID_CAPTURE_GROUP_NAME.
var (
	errGroupNumber = errors.New("Index out of bounds in regular expression search.")
	errGroupName   = errors.New("A capture group has an invalid name.")
)

// appendReplacement appends what replaces the current match. $N is the text
// of group N, of as many digits as make a group that exists; a backslash takes
// the next character as it is. Groups by name, ${name}, are refused: the
// pattern does not tell its names.
func appendReplacement(out []rune, match *icuregex.Matcher, replacement []rune) ([]rune, error) {
	for i := 0; i < len(replacement); i++ {
		switch replacement[i] {
		case '\\':
			if i++; i < len(replacement) {
				out = append(out, replacement[i])
			}
		case '$':
			group, digits, err := groupNumber(replacement[i+1:], match.GroupCount())
			if err != nil {
				return nil, err
			}
			text, _ := match.Group(group) // a group that took no part is empty
			out = append(out, []rune(text)...)
			i += digits
		default:
			out = append(out, replacement[i])
		}
	}
	return out, nil
}

// groupNumber reads the number of a group that exists.
func groupNumber(text []rune, groups int) (number, digits int, err error) {
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
		next := number*10 + int(text[digits]-'0')
		if next > groups {
			break
		}
		number = next
		digits++
	}
	switch {
	case digits > 0:
		return number, digits, nil
	case len(text) > 0 && text[0] >= '0' && text[0] <= '9':
		return 0, 0, errGroupNumber
	}
	return 0, 0, errGroupName
}
