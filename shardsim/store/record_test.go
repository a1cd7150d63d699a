package store

import (
	"math"
	"math/big"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

// span stands for a type of the SQL layer that the store does not know.
type span int64

// randomValue gives values of every kind a row can have, edges among them.
func randomValue(r *rand.Rand) any {
	n := r.Int63() >> r.Intn(64) * int64(1-2*r.Intn(2))
	text := strings.Repeat("é\x00z", r.Intn(100)>>r.Intn(7))
	values := []any{
		nil, int(n), int8(n), int16(n), int32(n), n, uint8(n), uint16(n), uint32(n), uint64(n), float32(n), float64(n) / 7,
		math.Inf(-1), int64(math.MinInt64), int64(math.MaxInt64), uint64(math.MaxUint64), text, []byte(text), "", []byte{},
		time.Unix(n>>28, n&0xfffffff).UTC(), time.Time{}, time.Unix(n>>28, 0).In(time.FixedZone("", 3600)),
		decimal.New(n, int32(r.Intn(70)-35)), decimal.Decimal{}, decimal.NewFromBigInt(new(big.Int).Lsh(big.NewInt(n|1), 90), -3),
		true, span(n), map[string]any{"a": n},
	}
	return values[r.Intn(len(values))]
}

func randomRow(r *rand.Rand) []any {
	row := make([]any, 1+r.Intn(12))
	for i := range row {
		row[i] = randomValue(r)
	}
	return row
}

// requireValue requires that two values are the same, and have the same type.
func requireValue(t *testing.T, want, got any) {
	t.Helper()
	if d, ok := want.(decimal.Decimal); ok {
		require.IsType(t, want, got)
		require.Zero(t, d.Cmp(got.(decimal.Decimal)))
		require.Equal(t, d.Exponent(), got.(decimal.Decimal).Exponent())
		return
	}
	require.Equal(t, want, got)
}

func TestRecordKeepsRow(t *testing.T) {
	r := newRand(t)
	var values []Value
	for range 20_000 {
		row := randomRow(r)
		rec := NewRecord(row)
		require.True(t, rec.Exists())
		got := rec.Row()
		require.Len(t, got, len(row))
		values = rec.Values(values[:0])
		require.Len(t, values, len(row))
		some, want := make([]any, r.Intn(2*len(row))), make([]bool, r.Intn(2*len(row)))
		for i := range want {
			want[i] = r.Intn(2) == 0
		}
		rec.Unpack(some, want)
		for i := range row {
			requireValue(t, row[i], got[i])
			requireValue(t, row[i], values[i].Any())
			switch {
			case i >= len(some):
			case i < len(want) && want[i]:
				requireValue(t, row[i], some[i])
			default:
				require.Nil(t, some[i])
			}
			text, isText := values[i].Text()
			if want, ok := row[i].(string); ok || isText {
				require.Equal(t, want, text)
			}
		}
	}
	require.False(t, Record{}.Exists())
	require.Nil(t, Record{}.Row())
}

// TestSameColumns changes one column of a row, and asks about it and about the others.
func TestSameColumns(t *testing.T) {
	r := newRand(t)
	for range 20_000 {
		row := randomRow(r)
		other := append([]any(nil), row...)
		at := r.Intn(len(row))
		other[at] = randomValue(r)
		a, b := NewRecord(row), NewRecord(other)
		for i := range row {
			same := sameColumns(a, b, []int{i})
			switch row[i].(type) {
			case bool, span, map[string]any:
				require.False(t, same) // not told
			case int, int64, string, nil:
				require.Equal(t, i != at || row[i] == other[i], same, "%v, %v", row, other)
			default:
				require.True(t, i == at || same || NewRecord(row[i:i+1]).boxed != nil, "%v, %v", row, other)
			}
		}
		require.False(t, sameColumns(a, b, []int{len(row)}))
		require.False(t, sameColumns(a, Record{}, nil))
	}
}
