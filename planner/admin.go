package planner

import (
	"cmp"
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// otherAdmin sends a statement that the gateway does not read (REPAIR, OPTIMIZE, DO, ...) to one shard of the selected keyspace.
func (b *builder) otherAdmin(sql string) (planned, error) {
	p, err := b.pc.selected("")
	if err != nil {
		return planned{}, err
	}
	return planned{primitive: p.send(sql, true)}, nil
}

// analyze sends ANALYZE TABLE to all shards of the table.
func (b *builder) analyze(stmt *sqlparser.Analyze) (planned, error) {
	p, table, err := b.pc.tablePlace(stmt.Table)
	if err != nil {
		return planned{}, err
	}
	if table != nil {
		stmt.Table.Name = table.Name
	}
	stmt.Table.Qualifier = sqlparser.NewIdentifierCS("")
	return planned{p.send(sqlparser.String(stmt), false), []string{sqlparser.String(stmt.Table)}}, nil
}

// load sends LOAD DATA, as it is, to an unsharded keyspace or to the shard the session targets.
func (b *builder) load(sql string) (planned, error) {
	ks, err := b.pc.requireKeyspace()
	if err != nil {
		return planned{}, err
	}
	p := place{ks, b.pc.Destination}
	if p.dest == nil {
		if err := b.unshardedOnly(ks, "LOAD", "LOAD is not supported on sharded keyspace"); err != nil {
			return planned{}, err
		}
	}
	send := p.send(sql, true)
	send.IsDML = true
	return planned{primitive: send}, nil
}

// call sends CALL to an unsharded keyspace or to the shard the session targets.
func (b *builder) call(stmt *sqlparser.CallProc) (planned, error) {
	p, err := b.pc.selected(stmt.Name.Qualifier.String())
	if err != nil {
		return planned{}, err
	}
	if p.dest == nil {
		if err := b.unshardedOnly(p.keyspace, "CALL", "CALL is not supported for sharded keyspace"); err != nil {
			return planned{}, err
		}
	}
	stmt.Name.Qualifier = sqlparser.NewIdentifierCS("")
	send := p.send(sqlparser.String(stmt), true)
	send.SingleShardOnly = false
	return planned{primitive: send}, nil
}

// stream is STREAM * FROM: the changes of a table.
func (b *builder) stream(stmt *sqlparser.Stream) (planned, error) {
	table, err := b.pc.VSchema.FindRoutedTable(cmp.Or(stmt.Table.Qualifier.String(), b.pc.Keyspace), stmt.Table.Name.String(), b.pc.tabletType())
	if err == nil && table == nil {
		err = vindexes.NotFoundError{TableName: stmt.Table.Name.String()}
	}
	if err != nil {
		return planned{}, err
	}
	if err := b.pc.requirePrimary(vterrors.VT09009(b.pc.tabletType())); err != nil {
		return planned{}, err
	}
	dest := place{dest: b.pc.Destination}.or(key.DestinationExactKeyRange{})
	return planned{primitive: &engine.MStream{Keyspace: table.Keyspace, TargetDestination: dest, TableName: table.Name.CompliantName()}}, nil
}

// flush sends FLUSH to all shards of the selected keyspace, or of each keyspace of the tables it names.
func (b *builder) flush(stmt *sqlparser.Flush) (planned, error) {
	if !stmt.IsLocal {
		if err := b.pc.requirePrimary(vterrors.VT09012("FLUSH", b.pc.tabletType().String())); err != nil {
			return planned{}, err
		}
	}
	if len(stmt.TableNames) > 0 {
		return b.flushTables(stmt)
	}
	ks, err := b.pc.requireKeyspace()
	if err != nil {
		return planned{}, err
	}
	return planned{primitive: b.flushSend(stmt, ks)}, nil
}

func (b *builder) flushSend(stmt *sqlparser.Flush, ks *vindexes.Keyspace) *engine.Send {
	send := place{ks, b.pc.Destination}.send(sqlparser.String(stmt), false)
	send.ReservedConnectionNeeded = stmt.WithLock
	return send
}

func (b *builder) flushTables(stmt *sqlparser.Flush) (planned, error) {
	tables := map[*vindexes.Keyspace]sqlparser.TableNames{}
	var keyspaces []*vindexes.Keyspace
	var used []string
	for _, name := range stmt.TableNames {
		table, _, err := b.pc.FindTableOrVindex(name)
		if err == nil && table == nil {
			err = vindexes.NotFoundError{TableName: name.Name.String()}
		}
		if err != nil {
			return planned{}, err
		}
		ks := table.Keyspace
		if len(tables[ks]) == 0 {
			keyspaces = append(keyspaces, ks)
		}
		tables[ks] = append(tables[ks], sqlparser.TableName{Name: table.Name})
		used = append(used, ks.Name+"."+table.Name.String())
	}
	slices.SortFunc(keyspaces, func(x, y *vindexes.Keyspace) int { return cmp.Compare(x.Name, y.Name) })
	sends := make([]engine.Primitive, len(keyspaces))
	for i, ks := range keyspaces {
		sends[i] = b.flushSend(&sqlparser.Flush{
			IsLocal: stmt.IsLocal, TableNames: tables[ks], WithLock: stmt.WithLock, ForExport: stmt.ForExport,
		}, ks)
	}
	slices.Sort(used)
	out := planned{sends[0], slices.Compact(used)}
	if len(sends) > 1 {
		out.primitive = engine.NewConcatenate(sends, nil)
	}
	return out, nil
}
