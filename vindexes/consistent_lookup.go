package vindexes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtgatepb "vitess.io/vitess/go/vt/proto/vtgate"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// ConsistentLookup is the vindex "consistent_lookup" (non-unique) and
// "consistent_lookup_unique": a lookup that needs no distributed transaction.
// Its rows are stored in a transaction that commits before the owner's (PRE)
// and removed in one that commits after it (POST), so a crash can only leave a
// row without an owner; Create takes such an orphan over.
type ConsistentLookup struct {
	planableLookup
	owner ownerQueries
}

// ownerQueries are the queries that need to know the owner.
type ownerQueries struct {
	keyspace                                     string
	lockLookup, lockOwner, insertRow, updateKsid string
}

var (
	_ SingleColumn   = (*ConsistentLookup)(nil)
	_ Lookup         = (*ConsistentLookup)(nil)
	_ LookupPlanable = (*ConsistentLookup)(nil)
	_ LookupBackfill = (*ConsistentLookup)(nil)
	_ WantOwnerInfo  = (*ConsistentLookup)(nil)
)

func newConsistentLookup(name string, params map[string]string) (Vindex, error) {
	return newConsistent(name, false, params)
}

func newConsistentLookupUnique(name string, params map[string]string) (Vindex, error) {
	return newConsistent(name, true, params)
}

func newConsistent(name string, unique bool, params map[string]string) (Vindex, error) {
	writeOnly, err := boolParam(params, "write_only")
	if err != nil {
		return nil, err
	}
	table, err := newLookupTable(params, false, false, false)
	if err != nil {
		return nil, err
	}
	base := &lookupBase{
		name: name, cost: lookupCost(unique), unique: unique, writeOnly: writeOnly, ksid: rawKsids(), kind: "Lookup", consistent: true,
		unknown:     unknownParams(params, append([]string{"write_only"}, lookupTableParams...)),
		table:       table,
		readOrder:   VCursor.LookupRowLockShardSession,
		verifyOrder: vtgatepb.CommitOrder_PRE, createOrder: vtgatepb.CommitOrder_PRE, deleteOrder: vtgatepb.CommitOrder_POST,
	}
	return &ConsistentLookup{planableLookup: planableLookup{base}}, nil
}

// IsBackfilling says whether the lookup is still being filled (write_only).
func (c *ConsistentLookup) IsBackfilling() bool { return c.writeOnly }

// SetOwnerInfo tells the vindex which table and columns own it. VT03029 where
// their number differs from that of the lookup's columns.
func (c *ConsistentLookup) SetOwnerInfo(keyspace, table string, columns []sqlparser.IdentifierCI) error {
	t := &c.table
	if len(columns) != len(t.from) {
		return vterrors.VT03029(c.name)
	}
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.String()
	}
	arguments := append([]string{}, t.from...)
	arguments = append(arguments, t.to)
	c.owner = ownerQueries{
		keyspace:   keyspace,
		lockLookup: "select " + t.to + " from " + t.table + whereEqual(t.from, t.from) + " for update",
		// The row is only read: a shared lock waits for a transaction that
		// is just making it, and no more.
		lockOwner: "select " + names[0] + " from " + sqlparser.String(sqlparser.NewIdentifierCS(table)) +
			whereEqual(names, t.from) + " lock in share mode",
		insertRow: "insert into " + t.table + "(" + strings.Join(arguments, ", ") + ") values(:" +
			strings.Join(arguments, ", :") + ")",
		updateKsid: "update " + t.table + " set " + t.to + "=:" + t.to + whereEqual(t.from, t.from),
	}
	return nil
}

// Create stores rows. Where one is there already (errno 1062) it looks for the
// owner: with a living one the error stands, an orphan is taken over.
func (c *ConsistentLookup) Create(ctx context.Context, vc VCursor, rows [][]sqltypes.Value, ksids [][]byte, ignoreMode bool) error {
	duplicate := c.lookupBase.Create(ctx, vc, rows, ksids, ignoreMode)
	if duplicate == nil || !isDuplicate(duplicate) {
		return duplicate
	}
	seen := make(map[string]bool, len(rows))
	for i, row := range rows {
		if slices.ContainsFunc(row, sqltypes.Value.IsNull) {
			continue // not stored
		}
		name := rowName(row)
		if seen[name] {
			return duplicate // the statement itself holds the row twice
		}
		seen[name] = true
		if err := c.takeOver(ctx, vc, row, ksids[i], duplicate); err != nil {
			return err
		}
	}
	return nil
}

