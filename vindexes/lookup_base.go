package vindexes

import (
	"context"
	"fmt"

	"vitess.io/vitess/go/sqltypes"
	vtgatepb "vitess.io/vitess/go/vt/proto/vtgate"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes/key"
)

// lookupBase is what all lookup vindexes share. The kinds differ in whether an
// id has one keyspace id or many, in how a keyspace id is stored, and in how
// an id is.
type lookupBase struct {
	name      string
	cost      int
	unique    bool
	writeOnly bool // being filled: Map reaches all shards, Verify agrees to all
	noVerify  bool
	unknown   []string
	table     lookupTable

	consistent bool   // its rows commit before and after the owner's
	kind       string // names the vindex in errors of Map
	ksid       ksidCodec
	// hashID gives the id as it is stored; nil: as it is.
	hashID func(sqltypes.Value) (sqltypes.Value, error)
	// readOrder is the commit order of Map's query.
	readOrder func(VCursor) vtgatepb.CommitOrder
	// order of Verify, Create and Delete.
	verifyOrder, createOrder, deleteOrder vtgatepb.CommitOrder
}

// ksidCodec is how keyspace ids are stored in the column "to".
type ksidCodec struct {
	encode func(ksids [][]byte) ([]sqltypes.Value, error)
	// decode answers false for a value that stands for no keyspace id.
	decode func(sqltypes.Value) ([]byte, bool, error)
}

// rawKsids stores keyspace ids as they are.
func rawKsids() ksidCodec {
	return ksidCodec{encode: binaryValues, decode: func(v sqltypes.Value) ([]byte, bool, error) {
		ksid, err := v.ToBytes()
		return ksid, err == nil, err
	}}
}

func binaryValues(ksids [][]byte) ([]sqltypes.Value, error) {
	values := make([]sqltypes.Value, len(ksids))
	for i, ksid := range ksids {
		values[i] = sqltypes.MakeTrusted(sqltypes.VarBinary, ksid)
	}
	return values, nil
}

// hashedKsids stores the number that the keyspace id is the hash of.
func hashedKsids() ksidCodec {
	return ksidCodec{encode: unhashAll, decode: func(v sqltypes.Value) ([]byte, bool, error) {
		num, err := v.ToCastUint64()
		if err != nil {
			return nil, false, nil // no number: it stands for no keyspace id
		}
		return hashUint64(num), true, nil
	}}
}

// newLookupBase reads the parameters of a lookup that is not consistent.
func newLookupBase(name string, unique bool, ksid ksidCodec, params map[string]string, known ...string) (*lookupBase, error) {
	b := &lookupBase{
		name: name, cost: lookupCost(unique), unique: unique, ksid: ksid, kind: "Lookup",
		unknown:   unknownParams(params, append(known, lookupCommonParams...)),
		readOrder: func(VCursor) vtgatepb.CommitOrder { return vtgatepb.CommitOrder_NORMAL },
	}
	autocommit, err := boolParam(params, "autocommit")
	if err != nil {
		return nil, err
	}
	multiShard, err := boolParam(params, "multi_shard_autocommit")
	if err != nil {
		return nil, err
	}
	if b.writeOnly, err = boolParam(params, "write_only"); err != nil {
		return nil, err
	}
	// Without a transaction around it a row may be left over; one that many
	// ids share can be overwritten, one that must be unique cannot.
	upsert := !unique && (autocommit || multiShard)
	if b.table, err = newLookupTable(params, autocommit, upsert, multiShard); err != nil {
		return nil, err
	}
	b.verifyOrder = b.table.order(vtgatepb.CommitOrder_NORMAL)
	b.createOrder = b.verifyOrder
	return b, nil
}

// lookupCost is 10 for a lookup with one keyspace id per id, else 20.
func lookupCost(unique bool) int {
	if unique {
		return 10
	}
	return 20
}

// String is the name the VSchema gives the vindex.
func (b *lookupBase) String() string { return b.name }

// Cost is what the planner weighs vindexes by.
func (b *lookupBase) Cost() int { return b.cost }

// IsUnique says whether a value has at most one keyspace id.
func (b *lookupBase) IsUnique() bool { return b.unique }

// NeedsVCursor says whether Map and Verify run queries.
func (b *lookupBase) NeedsVCursor() bool { return true }

// UnknownParams are parameters that were given and have no meaning here.
func (b *lookupBase) UnknownParams() []string { return b.unknown }

// AutoCommitEnabled says whether the lookup is read outside the transaction.
func (b *lookupBase) AutoCommitEnabled() bool { return b.table.autocommit }

// Map reads the keyspace ids of the ids. While the lookup is being filled, and
// for a single NULL that a non-unique lookup does not store, it is everywhere.
func (b *lookupBase) Map(ctx context.Context, vc VCursor, ids []sqltypes.Value) ([]key.Destination, error) {
	unstoredNull := !b.unique && b.table.ignoreNulls && len(ids) == 1 && ids[0].IsNull()
	if b.writeOnly || unstoredNull {
		return everywhere(len(ids)), nil
	}
	stored, err := b.storedIDs(ids)
	if err != nil {
		return nil, err
	}
	results, err := b.table.lookup(ctx, vc, stored, b.readOrder(vc))
	if err != nil {
		return nil, err
	}
	return b.MapResult(stored, results)
}

// everywhere is the whole key space n times.
func everywhere(n int) []key.Destination {
	dests := make([]key.Destination, n)
	for i := range dests {
		dests[i] = key.DestinationKeyRange{}
	}
	return dests
}

