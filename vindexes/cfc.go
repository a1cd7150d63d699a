package vindexes

import (
	"bytes"
	"context"
	"encoding/json"

	"vitess.io/vitess/go/sqltypes"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes/key"
)

// CFC is the vindex "cfc" (concatenated fixed-width composite): the id holds
// several components side by side, and ids with the same first components lie
// together. The keyspace id is the id itself, or the components' hashes side
// by side. For LIKE 'prefix%' see PrefixVindex.
type CFC struct {
	functional
	*cfcKey
	prefix *prefixCFC
}

// cfcKey turns an id into a keyspace id.
type cfcKey struct {
	vindex  string
	hash    func([]byte) []byte // nil: the id is its own keyspace id
	offsets []int               // ends of the components but the last; ascending, > 0
}

// prefixCFC is the same vindex as LIKE sees it: it maps the prefix of a
// pattern to a range.
type prefixCFC struct {
	functional
	*cfcKey
}

var (
	_ SingleColumn = (*CFC)(nil)
	_ Prefixable   = (*CFC)(nil)
	_ SingleColumn = (*prefixCFC)(nil)
)

func newCFC(name string, params map[string]string) (Vindex, error) {
	ck := &cfcKey{vindex: name}
	switch hash := params["hash"]; hash {
	case "":
	case "md5":
		ck.hash = shortSum(md5Sum)
	case "xxhash64":
		ck.hash = shortSum(xxhashSum)
	default:
		return nil, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "invalid hash %s to CFC vindex %s", hash, name)
	}
	prefixCost := 2
	if ck.hash != nil {
		if err := ck.readOffsets(params["offsets"]); err != nil {
			return nil, err
		}
		prefixCost = len(ck.offsets)
	}
	c := &CFC{functional: newFunctional(name, 1, params, "hash", "offsets"), cfcKey: ck}
	c.prefix = &prefixCFC{functional: c.functional, cfcKey: ck}
	c.prefix.cost = prefixCost
	return c, nil
}

// readOffsets reads the list of offsets: ascending positive numbers.
func (ck *cfcKey) readOffsets(text string) error {
	if text == "" {
		return vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "CFC vindex requires offsets when hash is defined")
	}
	err := json.Unmarshal([]byte(text), &ck.offsets)
	last := 0
	for _, offset := range ck.offsets {
		if offset <= last {
			last = -1
			break
		}
		last = offset
	}
	if err != nil || last <= 0 {
		return vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT,
			"invalid offsets %s to CFC vindex %s. expected sorted positive ints in brackets", text, ck.vindex)
	}
	return nil
}

// shortSum makes a sum no longer than what was summed: long keyspace ids cost
// time and gain nothing.
func shortSum(sum func([]byte) []byte) func([]byte) []byte {
	return func(data []byte) []byte {
		s := sum(data)
		return s[:min(len(s), len(data))]
	}
}

// ksid hashes the components of an id one by one. Of a prefix only whole
// components count.
func (ck *cfcKey) ksid(id []byte, prefix bool) ([]byte, error) {
	if ck.hash == nil {
		return id, nil
	}
	if longest := ck.offsets[len(ck.offsets)-1]; !prefix && len(id) < longest {
		return nil, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT,
			"insufficient size for cfc vindex %s. need %d, got %d", ck.vindex, longest, len(id))
	}
	ksid, from := []byte{}, 0
	for _, to := range ck.offsets {
		if len(id) < to {
			return ksid, nil
		}
		ksid = append(ksid, ck.hash(id[from:to])...)
		from = to
	}
	return append(ksid, ck.hash(id[from:])...), nil
}

// hashID is the keyspace id of a whole id.
func (ck *cfcKey) hashID(id sqltypes.Value) ([]byte, error) {
	data, err := id.ToBytes()
	if err != nil {
		return nil, err
	}
	return ck.ksid(data, false)
}

// Verify compares each id's keyspace id with the one beside it.
func (ck *cfcKey) Verify(_ context.Context, _ VCursor, ids []sqltypes.Value, ksids [][]byte) ([]bool, error) {
	return verifyHashed(ids, ksids, ck.hashID)
}

// Map gives the keyspace id of each id; one too short for all its components
// fails them all.
func (c *CFC) Map(_ context.Context, _ VCursor, ids []sqltypes.Value) ([]key.Destination, error) {
	return mapHashed(ids, c.hashID)
}

// PrefixVindex is the vindex for LIKE.
func (c *CFC) PrefixVindex() SingleColumn { return c.prefix }

// IsUnique is false: a pattern fits many ids.
func (p *prefixCFC) IsUnique() bool { return false }

// Map gives for each pattern the range of the ids that begin with what stands
// before its first wildcard.
func (p *prefixCFC) Map(_ context.Context, _ VCursor, patterns []sqltypes.Value) ([]key.Destination, error) {
	dests := make([]key.Destination, len(patterns))
	for i, pattern := range patterns {
		data, err := pattern.ToBytes()
		if err != nil {
			return nil, err
		}
		start, err := p.ksid(likePrefix(data), true)
		if err != nil {
			return nil, err
		}
		dests[i] = prefixRange(start)
	}
	return dests, nil
}

// likePrefix is the text before the first wildcard of a LIKE pattern, its
// escapes undone as MySQL does (manual, "String Literals").
func likePrefix(pattern []byte) []byte {
	var prefix bytes.Buffer
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '%' || c == '_':
			return prefix.Bytes()
		case c == '\\' && i+1 < len(pattern):
			i++
			if decoded := sqltypes.SQLDecodeMap[pattern[i]]; decoded != sqltypes.DontEscape {
				prefix.WriteByte(decoded)
			} else {
				prefix.WriteByte(pattern[i])
			}
		default: // a backslash at the very end stands for itself
			prefix.WriteByte(c)
		}
	}
	return prefix.Bytes()
}
