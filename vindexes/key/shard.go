package key

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Shard is one shard of a keyspace: its name and the keyspace ids it owns.
type Shard struct {
	Name  string
	Range KeyRange
}

const (
	shardsMax    = 1 << 16 // most shards a keyspace can be split into evenly
	nameBytesMax = 64      // longest name of a keyspace or shard
	nameRunes    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
)

// ShardNames names n even shards as vttestserver does: 1 is "0", 2 are -80 and
// 80-, 3 are -55, 55-aa and aa-. Up to 256 shards the limits have two hex
// digits, beyond that four; the last shard takes the remainder.
func ShardNames(n int) ([]string, error) {
	if n == 1 {
		return []string{"0"}, nil
	}
	return ShardRanges(n, 0)
}

// ShardRanges names n even shards with limits of the given number of hex
// digits; 0 picks the least that does. One shard is "-".
func ShardRanges(n, hexDigits int) ([]string, error) {
	switch {
	case n <= 0:
		return nil, errors.New("shards must be greater than zero")
	case n == 1:
		return []string{"-"}, nil
	case n > shardsMax:
		return nil, errors.New("this function does not support more than 65536 shards in a single keyspace")
	case hexDigits == 0 && n <= 256:
		hexDigits = 2
	case hexDigits == 0:
		hexDigits = 4
	}
	width := math.Pow(16, float64(hexDigits))
	if n > int(width) {
		return nil, fmt.Errorf("the given number of shards (%d) is too high for the given number of characters to use (%d)", n, hexDigits)
	}
	limit := func(i int) string {
		if i == 0 || i == n {
			return ""
		}
		return fmt.Sprintf("%0*x", hexDigits, int(float64(i)*width/float64(n)))
	}
	names := make([]string, n)
	for i := range names {
		names[i] = limit(i) + "-" + limit(i+1)
	}
	return names, nil
}

// EvenRange gives the range of shard i of n even shards, n a power of two.
func EvenRange(i, n int) (KeyRange, error) {
	switch {
	case n <= 0:
		return KeyRange{}, fmt.Errorf("the shard count must be > 0: %d", n)
	case i >= n:
		return KeyRange{}, fmt.Errorf("the index of the shard must be less than the total number of shards: %d < %d", i, n)
	case n&(n-1) != 0:
		return KeyRange{}, fmt.Errorf("the shard count must be a power of two: %d", n)
	}
	digits := 0
	for rest := n - 1; rest > 0; rest >>= 8 {
		digits++
	}
	bound := func(i int) []byte {
		if i == 0 || i == n {
			return nil
		}
		// 2^64/n does not fit n=1, but then both bounds are open.
		return Uint64(uint64(i) * (math.MaxUint64/uint64(n) + 1))[:digits]
	}
	return KeyRange{Start: bound(i), End: bound(i + 1)}, nil
}

// Uint64 is the keyspace id of a number: its eight bytes, most significant first.
func Uint64(n uint64) []byte {
	return binary.BigEndian.AppendUint64(nil, n)
}

// ParseShard makes a shard of its name. A name with a dash is a key range and
// is kept in lower case; any other name, such as "0", owns the whole key space.
func ParseShard(name string) (Shard, error) {
	if err := checkName(name); err != nil {
		return Shard{}, err
	}
	parts := strings.Split(name, "-")
	switch len(parts) {
	case 1:
		return Shard{Name: name}, nil
	case 2:
	default:
		return Shard{}, fmt.Errorf("invalid shardId, can only contain one '-': %v", name)
	}
	kr, err := ParseKeyRange(parts[0], parts[1])
	if err != nil {
		return Shard{}, err
	}
	if len(kr.End) > 0 && string(kr.Start) >= string(kr.End) {
		return Shard{}, fmt.Errorf("out of order keys: %v is not strictly smaller than %v",
			hex.EncodeToString(kr.Start), hex.EncodeToString(kr.End))
	}
	return Shard{Name: strings.ToLower(name), Range: kr}, nil
}

// ParseShards makes the shards of their names and checks that together they
// cover the key space exactly once, in the order given.
func ParseShards(names []string) ([]Shard, error) {
	if len(names) == 0 {
		return nil, errors.New("a keyspace needs at least one shard")
	}
	shards := make([]Shard, 0, len(names))
	for i, name := range names {
		shard, err := ParseShard(name)
		if err != nil {
			return nil, fmt.Errorf("shard %q: %w", name, err)
		}
		switch {
		case i == 0 && !open(shard.Range.Start):
			return nil, fmt.Errorf("shard %s: the first shard must start at the beginning of the key space, as -%s would", name, hex.EncodeToString(shard.Range.Start))
		case i > 0 && !shards[i-1].Range.Precedes(shard.Range):
			return nil, fmt.Errorf("shard %s does not start where shard %s ends: the shards must cover the key space without gap or overlap", name, names[i-1])
		}
		shards = append(shards, shard)
	}
	if last := shards[len(shards)-1]; !open(last.Range.End) {
		return nil, fmt.Errorf("shard %s: the last shard must reach the end of the key space, as %s- would", last.Name, hex.EncodeToString(last.Range.Start))
	}
	return shards, nil
}

// checkName says why a text cannot name a keyspace or a shard.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("empty name")
	case len(name) > nameBytesMax:
		return fmt.Errorf("name %v is too long", name)
	}
	for _, r := range name {
		if !strings.ContainsRune(nameRunes, r) {
			return fmt.Errorf("invalid character %s in name %v", string(r), name)
		}
	}
	return nil
}

// ParseKeyspaceShard cuts "keyspace/shard" or "keyspace:shard" in two.
func ParseKeyspaceShard(path string) (keyspace, shard string, err error) {
	for _, separator := range []string{"/", ":"} {
		if parts := strings.Split(path, separator); len(parts) == 2 {
			return parts[0], parts[1], nil
		}
	}
	return "", "", fmt.Errorf("invalid shard path: %v", path)
}
