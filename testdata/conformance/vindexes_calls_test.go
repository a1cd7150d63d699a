package conformance

import (
	"context"
	"fmt"

	"vitess.io/vitess/go/sqltypes"
	oracle "vitess.io/vitess/go/vt/vtgate/vindexes"

	"github.com/vitrodb/vitro/vindexes"
)

// The functions of this file come in pairs: the same call of both modules, its answer as text.

// said is an answer, or the error in its place.
func said[T any](answer T, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprint(answer)
}

// absent is the answer of a vindex that lacks the ability.
const absent = "no such ability"

func firstOf(rows [][]sqltypes.Value) []sqltypes.Value { return []sqltypes.Value{rows[0][0]} }

func mapOurs(ctx context.Context, v vindexes.Vindex, rows [][]sqltypes.Value) string {
	if multi, ok := v.(vindexes.MultiColumn); ok {
		dests, err := multi.Map(ctx, nil, rows)
		if err != nil {
			return said("", err)
		}
		return dests[0].String()
	}
	dests, err := v.(vindexes.SingleColumn).Map(ctx, nil, firstOf(rows))
	if err != nil {
		return said("", err)
	}
	return dests[0].String()
}

func mapTheirs(ctx context.Context, v oracle.Vindex, rows [][]sqltypes.Value) string {
	dests, err := oracle.Map(ctx, v, nil, rows)
	if err != nil {
		return said("", err)
	}
	return dests[0].String()
}

func verifyOurs(ctx context.Context, v vindexes.Vindex, rows [][]sqltypes.Value, ksid []byte) string {
	if multi, ok := v.(vindexes.MultiColumn); ok {
		return said(multi.Verify(ctx, nil, rows, [][]byte{ksid}))
	}
	return said(v.(vindexes.SingleColumn).Verify(ctx, nil, firstOf(rows), [][]byte{ksid}))
}

func verifyTheirs(ctx context.Context, v oracle.Vindex, rows [][]sqltypes.Value, ksid []byte) string {
	return said(oracle.Verify(ctx, v, nil, rows, [][]byte{ksid}))
}

func reverseOurs(v vindexes.Vindex, ksid []byte) string {
	reversible, ok := v.(vindexes.Reversible)
	if !ok {
		return absent
	}
	return said(reversible.ReverseMap(nil, [][]byte{ksid}))
}

func reverseTheirs(v oracle.Vindex, ksid []byte) string {
	reversible, ok := v.(oracle.Reversible)
	if !ok {
		return absent
	}
	return said(reversible.ReverseMap(nil, [][]byte{ksid}))
}

func hashOurs(v vindexes.Vindex, value sqltypes.Value) string {
	hashing, ok := v.(vindexes.Hashing)
	if !ok {
		return absent
	}
	return said(hashing.Hash(value))
}

func hashTheirs(v oracle.Vindex, value sqltypes.Value) string {
	hashing, ok := v.(oracle.Hashing)
	if !ok {
		return absent
	}
	return said(hashing.Hash(value))
}

func prefixOurs(ctx context.Context, v vindexes.Vindex, values []sqltypes.Value) string {
	prefixable, ok := v.(vindexes.Prefixable)
	if !ok {
		return absent
	}
	return said(prefixable.PrefixVindex().Map(ctx, nil, values))
}

func prefixTheirs(ctx context.Context, v oracle.Vindex, values []sqltypes.Value) string {
	prefixable, ok := v.(oracle.Prefixable)
	if !ok {
		return absent
	}
	return said(prefixable.PrefixVindex().Map(ctx, nil, values))
}

func rangeOurs(ctx context.Context, v vindexes.Vindex, ends []sqltypes.Value) string {
	sequential, ok := v.(vindexes.Sequential)
	if !ok {
		return absent
	}
	return said(sequential.RangeMap(ctx, nil, ends[0], ends[1]))
}

func rangeTheirs(ctx context.Context, v oracle.Vindex, ends []sqltypes.Value) string {
	sequential, ok := v.(oracle.Sequential)
	if !ok {
		return absent
	}
	return said(sequential.RangeMap(ctx, nil, ends[0], ends[1]))
}