// MapResult makes destinations of the lookup's results, one per id, whose rows
// hold the column "to". Two rows for one id of a unique lookup are an error.
func (b *lookupBase) MapResult(ids []sqltypes.Value, results []*sqltypes.Result) ([]key.Destination, error) {
	if b.writeOnly {
		return everywhere(len(ids)), nil
	}
	dests := make([]key.Destination, len(results))
	for i, result := range results {
		if b.unique && len(result.Rows) > 1 {
			return nil, fmt.Errorf("%s.Map: unexpected multiple results from vindex %s: %v", b.kind, b.table.table, ids[i])
		}
		dest, err := b.destination(result.Rows)
		if err != nil {
			return nil, err
		}
		dests[i] = dest
	}
	return dests, nil
}

// destination is where the rows of one id lead.
func (b *lookupBase) destination(rows []sqltypes.Row) (key.Destination, error) {
	if len(rows) == 0 {
		return key.DestinationNone{}, nil
	}
	ksids := make(key.DestinationKeyspaceIDs, 0, len(rows))
	for _, row := range rows {
		ksid, ok, err := b.ksid.decode(row[0])
		if err != nil {
			return nil, err
		}
		if ok {
			ksids = append(ksids, ksid)
		}
	}
	if !b.unique {
		return ksids, nil
	}
	if len(ksids) == 0 {
		return key.DestinationNone{}, nil
	}
	return key.DestinationKeyspaceID(ksids[0]), nil
}

// storedIDs gives the ids as the table holds them.
func (b *lookupBase) storedIDs(ids []sqltypes.Value) ([]sqltypes.Value, error) {
	if b.hashID == nil {
		return ids, nil
	}
	stored := make([]sqltypes.Value, len(ids))
	for i, id := range ids {
		var err error
		if stored[i], err = b.hashID(id); err != nil {
			return nil, err
		}
	}
	return stored, nil
}

// storedRows is storedIDs for many rows.
func (b *lookupBase) storedRows(rows [][]sqltypes.Value) ([][]sqltypes.Value, error) {
	stored := make([][]sqltypes.Value, len(rows))
	for i, row := range rows {
		var err error
		if stored[i], err = b.storedIDs(row); err != nil {
			return nil, err
		}
	}
	return stored, nil
}

// Verify says for each id whether the table pairs it with the keyspace id.
func (b *lookupBase) Verify(ctx context.Context, vc VCursor, ids []sqltypes.Value, ksids [][]byte) ([]bool, error) {
	if b.writeOnly || b.noVerify {
		all := make([]bool, len(ids))
		for i := range all {
			all[i] = true
		}
		return all, nil
	}
	values, err := b.ksid.encode(ksids)
	if err != nil {
		return nil, vterrors.Wrap(err, "lookup.Verify.vunhash")
	}
	stored, err := b.storedIDs(ids)
	if err != nil {
		return nil, vterrors.Wrap(err, "lookup.Verify.vunhash")
	}
	return b.table.verify(ctx, vc, stored, values, b.verifyOrder)
}

// Create stores rows with their keyspace ids.
func (b *lookupBase) Create(ctx context.Context, vc VCursor, rows [][]sqltypes.Value, ksids [][]byte, ignoreMode bool) error {
	values, err := b.ksid.encode(ksids)
	if err != nil {
		return vterrors.Wrap(err, "lookup.Create.vunhash")
	}
	stored, err := b.storedRows(rows)
	if err != nil {
		return vterrors.Wrap(err, "lookup.Create.convert")
	}
	return b.table.create(ctx, vc, stored, values, ignoreMode, b.createOrder)
}

// Delete removes rows of one keyspace id.
func (b *lookupBase) Delete(ctx context.Context, vc VCursor, rows [][]sqltypes.Value, ksid []byte) error {
	values, err := b.ksid.encode([][]byte{ksid})
	if err != nil {
		return vterrors.Wrap(err, "lookup.Delete.vunhash")
	}
	stored, err := b.storedRows(rows)
	if err != nil {
		return vterrors.Wrap(err, "lookup.Delete.convert")
	}
	return b.table.delete(ctx, vc, stored, values[0], b.deleteOrder)
}

// Update removes the old row of a keyspace id and stores the new one.
func (b *lookupBase) Update(ctx context.Context, vc VCursor, oldValues []sqltypes.Value, ksid []byte, newValues []sqltypes.Value) error {
	values, err := b.ksid.encode([][]byte{ksid})
	if err != nil {
		return vterrors.Wrap(err, "lookup.Update.vunhash")
	}
	stored, err := b.storedRows([][]sqltypes.Value{newValues, oldValues})
	if err != nil {
		return vterrors.Wrap(err, "lookup.Update.convert")
	}
	if err := b.table.delete(ctx, vc, stored[1:], values[0], b.deleteOrder); err != nil {
		return err
	}
	return b.table.create(ctx, vc, stored[:1], values, false, b.createOrder)
}

// planableLookup is a lookup whose query the planner plans itself.
type planableLookup struct{ *lookupBase }

// Query is the SELECT of Map and its arguments.
func (p planableLookup) Query() (query string, arguments []string) {
	return p.table.selectQuery, p.table.from
}

// AllowBatch says whether the SELECT may carry many ids of any type.
func (p planableLookup) AllowBatch() bool { return p.table.batch }

// GetCommitOrder is the commit order of the shards that hold the lookup: PRE
// for a consistent one. Of autocommit the planner hears by AutoCommitEnabled.
func (p planableLookup) GetCommitOrder() vtgatepb.CommitOrder {
	if p.consistent {
		return vtgatepb.CommitOrder_PRE
	}
	return vtgatepb.CommitOrder_NORMAL
}
