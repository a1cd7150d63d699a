package sqlengine

import (
	"bytes"
	"crypto/aes"
	"fmt"
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// stringFunctions are functions of texts and bits, and about the session, that the engine lacks or has otherwise than MySQL.
var stringFunctions = map[string]scalarFunction{
	"export_set":           {min: 3, max: 5, typ: fixedType(defaultTextType), eval: exportSet},
	"make_set":             {min: 2, max: 65, typ: fixedType(defaultTextType), eval: makeSet, nulls: true},
	"char_of":              {min: 1, max: 255, typ: fixedType(types.LongBlob), eval: charOf, nulls: true},
	"bit_not":              {min: 1, max: 1, typ: bitNotType, eval: bitNot},
	"interval_of":          {min: 2, max: 255, typ: fixedType(types.Int64), eval: intervalOf, nulls: true},
	"benchmark":            {min: 2, max: 2, typ: fixedType(types.Int64), eval: benchmark, nulls: true},
	"format_bytes":         {min: 1, max: 1, typ: fixedType(defaultTextType), eval: formatBytes},
	"format_pico_time":     {min: 1, max: 1, typ: fixedType(defaultTextType), eval: formatPicoTime},
	"aes_encrypt":          {min: 2, max: 2, typ: fixedType(types.LongBlob), eval: aesEncrypt},
	"aes_decrypt":          {min: 2, max: 2, typ: fixedType(types.LongBlob), eval: aesDecrypt},
	"current_role":         {typ: fixedType(defaultTextType), eval: constant("NONE")},
	"user":                 {typ: fixedType(defaultTextType), eval: constant(sessionUser)},
	"current_user":         {typ: fixedType(defaultTextType), eval: constant(sessionUser)},
	"session_user":         {typ: fixedType(defaultTextType), eval: constant(sessionUser)},
	"system_user":          {typ: fixedType(defaultTextType), eval: constant(sessionUser)},
	"ps_current_thread_id": {typ: fixedType(types.Uint64), eval: threadID},
	"uuid_short":           {typ: fixedType(types.Uint64), eval: uuidShort},
	"set_user_variable":    {min: 2, max: 2, typ: secondType, eval: setUserVariable, nulls: true},
}

// sessionUser is who everyone is to a shard: accounts end at the gateway.
const sessionUser = "root@localhost"

func constant(text string) func(*sql.Context, *scalarCall, []any) (any, error) {
	return func(*sql.Context, *scalarCall, []any) (any, error) { return text, nil }
}

func threadID(ctx *sql.Context, _ *scalarCall, _ []any) (any, error) {
	return uint64(ctx.Session.ID()), nil
}

// uuidShort counts on from the time, as MySQL's does from the server's start.
func uuidShort(ctx *sql.Context, _ *scalarCall, _ []any) (any, error) {
	s := fromContext(ctx)
	return uint64(ctx.QueryTime().Unix())<<24 + s.engine.shortIDs.Add(1), nil
}

func texts(args []any) []string {
	all := make([]string, len(args))
	for i, a := range args {
		all[i] = shownText(a)
	}
	return all
}

// unsigned returns an argument as 64 bits.
func unsigned(ctx *sql.Context, v any) (uint64, error) {
	if n, ok := v.(uint64); ok {
		return n, nil
	}
	if b, ok := v.([]byte); ok && len(b) <= 8 {
		n := uint64(0)
		for _, c := range b {
			n = n<<8 | uint64(c)
		}
		return n, nil
	}
	if text, ok := v.(string); ok && !strings.HasPrefix(strings.TrimSpace(text), "-") {
		return prefixInteger(text, true).(uint64), nil
	}
	if f, ok := v.(float64); ok && f >= math.MaxInt64 {
		return uint64(min(f, 1<<64-2048)), nil
	}
	if n, ok := bigInt(v); ok && n.IsUint64() {
		return n.Uint64(), nil
	}
	n, err := integer(ctx, v)
	return uint64(n), err
}

func exportSet(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	bits, err := unsigned(ctx, args[0])
	if err != nil {
		return nil, err
	}
	separator, count := ",", int64(64)
	if len(args) > 3 {
		separator = shownText(args[3])
	}
	if len(args) > 4 {
		if count, err = integer(ctx, args[4]); err != nil {
			return nil, err
		}
		if count < 0 || count > 64 {
			count = 64
		}
	}
	words := texts(args[1:3])
	all := make([]string, count)
	for i := range all {
		all[i] = words[1]
		if bits>>i&1 == 1 {
			all[i] = words[0]
		}
	}
	return strings.Join(all, separator), nil
}

func makeSet(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	bits, err := unsigned(ctx, args[0])
	if err != nil {
		return nil, err
	}
	var all []string
	for i, a := range args[1:] {
		if bits>>i&1 == 1 && a != nil {
			all = append(all, shownText(a))
		}
	}
	return strings.Join(all, ","), nil
}

// charOf is CHAR(n, ...): the bytes of numbers, a NULL among them left out.
func charOf(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	out := []byte{}
	for _, a := range args {
		if a == nil {
			continue
		}
		n, err := unsigned(ctx, a)
		if err != nil {
			return nil, err
		}
		code := uint32(n)
		started := false
		for shift := 24; shift >= 0; shift -= 8 {
			b := byte(code >> shift)
			if started = started || b != 0 || shift == 0; started {
				out = append(out, b)
			}
		}
	}
	return out, nil
}

func bitNot(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	if call.Type() == types.LongBlob {
		raw := bytes.Clone(bytesOf(args[0]))
		for i := range raw {
			raw[i] = ^raw[i]
		}
		return raw, nil
	}
	n, err := unsigned(ctx, args[0])
	return ^n, err
}

// bitNotType is the type of ~x: bytes for a binary string.
func bitNotType(args []sql.Expression) sql.Type {
	if onBytes("~", args) {
		return types.LongBlob
	}
	return types.Uint64
}

// intervalOf is INTERVAL(n, a, b, ...): how many of the ascending numbers are at most n, -1 for NULL.
func intervalOf(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	if args[0] == nil {
		return int64(-1), nil
	}
	n, err := floatOf(ctx, args[0])
	if err != nil {
		return nil, err
	}
	count := int64(0)
	for _, a := range args[1:] {
		if a != nil {
			limit, err := floatOf(ctx, a)
			if err != nil {
				return nil, err
			}
			if limit > n {
				break
			}
		}
		count++
	}
	return count, nil
}

// benchmark is BENCHMARK(n, expr), whose expression has been evaluated once by now.
func benchmark(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	n, err := integer(ctx, args[0])
	if err != nil || n < 0 {
		return nil, err
	}
	return int64(0), nil
}

func formatBytes(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	n, err := floatOf(ctx, args[0])
	if err != nil {
		return nil, err
	}
	return scaled(n, 1024, []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}), nil
}

