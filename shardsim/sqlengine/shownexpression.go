package sqlengine

import "strings"

// shownExpression is the text of a default, generated column or check as SHOW CREATE TABLE has it. Kept is one that the engine reads
// again, in which MySQL's operators and literals of dates are functions:
//
//	date_add(`d`,interval 1 day)   ->   (`d` + interval 1 day)
//	date_literal('2024-01-31')     ->   DATE'2024-01-31'
func shownExpression(text string) string {
	var out strings.Builder
	for len(text) > 0 {
		if n := quotedPrefix(text); n > 0 {
			out.WriteString(text[:n])
			text = text[n:]
			continue
		}
		shown, n := shownCall(text)
		if n == 0 {
			n = 1
			for n < len(text) && isNameByte(text[0]) && isNameByte(text[n]) {
				n++
			}
			shown = text[:n]
		}
		out.WriteString(shown)
		text = text[n:]
	}
	return out.String()
}

// shownCall returns what a call at the beginning of a text is shown as, and how long it is: 0 for others.
func shownCall(text string) (shown string, length int) {
	name, rest, isCall := strings.Cut(text, "(")
	if !isCall {
		return "", 0
	}
	sign := "+"
	switch name {
	case "date_sub":
		sign = "-"
	case "date_add":
	case "date_literal", "time_literal", "timestamp_literal":
		n := quotedPrefix(rest)
		word, _, _ := strings.Cut(name, "_")
		if n == 0 || !strings.HasPrefix(rest[n:], ")") {
			return "", 0
		}
		return strings.ToUpper(word) + rest[:n], len(name) + n + 2
	case "cast_decimal", "cast_datetime", "cast_time", "cast_char":
		return shownCast(name, rest)
	default:
		return "", 0
	}
	comma, end := callParts(rest)
	if comma < 0 || end < 0 {
		return "", 0
	}
	interval, ok := strings.CutPrefix(strings.TrimLeft(rest[comma+1:end], " "), "interval ")
	space := strings.LastIndexByte(interval, ' ')
	if !ok || space < 0 {
		return "", 0
	}
	value, unit := interval[:space], strings.Trim(interval[space+1:], "`")
	return "(" + shownExpression(rest[:comma]) + " " + sign + " interval " + shownExpression(value) + " " + unit + ")", len(name) + end + 2
}

// shownCast is a cast: cast_decimal(x,5,2) is cast(x as decimal(5,2)).
func shownCast(name, rest string) (shown string, length int) {
	comma, end := callParts(rest)
	if comma < 0 || end < 0 {
		return "", 0
	}
	value, digits := rest[:comma], strings.TrimSpace(rest[comma+1:end])
	word := strings.TrimPrefix(name, "cast_")
	switch {
	case word == "decimal":
		comma = strings.LastIndexByte(value, ',')
		if comma < 0 {
			return "", 0
		}
		word += "(" + strings.TrimSpace(value[comma+1:]) + "," + digits + ")"
		value = value[:comma]
	case digits != "0":
		word += "(" + digits + ")"
	}
	return "cast(" + shownExpression(value) + " as " + word + ")", len(name) + end + 2
}

// callParts finds the last comma between the arguments of a call, and its end.
func callParts(rest string) (comma, end int) {
	comma = -1
	depth := 0
	for i := 0; i < len(rest); i++ {
		if n := quotedPrefix(rest[i:]); n > 0 {
			i += n - 1
			continue
		}
		switch rest[i] {
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return comma, i
			}
			depth--
		case ',':
			if depth == 0 {
				comma = i
			}
		}
	}
	return comma, -1
}

// quotedPrefix is the length of the quoted text or name at the beginning, 0 if there is none.
func quotedPrefix(text string) int {
	if text[0] != '\'' && text[0] != '`' && text[0] != '"' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] != '`':
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return 0
}
