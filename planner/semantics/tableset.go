package semantics

import "math/bits"

// tableSetWords bounds how many tables one statement may use: 64 a word.
const tableSetWords = 4

// MaxTables is the number of tables that one statement may use.
const MaxTables = 64 * tableSetWords

// TableSet is a set of the tables of one statement, by their index in Table.Tables. It is a value and can be a map key.
type TableSet struct {
	words [tableSetWords]uint64
}

// SingleTable is the set that holds the table with index i. 0 <= i < MaxTables.
func SingleTable(i int) TableSet {
	var ts TableSet
	ts.words[i/64] = 1 << (i % 64)
	return ts
}

// Merge returns the union of ts and other.
func (ts TableSet) Merge(other TableSet) TableSet {
	for i, w := range other.words {
		ts.words[i] |= w
	}
	return ts
}

// Remove returns ts without the tables of other.
func (ts TableSet) Remove(other TableSet) TableSet {
	for i, w := range other.words {
		ts.words[i] &^= w
	}
	return ts
}

// KeepOnly returns the tables that are in both sets.
func (ts TableSet) KeepOnly(other TableSet) TableSet {
	for i, w := range other.words {
		ts.words[i] &= w
	}
	return ts
}

// IsSolvedBy tells whether other holds every table of ts. The empty set is solved by any set.
func (ts TableSet) IsSolvedBy(other TableSet) bool {
	return ts.Remove(other).IsEmpty()
}

// IsOverlapping tells whether the sets share a table.
func (ts TableSet) IsOverlapping(other TableSet) bool {
	return !ts.KeepOnly(other).IsEmpty()
}

// IsEmpty tells whether ts holds no table.
func (ts TableSet) IsEmpty() bool {
	return ts == TableSet{}
}

// NumberOfTables counts the tables of ts.
func (ts TableSet) NumberOfTables() int {
	n := 0
	for _, w := range ts.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// TableOffset is the index of the only table of ts, or -1 when ts does not hold exactly one.
func (ts TableSet) TableOffset() int {
	if ts.NumberOfTables() != 1 {
		return -1
	}
	return ts.first()
}

// Constituents lists the tables of ts one by one, lowest index first.
func (ts TableSet) Constituents() []TableSet {
	var out []TableSet
	for !ts.IsEmpty() {
		one := SingleTable(ts.first())
		out = append(out, one)
		ts = ts.Remove(one)
	}
	return out
}

// first is the lowest index in ts, which must not be empty.
func (ts TableSet) first() int {
	for i, w := range ts.words {
		if w != 0 {
			return 64*i + bits.TrailingZeros64(w)
		}
	}
	return -1
}
