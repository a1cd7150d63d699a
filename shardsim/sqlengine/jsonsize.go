package sqlengine

import (
	"encoding/json"
	"math"

	"github.com/dolthub/go-mysql-server/sql"
)

// jsonStorageSize is JSON_STORAGE_SIZE(document): the bytes of MySQL's binary form of it. Arrays and objects are "small", with
// offsets of two bytes, unless that takes more than 64 KB.
//
//	document   type byte, value
//	array      count, size, one entry an element (type, offset or small value), values
//	object     count, size, one entry a key (offset, length), one entry a value, keys, values
func jsonStorageSize(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	doc, err := jsonArgument(ctx, call.name, 1, args[0])
	if err != nil {
		return nil, err
	}
	return int64(1 + jsonBytes(doc)), nil
}

// jsonBytes is the size of a value that stands by itself.
func jsonBytes(v any) int {
	switch v := v.(type) {
	case nil, bool:
		return 1
	case string:
		return lengthBytes(len(v)) + len(v)
	case []any:
		return containerBytes(nil, v)
	case map[string]any:
		keys := sortedNames(v)
		values := make([]any, len(keys))
		for i, k := range keys {
			values[i] = v[k]
		}
		return containerBytes(keys, values)
	case json.Number:
		if n, err := v.Int64(); err == nil && n >= math.MinInt16 && n <= math.MaxUint16 {
			return 2
		} else if err == nil && n >= math.MinInt32 && n <= math.MaxUint32 {
			return 4
		}
	}
	return 8 // integers of 64 bits, doubles
}

// lengthBytes is how many bytes the length of a text takes: seven bits each.
func lengthBytes(n int) int {
	bytes := 1
	for ; n >= 128; n >>= 7 {
		bytes++
	}
	return bytes
}

func containerBytes(keys []string, values []any) int {
	if n := sizedContainer(keys, values, 2); n <= math.MaxUint16 {
		return n
	}
	return sizedContainer(keys, values, 4)
}

// sizedContainer is the size of an array or object whose offsets take so many bytes.
func sizedContainer(keys []string, values []any, offset int) int {
	n := 2*offset + len(keys)*(offset+2) + len(values)*(1+offset)
	for _, k := range keys {
		n += len(k)
	}
	for _, v := range values {
		if size := jsonBytes(v); !isInlined(v, size, offset) {
			n += size
		}
	}
	return n
}

// isInlined reports whether a value is in its entry, in the place of an offset.
func isInlined(v any, size, offset int) bool {
	switch v.(type) {
	case nil, bool:
		return true
	case json.Number:
		return size <= offset
	}
	return false
}