func formatPicoTime(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	n, err := floatOf(ctx, args[0])
	if err != nil {
		return nil, err
	}
	for _, unit := range []struct {
		size float64
		name string
	}{{86400e12, "d"}, {3600e12, "h"}, {60e12, "min"}, {1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}} {
		if math.Abs(n) >= unit.size {
			return fmt.Sprintf("%.2f %s", n/unit.size, unit.name), nil
		}
	}
	return fmt.Sprintf("%3.0f ps", n), nil
}

func scaled(n, step float64, units []string) string {
	at := 0
	for math.Abs(n) >= step && at < len(units)-1 {
		n /= step
		at++
	}
	if at == 0 {
		return fmt.Sprintf("%4.0f %s", n, units[0])
	}
	return fmt.Sprintf("%.2f %s", n, units[at])
}

// aesKey folds a key to the 128 bits of block_encryption_mode's default, aes-128-ecb.
func aesKey(v any) []byte {
	key := make([]byte, 16)
	for i, c := range []byte(shownText(v)) {
		key[i%16] ^= c
	}
	return key
}

func aesEncrypt(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	block, err := aes.NewCipher(aesKey(args[1]))
	if err != nil {
		return nil, err
	}
	text := []byte(shownText(args[0]))
	pad := 16 - len(text)%16
	for range pad {
		text = append(text, byte(pad))
	}
	for at := 0; at < len(text); at += 16 {
		block.Encrypt(text[at:at+16], text[at:at+16])
	}
	return text, nil
}

func aesDecrypt(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	block, err := aes.NewCipher(aesKey(args[1]))
	if err != nil {
		return nil, err
	}
	text := []byte(shownText(args[0]))
	if len(text) == 0 || len(text)%16 != 0 {
		return nil, nil
	}
	for at := 0; at < len(text); at += 16 {
		block.Decrypt(text[at:at+16], text[at:at+16])
	}
	pad := int(text[len(text)-1])
	if pad < 1 || pad > 16 || strings.Trim(string(text[len(text)-pad:]), string(rune(pad))) != "" {
		return nil, nil
	}
	return text[:len(text)-pad], nil
}

// secondType is the type of @name := value.
func secondType(args []sql.Expression) sql.Type { return args[1].Type() }

func setUserVariable(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	return args[1], ctx.Session.SetUserVariable(ctx, shownText(args[0]), args[1], call.args[1].Type())
}
