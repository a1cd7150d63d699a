package conformance

import (
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	oracle "vitess.io/vitess/go/vt/vtgate/vindexes"

	"github.com/vitrodb/vitro/vindexes"
)

var (
	vindexValues = flag.Int("vindex-values", 20_000, "random values for each vindex of TestVindexesMapAlike")
	vindexSeed   = flag.Uint64("vindex-seed", 0, "seed of TestVindexesMapAlike, 0 for a new one")
)

// functional are the vindexes that need no queries, with parameters. Types of several columns say how many.
var functional = []struct {
	typ     string
	params  map[string]string
	columns int
}{
	{typ: "binary"},
	{typ: "binary_md5"},
	{typ: "cfc"},
	{typ: "cfc", params: map[string]string{"hash": "md5", "offsets": "[2,4]"}},
	{typ: "cfc", params: map[string]string{"hash": "xxhash64", "offsets": "[1,2,8]"}},
	{typ: "hash"},
	{typ: "null"},
	{typ: "numeric"},
	{typ: "numeric_static_map", params: map[string]string{"json_path": "../../vindexes/testdata/data/numeric_static_map.json"}},
	{typ: "numeric_static_map", params: map[string]string{"json": `{"1": 7, "2": 9}`, "fallback_type": "xxhash"}},
	{typ: "reverse_bits"},
	{typ: "unicode_loose_md5"},
	{typ: "unicode_loose_xxhash"},
	{typ: "xxhash"},
	{typ: "region_experimental", params: map[string]string{"region_bytes": "1"}, columns: 2},
	{typ: "region_experimental", params: map[string]string{"region_bytes": "2"}, columns: 2},
	{typ: "region_json", params: map[string]string{"region_bytes": "1", "region_map": "../../vindexes/testdata/data/region_map.json"}, columns: 2},
	{typ: "multicol", params: map[string]string{"column_count": "3"}, columns: 3},
	{typ: "multicol", params: map[string]string{"column_count": "2", "column_bytes": "1,7", "column_vindex": "numeric,unicode_loose_xxhash"}, columns: 2},
	{typ: "multicol", params: map[string]string{"column_count": "3", "column_bytes": "1,3,4", "column_vindex": "hash,binary,xxhash"}, columns: 3},
}

// TestVindexesMapAlike compares both modules' vindexes over random values: destinations, errors, verification, hashes and
// reversal.
func TestVindexesMapAlike(t *testing.T) {
	seed := *vindexSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-vindex-seed %d", seed)
	for i, f := range functional {
		t.Run(fmt.Sprint(f.typ, f.params), func(t *testing.T) {
			t.Parallel()
			ours, err := vindexes.Types().New(f.typ, "v", f.params)
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := oracle.CreateVindex(f.typ, "v", f.params)
			if err != nil {
				t.Fatal(err)
			}
			if ours.Cost() != theirs.Cost() || ours.IsUnique() != theirs.IsUnique() || ours.NeedsVCursor() != theirs.NeedsVCursor() {
				t.Fatal("cost, uniqueness or need of a cursor differ")
			}
			values := valueMaker{rand.New(rand.NewPCG(seed, uint64(i)))}
			for range *vindexValues {
				row := make([]sqltypes.Value, max(f.columns, 1))
				for column := range row {
					row[column] = values.value()
				}
				if f.columns > 1 && values.IntN(20) == 0 {
					row = row[:1+values.IntN(len(row))]
				}
				compareRow(t, ours, theirs, row)
				if t.Failed() {
					t.Fatalf("row %v", row)
				}
			}
		})
	}
}

// compareRow compares what both make of one row.
func compareRow(t *testing.T, ours vindexes.Vindex, theirs oracle.Vindex, row []sqltypes.Value) {
	ctx := context.Background()
	rows := [][]sqltypes.Value{row}
	got, want := mapOurs(ctx, ours, rows), mapTheirs(ctx, theirs, rows)
	if got != want {
		t.Errorf("Map: got %s, want %s", got, want)
		return
	}
	// The keyspace id it maps to, another one, and none.
	ksids := [][]byte{nil, {1, 2, 3, 4, 5, 6, 7, 8}}
	if text, ok := strings.CutPrefix(want, "DestinationKeyspaceID("); ok {
		ksid, err := hex.DecodeString(strings.TrimSuffix(text, ")"))
		if err != nil {
			t.Error(err)
		}
		ksids = append(ksids, ksid)
	}
	for _, ksid := range ksids {
		if got, want := verifyOurs(ctx, ours, rows, ksid), verifyTheirs(ctx, theirs, rows, ksid); got != want {
			t.Errorf("Verify %x: got %s, want %s", ksid, got, want)
		}
		if got, want := reverseOurs(ours, ksid), reverseTheirs(theirs, ksid); got != want {
			t.Errorf("ReverseMap %x: got %s, want %s", ksid, got, want)
		}
	}
	if len(row) == 1 {
		if got, want := hashOurs(ours, row[0]), hashTheirs(theirs, row[0]); got != want {
			t.Errorf("Hash: got %s, want %s", got, want)
		}
		if got, want := prefixOurs(ctx, ours, row), prefixTheirs(ctx, theirs, row); got != want {
			t.Errorf("prefix: got %s, want %s", got, want)
		}
	}
	if len(row) > 1 {
		row = row[:2]
	} else {
		row = []sqltypes.Value{row[0], row[0]}
	}
	if got, want := rangeOurs(ctx, ours, row), rangeTheirs(ctx, theirs, row); got != want {
		t.Errorf("RangeMap: got %s, want %s", got, want)
	}
}

