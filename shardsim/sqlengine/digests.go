package sqlengine

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash/crc32"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// digestFunctions are functions of the bytes of texts and binary strings. The engine wants these to be texts.
var digestFunctions = map[string]scalarFunction{
	"md5":        {min: 1, max: 1, typ: fixedType(defaultTextType), eval: digest(func(b []byte) []byte { sum := md5.Sum(b); return sum[:] })},
	"sha":        {min: 1, max: 1, typ: fixedType(defaultTextType), eval: digest(func(b []byte) []byte { sum := sha1.Sum(b); return sum[:] })},
	"sha1":       {min: 1, max: 1, typ: fixedType(defaultTextType), eval: digest(func(b []byte) []byte { sum := sha1.Sum(b); return sum[:] })},
	"sha2":       {min: 2, max: 2, typ: fixedType(defaultTextType), eval: sha2},
	"crc32":      {min: 1, max: 1, typ: fixedType(types.Uint64), eval: crc},
	"to_base64":  {min: 1, max: 1, typ: fixedType(defaultTextType), eval: toBase64},
	"unhex":      {min: 1, max: 1, typ: fixedType(types.LongBlob), eval: unhex},
	"bit_length": {min: 1, max: 1, typ: fixedType(types.Int64), eval: bitLength},
	"ascii":      {min: 1, max: 1, typ: fixedType(types.Int64), eval: firstByte},
}

func digest(sum func([]byte) []byte) func(*sql.Context, *scalarCall, []any) (any, error) {
	return func(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
		return hex.EncodeToString(sum(bytesOf(args[0]))), nil
	}
}

// sha2 is SHA2(s, bits): NULL for lengths there are not; 0 is 256.
func sha2(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	bits, err := integer(ctx, args[1])
	if err != nil {
		return nil, err
	}
	text := bytesOf(args[0])
	var sum []byte
	switch bits {
	case 224:
		s := sha256.Sum224(text)
		sum = s[:]
	case 0, 256:
		s := sha256.Sum256(text)
		sum = s[:]
	case 384:
		s := sha512.Sum384(text)
		sum = s[:]
	case 512:
		s := sha512.Sum512(text)
		sum = s[:]
	default:
		return nil, nil
	}
	return hex.EncodeToString(sum), nil
}

func crc(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	return uint64(crc32.ChecksumIEEE(bytesOf(args[0]))), nil
}

// base64Line is how many characters TO_BASE64 puts on a line.
const base64Line = 76

func toBase64(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	text := base64.StdEncoding.EncodeToString(bytesOf(args[0]))
	var lines []string
	for len(text) > base64Line {
		lines, text = append(lines, text[:base64Line]), text[base64Line:]
	}
	return strings.Join(append(lines, text), "\n"), nil
}

func firstByte(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	text := bytesOf(args[0])
	if len(text) == 0 {
		return int64(0), nil
	}
	return int64(text[0]), nil
}

// unhex is UNHEX(s): NULL if s is not hexadecimal. A digit may lack before an odd number of them.
func unhex(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	digits := bytesOf(args[0])
	if len(digits)%2 == 1 {
		digits = append([]byte("0"), digits...)
	}
	raw, err := hex.DecodeString(string(digits))
	if err != nil {
		return nil, nil
	}
	return raw, nil
}

func bitLength(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	return int64(len(bytesOf(args[0])) * 8), nil
}
