package vindexes

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"vitess.io/vitess/go/mysql/collations/vindex/collate"
	"vitess.io/vitess/go/sqltypes"
)

// looseHasher hashes texts by their base letters: the first level of the
// Unicode collation algorithm, blanks at the end aside. "Ab" and "áB " agree.
type looseHasher struct {
	hashers sync.Pool // of *collate.Hasher: one is not safe for two at once
}

// newLooseHasher makes a hasher over a sum that starts afresh each time.
func newLooseHasher(newSum func() *collate.Hasher) *looseHasher {
	return &looseHasher{hashers: sync.Pool{New: func() any { return newSum() }}}
}

func newLooseMD5() *looseHasher {
	return newLooseHasher(func() *collate.Hasher { return collate.New(md5.New()) })
}

func newLooseXXHash() *looseHasher {
	return newLooseHasher(func() *collate.Hasher { return collate.New(littleEndianSum{xxhash.New()}) })
}

// hash sums the base letters of a text. It refuses text that is not UTF-8.
func (l *looseHasher) hash(id sqltypes.Value) ([]byte, error) {
	text, err := id.ToBytes()
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("cannot normalize string containing invalid UTF-8: %q", text)
	}
	hasher := l.hashers.Get().(*collate.Hasher)
	defer l.hashers.Put(hasher)
	return hasher.Hash(bytes.TrimRight(text, " ")), nil
}

// littleEndianSum is xxHash64 with its sum's least significant byte first.
type littleEndianSum struct{ *xxhash.Digest }

// Sum appends the sum of what was written.
func (s littleEndianSum) Sum(b []byte) []byte {
	sum := s.Sum64()
	for range 8 {
		b = append(b, byte(sum))
		sum >>= 8
	}
	return b
}
