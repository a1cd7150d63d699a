package vindexes

import (
	"context"

	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/vindexes/key"
)

// Null is the vindex that sends every value, NULL too, to the first shard. It
// serves a keyspace on its way from unsharded to sharded.
type Null struct{ functional }

var _ SingleColumn = (*Null)(nil)

func newNull(name string, params map[string]string) (Vindex, error) {
	return &Null{newFunctional(name, 100, params)}, nil
}

// Map gives the keyspace id 00 for each id.
func (n *Null) Map(_ context.Context, _ VCursor, ids []sqltypes.Value) ([]key.Destination, error) {
	return mapHashed(ids, zeroKsid)
}

// Verify says which of the keyspace ids are 00.
func (n *Null) Verify(_ context.Context, _ VCursor, ids []sqltypes.Value, ksids [][]byte) ([]bool, error) {
	return verifyHashed(ids, ksids, zeroKsid)
}

func zeroKsid(sqltypes.Value) ([]byte, error) { return []byte{0}, nil }