// isDuplicate says whether an error is MySQL's 1062 in a transaction that
// still stands.
func isDuplicate(err error) bool {
	if strings.Contains(err.Error(), vterrors.TxRollbackOnPartialExec) {
		return false // Vitess marks a rolled back transaction by this text alone
	}
	var sqlErr *sqlerror.SQLError
	return errors.As(sqlerror.NewSQLErrorFromError(err), &sqlErr) && sqlErr.Number() == sqlerror.ERDupEntry
}

// rowName is a text that is equal for equal rows alone.
func rowName(row []sqltypes.Value) string {
	var b strings.Builder
	for _, value := range row {
		fmt.Fprintf(&b, "%d:%d:%s;", value.Type(), value.Len(), value.RawStr())
	}
	return b.String()
}

// takeOver makes one row belong to ksid, unless its owner lives.
func (c *ConsistentLookup) takeOver(ctx context.Context, vc VCursor, row []sqltypes.Value, ksid []byte, duplicate error) error {
	bindVars := map[string]*querypb.BindVariable{}
	for i, value := range row {
		bindVars[c.table.from[i]] = sqltypes.ValueBindVariable(value)
	}
	bindVars[c.table.to] = sqltypes.BytesBindVariable(ksid)
	execute := func(query string, write bool) (*sqltypes.Result, error) {
		return vc.Execute(ctx, "VindexCreate", query, bindVars, write, vtgatepb.CommitOrder_PRE)
	}
	found, err := execute(c.owner.lockLookup, false)
	if err != nil {
		return err
	}
	existing, err := c.existing(found.Rows, ksid)
	switch {
	case err != nil:
		return err
	case existing == nil: // gone since: store it again
		_, err := execute(c.owner.insertRow, true)
		return err
	}
	owner, err := vc.ExecuteKeyspaceID(ctx, c.owner.keyspace, existing, c.owner.lockOwner, bindVars, false, false)
	switch {
	case err != nil:
		return err
	case len(owner.Rows) > 0:
		return duplicate
	case bytes.Equal(existing, ksid):
		return nil
	}
	_, err = execute(c.owner.updateKsid, true)
	return err
}

// existing is the keyspace id that a row is stored with already, nil for none. Where rows may share their values, as Vitess
// does not expect, it is ksid itself.
func (c *ConsistentLookup) existing(rows []sqltypes.Row, ksid []byte) ([]byte, error) {
	switch {
	case len(rows) == 0:
		return nil, nil
	case len(rows) == 1:
		return rows[0][0].ToBytes()
	case c.unique:
		return nil, fmt.Errorf("unexpected rows: %v from consistent lookup vindex", rows)
	}
	for _, row := range rows {
		if stored, err := row[0].ToBytes(); err != nil || bytes.Equal(stored, ksid) {
			return stored, err
		}
	}
	return nil, nil
}

// Update moves a keyspace id from the old values to the new ones; values that
// compare equal need no move.
func (c *ConsistentLookup) Update(ctx context.Context, vc VCursor, oldValues []sqltypes.Value, ksid []byte, newValues []sqltypes.Value) error {
	if sameValues(oldValues, newValues, vc.ConnCollation()) {
		return nil
	}
	if err := c.Delete(ctx, vc, [][]sqltypes.Value{oldValues}, ksid); err != nil {
		return err
	}
	return c.Create(ctx, vc, [][]sqltypes.Value{newValues}, [][]byte{ksid}, false)
}

// sameValues compares rows; what cannot be compared counts as different.
func sameValues(a, b []sqltypes.Value, collation collations.ID) bool {
	for i := range a {
		order, err := evalengine.NullsafeCompare(a[i], b[i], collations.MySQL8(), collation, nil)
		if err != nil || order != 0 {
			return false
		}
	}
	return true
}
