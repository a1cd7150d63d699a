package key

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// KeyRange is a half-open interval of keyspace ids: Start is in, End is not.
// An empty bound (nil, empty or all zeros) is open, so the zero value is the
// whole key space. Trailing zero bytes never matter: "-80" is "00-8000".
type KeyRange struct {
	Start, End []byte
}

// keyRangePattern matches the texts that name one key range, or "0".
var keyRangePattern = regexp.MustCompile(`^(0|([0-9a-fA-F]{2})*-([0-9a-fA-F]{2})*)$`)

// Normalize cuts the trailing zero bytes off a keyspace id. Two ids are the
// same point of the key space when their normal forms are equal.
func Normalize(ksid []byte) []byte {
	return bytes.TrimRight(ksid, "\x00")
}

// Compare orders two keyspace ids: -1, 0 or 1, trailing zeros aside.
func Compare(a, b []byte) int {
	return bytes.Compare(Normalize(a), Normalize(b))
}

// open says whether a bound of a key range is unbounded.
func open(bound []byte) bool {
	return len(Normalize(bound)) == 0
}

// IsComplete says whether the range covers the whole key space.
func (kr KeyRange) IsComplete() bool {
	return open(kr.Start) && open(kr.End)
}

// String prints the range as Vitess does: both bounds in hex around a dash,
// and "-" for the whole key space however it was written.
func (kr KeyRange) String() string {
	if kr.IsComplete() {
		return "-"
	}
	return hex.EncodeToString(kr.Start) + "-" + hex.EncodeToString(kr.End)
}

// Contains says whether a keyspace id lies in the range.
func (kr KeyRange) Contains(ksid []byte) bool {
	if !open(kr.Start) && Compare(ksid, kr.Start) < 0 {
		return false
	}
	return open(kr.End) || Compare(ksid, kr.End) < 0
}

// CompareStart orders two ranges by Start alone; an open start is the least.
func (kr KeyRange) CompareStart(other KeyRange) int {
	return Compare(kr.Start, other.Start) // the normal form of an open start is empty: already the least
}

// CompareEnd orders two ranges by End alone; an open end is the greatest.
func (kr KeyRange) CompareEnd(other KeyRange) int {
	switch mine, theirs := open(kr.End), open(other.End); {
	case mine && theirs:
		return 0
	case mine:
		return 1
	case theirs:
		return -1
	}
	return Compare(kr.End, other.End)
}

// Compare orders two ranges by Start, then by End.
func (kr KeyRange) Compare(other KeyRange) int {
	if c := kr.CompareStart(other); c != 0 {
		return c
	}
	return kr.CompareEnd(other)
}

// Equal says whether both ranges cover the same keyspace ids.
func (kr KeyRange) Equal(other KeyRange) bool {
	return kr.Compare(other) == 0
}

// Intersects says whether some keyspace id is in both ranges.
func (kr KeyRange) Intersects(other KeyRange) bool {
	startsBefore := func(a, b KeyRange) bool { return open(b.End) || Compare(a.Start, b.End) < 0 }
	return kr.IsComplete() || other.IsComplete() || startsBefore(kr, other) && startsBefore(other, kr)
}

// ContainsRange says whether every keyspace id of other is in the range.
func (kr KeyRange) ContainsRange(other KeyRange) bool {
	return kr.CompareStart(other) <= 0 && kr.CompareEnd(other) >= 0
}

// Precedes says whether other begins exactly where the range ends. The whole
// key space precedes nothing and follows nothing.
func (kr KeyRange) Precedes(other KeyRange) bool {
	if kr.IsComplete() || other.IsComplete() {
		return false
	}
	return Compare(kr.End, other.Start) == 0
}

// Join makes one range of two that touch, in either order. It answers false
// where they do not.
func (kr KeyRange) Join(other KeyRange) (KeyRange, bool) {
	switch {
	case !open(kr.End) && Compare(kr.End, other.Start) == 0:
		return KeyRange{Start: kr.Start, End: other.End}, true
	case !open(other.End) && Compare(other.End, kr.Start) == 0:
		return KeyRange{Start: other.Start, End: kr.End}, true
	}
	return KeyRange{}, false
}

// ParseKeyRange makes a range of its two bounds in hex; either may be empty.
// The order of the bounds is not checked. Errors are those of encoding/hex.
func ParseKeyRange(start, end string) (KeyRange, error) {
	s, err := hex.DecodeString(start)
	if err != nil {
		return KeyRange{}, err
	}
	e, err := hex.DecodeString(end)
	if err != nil {
		return KeyRange{}, err
	}
	return KeyRange{Start: s, End: e}, nil
}

// IsKeyRange says whether a text is the name of one key range, or "0".
func IsKeyRange(text string) bool {
	return keyRangePattern.MatchString(text)
}

// ParseShardingSpec cuts a specification such as "-40-80-" into its adjoining
// ranges: -40, 40-80, 80-. The limits must ascend; "0" means the whole key space.
func ParseShardingSpec(spec string) ([]KeyRange, error) {
	if spec == "0" {
		return []KeyRange{{}}, nil
	}
	limits := strings.Split(spec, "-")
	if len(limits) == 1 {
		return nil, fmt.Errorf("malformed spec: doesn't define a range: %q", spec)
	}
	ranges := make([]KeyRange, 0, len(limits)-1)
	for i := 1; i < len(limits); i++ {
		from, to := limits[i-1], limits[i]
		if to == "" && i != len(limits)-1 {
			return nil, fmt.Errorf("malformed spec: MinKey/MaxKey cannot be in the middle of the spec: %q", spec)
		}
		if to != "" && to <= from {
			return nil, fmt.Errorf("malformed spec: shard limits should be in order: %q", spec)
		}
		kr, err := ParseKeyRange(from, to)
		if err != nil {
			return nil, err
		}
		ranges = append(ranges, kr)
	}
	return ranges, nil
}
