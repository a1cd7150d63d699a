package vindexes

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes/key"
)

// MultiCol is the vindex "multicol": each column is hashed by a vindex of its
// own and gives some bytes of the keyspace id, eight in all. The first columns
// alone give a range.
type MultiCol struct {
	name    string
	cost    int // sum of the columns' vindexes
	columns []multiColPart
}

// multiColPart is what one column gives to the keyspace id.
type multiColPart struct {
	hash  Hashing
	bytes int // how many of the hash's first bytes are taken
}

var _ MultiColumn = (*MultiCol)(nil)

// ksidBytesMax is how long the keyspace id of several columns may be.
const ksidBytesMax = 8

// newMultiCol makes the vindex; types says which vindexes columns may have.
func newMultiCol(types func() Registry) NewVindex {
	return func(name string, params map[string]string) (Vindex, error) {
		count, err := columnCount(params)
		if err != nil {
			return nil, err
		}
		m := &MultiCol{name: name, columns: make([]multiColPart, count)}
		if err := m.divideBytes(params); err != nil {
			return nil, err
		}
		if err := m.makeVindexes(params, types()); err != nil {
			return nil, err
		}
		return m, nil
	}
}

func columnCount(params map[string]string) (int, error) {
	text, given := params["column_count"]
	if !given {
		return 0, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "number of columns not provided in the parameter 'column_count'")
	}
	count, err := strconv.Atoi(text)
	if err != nil {
		return 0, err
	}
	if count < 1 || count > ksidBytesMax {
		return 0, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "number of columns should be between 1 and 8 in the parameter 'column_count'")
	}
	return count, nil
}

// divideBytes gives each column its bytes: those told, the rest evenly with
// the earlier columns a byte ahead.
func (m *MultiCol) divideBytes(params map[string]string) error {
	var told []string
	if text, given := params["column_bytes"]; given {
		told = strings.Split(text, ",")
	}
	if len(told) > len(m.columns) {
		return vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "number of column bytes provided are more than column count in the parameter 'column_bytes'")
	}
	left, untold := ksidBytesMax, make([]bool, len(m.columns))
	open := 0
	for i := range m.columns {
		if i >= len(told) || told[i] == "" {
			untold[i] = true
			open++
			continue
		}
		n, err := strconv.Atoi(told[i])
		if err != nil {
			return err
		}
		m.columns[i].bytes = n
		left -= n
	}
	if open > left {
		return vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "column bytes count exceeds the keyspace id length (total bytes count cannot exceed 8 bytes) in the parameter 'column_bytes'")
	}
	for i := range m.columns {
		if !untold[i] {
			continue
		}
		share := (left + open - 1) / open
		m.columns[i].bytes = share
		left -= share
		open--
	}
	return nil
}

// makeVindexes makes each column's vindex: the one named, else "hash". The
// parameters that are not multicol's own are handed on to them.
func (m *MultiCol) makeVindexes(params map[string]string, types Registry) error {
	var named []string
	if text, given := params["column_vindex"]; given {
		named = strings.Split(text, ",")
	}
	if len(named) > len(m.columns) {
		return vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "number of vindex function provided are more than column count in the parameter 'column_vindex'")
	}
	rest := map[string]string{}
	for name, value := range params {
		if name != "column_count" && name != "column_bytes" && name != "column_vindex" {
			rest[name] = value
		}
	}
	for i := range m.columns {
		vindexType := "hash"
		if i < len(named) && strings.TrimSpace(named[i]) != "" {
			vindexType = strings.TrimSpace(named[i])
		}
		vindex, err := types.New(vindexType, vindexType, rest)
		if err != nil {
			return err
		}
		hash, ok := vindex.(Hashing)
		if !ok || !vindex.IsUnique() || vindex.NeedsVCursor() {
			return vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "multicol vindex supports vindexes that exports hashing function, are unique and are non-lookup vindex, passed vindex '%s' is invalid", vindexType)
		}
		m.columns[i].hash = hash
		m.cost += vindex.Cost()
	}
	return nil
}

// String is the name the VSchema gives the vindex.
func (m *MultiCol) String() string { return m.name }

// Cost is what the planner weighs vindexes by.
func (m *MultiCol) Cost() int { return m.cost }

// IsUnique says whether a value has at most one keyspace id.
func (m *MultiCol) IsUnique() bool { return true }

// NeedsVCursor says whether Map and Verify run queries.
func (m *MultiCol) NeedsVCursor() bool { return false }

// PartialVindex is true: the first columns alone give a range.
func (m *MultiCol) PartialVindex() bool { return true }

// Map gives the keyspace id of each row, a range for a row that is short. A
// row that cannot be hashed reaches no shard.
func (m *MultiCol) Map(_ context.Context, _ VCursor, rows [][]sqltypes.Value) ([]key.Destination, error) {
	dests := make([]key.Destination, len(rows))
	for i, row := range rows {
		ksid, err := m.ksid(row)
		switch {
		case err != nil:
			dests[i] = key.DestinationNone{}
		case len(row) < len(m.columns):
			dests[i] = prefixRange(ksid)
		default:
			dests[i] = key.DestinationKeyspaceID(ksid)
		}
	}
	return dests, nil
}

// Verify compares each row's keyspace id with the one beside it.
func (m *MultiCol) Verify(_ context.Context, _ VCursor, rows [][]sqltypes.Value, ksids [][]byte) ([]bool, error) {
	same := make([]bool, len(rows))
	for i, row := range rows {
		ksid, err := m.ksid(row)
		if err != nil {
			return nil, err
		}
		same[i] = bytes.Equal(ksid, ksids[i])
	}
	return same, nil
}

// ksid puts the columns' bytes side by side. A hash shorter than its share is
// filled up with zeros, but only where another column follows.
func (m *MultiCol) ksid(row []sqltypes.Value) ([]byte, error) {
	if len(row) > len(m.columns) {
		return nil, vterrors.Errorf(vtrpcpb.Code_INTERNAL, "[BUG] wrong number of column values were passed: maximum allowed %d, got %d", len(m.columns), len(row))
	}
	ksid, start := make([]byte, 0, ksidBytesMax), 0
	for i, value := range row {
		part, err := m.columns[i].hash.Hash(value)
		if err != nil {
			return nil, err
		}
		for len(ksid) < start {
			ksid = append(ksid, 0)
		}
		ksid = append(ksid, part[:max(0, min(len(part), m.columns[i].bytes))]...)
		start += m.columns[i].bytes
	}
	return ksid, nil
}
