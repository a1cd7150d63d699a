package sqlengine

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// characterFunctions give parts of texts, or texts with others put in. Positions count characters from 1; of binary strings
// they count bytes.
var characterFunctions = map[string]scalarFunction{
	"left":            {min: 2, max: 2, typ: firstTextType, eval: leftPart},
	"right":           {min: 2, max: 2, typ: firstTextType, eval: rightPart},
	"upper":           {min: 1, max: 1, typ: firstTextType, eval: mapLetters(strings.ToUpper)},
	"ucase":           {min: 1, max: 1, typ: firstTextType, eval: mapLetters(strings.ToUpper)},
	"lower":           {min: 1, max: 1, typ: firstTextType, eval: mapLetters(strings.ToLower)},
	"lcase":           {min: 1, max: 1, typ: firstTextType, eval: mapLetters(strings.ToLower)},
	"reverse":         {min: 1, max: 1, typ: firstTextType, eval: reverseText},
	"repeat":          {min: 2, max: 2, typ: firstTextType, eval: repeatText},
	"insert":          {min: 4, max: 4, typ: textsType, eval: insertText},
	"lpad":            {min: 3, max: 3, typ: textsType, eval: padLeft},
	"rpad":            {min: 3, max: 3, typ: textsType, eval: padRight},
	"mid":             {min: 3, max: 3, typ: firstTextType, eval: substring},
	"substring":       {min: 2, max: 3, typ: firstTextType, eval: substring},
	"substring_index": {min: 3, max: 3, typ: firstTextType, eval: substringIndex},
	"quote":           {min: 1, max: 1, nulls: true, typ: firstTextType, eval: sqlQuoted},
	"soundex":         {min: 1, max: 1, typ: firstTextType, eval: soundex},
}

// firstTextType is the type of a part of the first argument.
func firstTextType(args []sql.Expression) sql.Type { return textsType(args[:1]) }

// textsType is the type of what is put together of all arguments that are texts: binary if one of them is.
func textsType(args []sql.Expression) sql.Type {
	typ := sql.Type(defaultTextType)
	for i, a := range args {
		t, ok := plainString(a.Type())
		if !ok {
			continue
		}
		if t.Collation() == sql.Collation_binary {
			return types.LongBlob
		}
		if i == 0 {
			typ = longText(t)
		}
	}
	return typ
}

// characters are the characters of a text, each as its bytes.
func characters(call *scalarCall, v any) [][]byte {
	raw := bytesOf(v)
	if call.Type() != types.LongBlob {
		parts := make([][]byte, 0, len(raw))
		for len(raw) > 0 {
			_, n := utf8.DecodeRune(raw)
			parts, raw = append(parts, raw[:n]), raw[n:]
		}
		return parts
	}
	parts := make([][]byte, len(raw))
	for i := range raw {
		parts[i] = raw[i : i+1]
	}
	return parts
}

// resultText is a text as a call gives it.
func resultText(call *scalarCall, parts ...[]byte) (any, error) {
	all := bytes.Join(parts, nil)
	if call.Type() == types.LongBlob {
		return all, nil
	}
	return string(all), nil
}

func leftPart(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	text := characters(call, args[0])
	n, err := integer(ctx, args[1])
	if err != nil {
		return nil, err
	}
	return resultText(call, text[:min(max(n, 0), int64(len(text)))]...)
}

func rightPart(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	text := characters(call, args[0])
	n, err := integer(ctx, args[1])
	if err != nil {
		return nil, err
	}
	return resultText(call, text[int64(len(text))-min(max(n, 0), int64(len(text))):]...)
}

// mapLetters is UPPER or LOWER, which leave binary strings as they are.
func mapLetters(change func(string) string) func(*sql.Context, *scalarCall, []any) (any, error) {
	return func(_ *sql.Context, call *scalarCall, args []any) (any, error) {
		if call.Type() == types.LongBlob {
			return bytesOf(args[0]), nil
		}
		return change(string(bytesOf(args[0]))), nil
	}
}

func reverseText(_ *sql.Context, call *scalarCall, args []any) (any, error) {
	text := characters(call, args[0])
	slices.Reverse(text)
	return resultText(call, text...)
}

// repeatText is REPEAT(s, n): NULL if that is beyond a packet.
func repeatText(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	text := bytesOf(args[0])
	n, err := integer(ctx, args[1])
	if err != nil {
		return nil, err
	}
	if n > 0 && int64(len(text)) > textBytesMax/n {
		return nil, nil
	}
	return resultText(call, bytes.Repeat(text, int(max(n, 0))))
}

