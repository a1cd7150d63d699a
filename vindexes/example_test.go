package vindexes_test

import (
	"context"
	"fmt"

	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// parity is a vindex type of our own: even numbers go to the first half of the
// key space, odd ones to the second.
type parity struct{ name string }

func (p *parity) String() string     { return p.name }
func (p *parity) Cost() int          { return 1 }
func (p *parity) IsUnique() bool     { return true }
func (p *parity) NeedsVCursor() bool { return false }

func (p *parity) Map(_ context.Context, _ vindexes.VCursor, ids []sqltypes.Value) ([]key.Destination, error) {
	dests := make([]key.Destination, len(ids))
	for i, id := range ids {
		dests[i] = key.DestinationNone{}
		if n, err := id.ToCastUint64(); err == nil {
			dests[i] = key.DestinationKeyspaceID{byte(n%2) << 7}
		}
	}
	return dests, nil
}

func (p *parity) Verify(ctx context.Context, vc vindexes.VCursor, ids []sqltypes.Value, ksids [][]byte) ([]bool, error) {
	dests, err := p.Map(ctx, vc, ids)
	same := make([]bool, len(ids))
	for i, dest := range dests {
		same[i] = dest.String() == key.DestinationKeyspaceID(ksids[i]).String()
	}
	return same, err
}

func ExampleRegistry() {
	types := vindexes.Types()
	types["parity"] = func(name string, _ map[string]string) (vindexes.Vindex, error) { return &parity{name}, nil }

	def, err := vindexes.Load("shop", []byte(`{"sharded": true, "vindexes": {"even_odd": {"type": "parity"}},
		"tables": {"item": {"column_vindexes": [{"column": "id", "name": "even_odd"}]}}}`), "vschema.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	vs, err := vindexes.Build(def, types)
	if err != nil {
		fmt.Println(err)
		return
	}
	item, err := vs.FindTable("shop", "item")
	if err != nil {
		fmt.Println(err)
		return
	}
	vindex := item.ColumnVindexes[0].Vindex.(vindexes.SingleColumn)
	dests, err := vindex.Map(context.Background(), nil, []sqltypes.Value{sqltypes.NewInt64(6), sqltypes.NewInt64(7), sqltypes.NULL})
	if err != nil {
		fmt.Println(err)
		return
	}
	shards, err := key.ParseShards([]string{"-80", "80-"})
	if err != nil {
		fmt.Println(err)
		return
	}
	names, which, err := key.ResolveMany(dests, shards)
	fmt.Println(names, which, err)
	// Output: [-80 80-] [[0] [1]] <nil>
}