// valueMaker makes values of all types, those at the edges more often than others.
type valueMaker struct{ *rand.Rand }

var edges = []string{
	"", "0", "-0", "1", "-1", " 1", "1 ", "01", "+1", "1.0", "1e3", "0x10", "true", "NULL", "9223372036854775807", "9223372036854775808",
	"-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "a", "A", "ä", "Ä", "a ", "ß", "ss", "ﬁ", "e\u0301", "é", "\x00", "日本語", "𝄞",
}

var texts = []querypb.Type{
	sqltypes.VarChar, sqltypes.Char, sqltypes.Text, sqltypes.VarBinary, sqltypes.Binary, sqltypes.Blob, sqltypes.Enum, sqltypes.Set, sqltypes.TypeJSON,
}

func (m valueMaker) value() sqltypes.Value {
	switch m.IntN(14) {
	case 0:
		return sqltypes.NewInt64(int64(m.Uint64()))
	case 1:
		return sqltypes.NewUint64(m.Uint64())
	case 2:
		return sqltypes.NewInt64(int64(m.IntN(1000)) - 500)
	case 3:
		return sqltypes.MakeTrusted([]querypb.Type{sqltypes.Int8, sqltypes.Int32, sqltypes.Uint16, sqltypes.Uint24, sqltypes.Year}[m.IntN(5)], []byte(strconv.Itoa(m.IntN(100))))
	case 4:
		return sqltypes.NewFloat64(math.Float64frombits(m.Uint64()))
	case 5:
		return sqltypes.MakeTrusted(sqltypes.Decimal, fmt.Appendf(nil, "%d.%02d", m.IntN(2000)-1000, m.IntN(100)))
	case 6:
		return sqltypes.MakeTrusted(texts[m.IntN(len(texts))], []byte(edges[m.IntN(len(edges))]))
	case 7:
		return sqltypes.MakeTrusted(texts[m.IntN(len(texts))], []byte(strconv.FormatUint(m.Uint64()>>m.IntN(64), 10)))
	case 8, 9:
		return sqltypes.MakeTrusted(texts[m.IntN(len(texts))], m.letters())
	case 10:
		return sqltypes.MakeTrusted(texts[m.IntN(len(texts))], m.bytes())
	case 11:
		return sqltypes.MakeTrusted([]querypb.Type{sqltypes.Date, sqltypes.Datetime, sqltypes.Timestamp, sqltypes.Time}[m.IntN(4)],
			fmt.Appendf(nil, "20%02d-01-02 03:04:05", m.IntN(100)))
	case 12:
		return []sqltypes.Value{
			sqltypes.MakeTrusted(sqltypes.HexNum, []byte("0x"+hex.EncodeToString(m.bytes()))),
			sqltypes.MakeTrusted(sqltypes.HexVal, []byte("x'"+hex.EncodeToString(m.bytes())+"'")),
			sqltypes.MakeTrusted(sqltypes.BitNum, []byte("0b"+strconv.FormatUint(m.Uint64(), 2))),
			sqltypes.MakeTrusted(sqltypes.Bit, m.bytes()),
		}[m.IntN(4)]
	default:
		return sqltypes.NULL
	}
}

func (m valueMaker) bytes() []byte {
	out := make([]byte, m.IntN(20))
	for i := range out {
		out[i] = byte(m.Uint32())
	}
	return out
}

// alphabet holds letters that collations find equal, combine or ignore.
var alphabet = []rune("aAbBzZ äÄéÉßøØœŒiİı09-_.\u0301\u00ad\u200b日本ﬁ𝄞Ωω ")

func (m valueMaker) letters() []byte {
	var b strings.Builder
	for range m.IntN(25) {
		b.WriteRune(alphabet[m.IntN(len(alphabet))])
	}
	return []byte(b.String())
}
