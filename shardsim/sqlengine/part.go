package sqlengine

import "github.com/vitrodb/vitro/shardsim/store"

// Part is a share of a transaction that is committed before the rest; see store.Part.
type Part = store.Part

// The parts, in the order they are committed.
const (
	EntriesMade = store.EntriesMade
	RowsChanged = store.RowsChanged
)