// insertText is INSERT(s, pos, len, new): new in place of len characters from the pos-th on.
func insertText(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	text := characters(call, args[0])
	pos, err := integer(ctx, args[1])
	if err != nil {
		return nil, err
	}
	length, err := integer(ctx, args[2])
	if err != nil {
		return nil, err
	}
	if pos < 1 || pos > int64(len(text)) {
		return resultText(call, text...)
	}
	rest := text[pos-1:]
	if length < 0 || length > int64(len(rest)) {
		length = int64(len(rest))
	}
	parts := append(append(append([][]byte(nil), text[:pos-1]...), bytesOf(args[3])), rest[length:]...)
	return resultText(call, parts...)
}

func padLeft(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	return pad(ctx, call, args, func(text, padding [][]byte) [][]byte { return append(padding, text...) })
}

func padRight(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	return pad(ctx, call, args, func(text, padding [][]byte) [][]byte { return append(text, padding...) })
}

// pad is LPAD or RPAD(s, length, padding). NULL if the length is negative or beyond a packet, ” if the padding is.
func pad(ctx *sql.Context, call *scalarCall, args []any, join func(text, padding [][]byte) [][]byte) (any, error) {
	text, filler := characters(call, args[0]), characters(call, args[2])
	length, err := integer(ctx, args[1])
	if err != nil || length < 0 || length > textBytesMax {
		return nil, err
	}
	if length <= int64(len(text)) {
		return resultText(call, text[:length]...)
	}
	if len(filler) == 0 {
		return resultText(call)
	}
	padding := make([][]byte, 0, length)
	for i := range length - int64(len(text)) {
		padding = append(padding, filler[int(i)%len(filler)])
	}
	return resultText(call, join(text[:len(text):len(text)], padding)...)
}

// textBytesMax is max_allowed_packet.
const textBytesMax = 64 << 20

// substring is SUBSTRING(s, pos) or SUBSTRING(s, pos, len). A negative pos counts from the end.
func substring(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	text := characters(call, args[0])
	n := int64(len(text))
	pos, err := integer(ctx, args[1])
	if err != nil {
		return nil, err
	}
	length := n
	if len(args) == 3 {
		if length, err = integer(ctx, args[2]); err != nil {
			return nil, err
		}
	}
	if pos < 0 {
		pos += n + 1
	}
	if pos < 1 || pos > n || length < 1 {
		return resultText(call)
	}
	rest := text[pos-1:]
	return resultText(call, rest[:min(length, int64(len(rest)))]...)
}

// substringIndex is SUBSTRING_INDEX(s, delimiter, n): what is before the n-th delimiter, or after it from the end.
func substringIndex(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	n, err := integer(ctx, args[2])
	if err != nil {
		return nil, err
	}
	delimiter := bytesOf(args[1])
	if len(delimiter) == 0 || n == 0 {
		return resultText(call)
	}
	parts := bytes.Split(bytesOf(args[0]), delimiter)
	switch {
	case n > 0 && n < int64(len(parts)):
		parts = parts[:n]
	case n < 0 && n > -int64(len(parts)):
		parts = parts[int64(len(parts))+n:]
	}
	return resultText(call, bytes.Join(parts, delimiter))
}

// sqlQuoted is QUOTE(s): a literal of SQL, NULL for NULL.
func sqlQuoted(_ *sql.Context, call *scalarCall, args []any) (any, error) {
	if args[0] == nil {
		return resultText(call, []byte("NULL"))
	}
	escaped := strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\x00", `\0`, "\x1a", `\Z`).Replace(string(bytesOf(args[0])))
	return resultText(call, []byte("'"+escaped+"'"))
}

// soundexCodes are the digits of the letters A to Z.
const soundexCodes = "01230120022455012623010202"

// soundex is SOUNDEX(s): the first letter and the digits of those after it, at least four characters. Letters that are not
// English have no digit.
func soundex(_ *sql.Context, call *scalarCall, args []any) (any, error) {
	var out []byte
	last := byte('0')
	for _, r := range string(bytesOf(args[0])) {
		if 'a' <= r && r <= 'z' {
			r += 'A' - 'a'
		}
		code := byte('0')
		switch {
		case 'A' <= r && r <= 'Z':
			code = soundexCodes[r-'A']
		case r < 0xc0:
			continue
		}
		switch {
		case out == nil:
			out = utf8.AppendRune(out, r)
			last = code
		case code != '0' && code != last:
			out = append(out, code)
			last = code
		}
	}
	for out != nil && utf8.RuneCount(out) < 4 {
		out = append(out, '0')
	}
	return resultText(call, out)
}
