package planner

import (
	"fmt"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/planner/engine/opcode"
)

// show plans SHOW: rows that the VSchema holds, questions to the gateway, or a statement for one shard.
func (b *builder) show(sql string, stmt *sqlparser.Show) (planned, error) {
	if b.pc.Destination != nil && !isOfGateway(stmt.Internal) {
		return b.bypassText(sql, false)
	}
	primitive, err := b.showPrimitive(sql, stmt.Internal)
	return planned{primitive: primitive}, err
}

// isOfGateway reports whether no shard has an answer, also when the session targets one.
func isOfGateway(internal sqlparser.ShowInternal) bool {
	show, ok := internal.(*sqlparser.ShowBasic)
	if !ok {
		return false
	}
	switch show.Command {
	case sqlparser.VitessTarget, sqlparser.VschemaTables, sqlparser.VschemaKeyspaces, sqlparser.VschemaVindexes:
		return true
	}
	return false
}

func (b *builder) showPrimitive(sql string, internal sqlparser.ShowInternal) (engine.Primitive, error) {
	switch show := internal.(type) {
	case *sqlparser.ShowBasic:
		return b.showBasic(show)
	case *sqlparser.ShowCreate:
		return b.showCreate(show)
	case *sqlparser.ShowTransactionStatus:
		return &engine.TransactionStatus{Keyspace: show.Keyspace, TransactionID: show.TransactionID}, nil
	}
	return b.showAnywhere(sql)
}

// showAnywhere asks any shard of any keyspace.
func (b *builder) showAnywhere(sql string) (engine.Primitive, error) {
	p, err := b.pc.anywhere()
	return p.send(sql, true), err
}

func (b *builder) showBasic(show *sqlparser.ShowBasic) (engine.Primitive, error) {
	switch show.Command {
	case sqlparser.Charset:
		return showCharsets(show.Filter)
	case sqlparser.VariableGlobal, sqlparser.VariableSession:
		send, err := b.showAnywhere(sqlparser.String(show))
		return engine.NewReplaceVariables(send), err
	case sqlparser.Column, sqlparser.Index:
		return b.showOfTable(show)
	case sqlparser.Database, sqlparser.Keyspace:
		return b.showKeyspaces(show)
	case sqlparser.OpenTable, sqlparser.TableStatus, sqlparser.Table, sqlparser.Trigger:
		return b.showOfKeyspace(show)
	case sqlparser.VitessMigrations:
		return b.showMigrations(show)
	case sqlparser.GtidExecGlobal:
		return b.showGtid(show)
	case sqlparser.VGtidExecGlobal:
		send, err := b.showGtid(show)
		return &engine.OrderedAggregate{
			Aggregates: []*engine.AggregateParams{
				engine.NewAggregateParam(opcode.AggregateGtid, 1, nil, "global vgtid_executed", b.pc.Env.CollationEnv()),
			},
			TruncateColumnCount: 2, Input: send,
		}, err
	case sqlparser.Warnings:
		return engine.NewSessionPrimitive("SHOW WARNINGS"), nil
	case sqlparser.Plugins, sqlparser.Engines, sqlparser.VitessTarget,
		sqlparser.VschemaTables, sqlparser.VschemaKeyspaces, sqlparser.VschemaVindexes:
		return b.showRows(show)
	case sqlparser.VitessReplicationStatus, sqlparser.VitessShards, sqlparser.VitessTablets, sqlparser.VitessVariables:
		return &engine.ShowExec{Command: show.Command, ShowFilter: show.Filter}, nil
	}
	return b.showAnywhere(sqlparser.String(show))
}

// showOfTable is SHOW COLUMNS and SHOW INDEX.
func (b *builder) showOfTable(show *sqlparser.ShowBasic) (engine.Primitive, error) {
	if show.DbName.NotEmpty() {
		show.Tbl.Qualifier, show.DbName = show.DbName, sqlparser.NewIdentifierCS("")
	}
	p, table, err := b.pc.tablePlace(show.Tbl)
	if err != nil {
		return nil, err
	}
	if table != nil {
		show.Tbl = sqlparser.TableName{Name: table.Name}
	}
	return p.send(sqlparser.String(show), true), nil
}

// keyspacePlace is the place of a SHOW about a keyspace, or anywhere for a system schema.
func (b *builder) keyspacePlace(name string) (p place, system bool, err error) {
	if sqlparser.SystemSchema(name) {
		p, err = b.pc.anywhere()
		return p, true, err
	}
	p, err = b.pc.selected(name)
	return p, false, err
}

// showOfKeyspace is SHOW TABLES and its relatives.
func (b *builder) showOfKeyspace(show *sqlparser.ShowBasic) (engine.Primitive, error) {
	database := show.DbName.String()
	p, system, err := b.keyspacePlace(database)
	if err != nil {
		return nil, err
	}
	if !system {
		show.DbName = sqlparser.NewIdentifierCS("")
	}
	send := p.send(sqlparser.String(show), true)
	if show.Command != sqlparser.Table {
		return send, nil
	}
	if database == "" {
		database = p.keyspace.Name
	}
	return engine.NewRenameField([]string{"Tables_in_" + database}, []int{0}, send), nil
}

// showMigrations asks all shards of a keyspace.
func (b *builder) showMigrations(show *sqlparser.ShowBasic) (engine.Primitive, error) {
	p, err := b.pc.selected(show.DbName.String())
	if err != nil {
		return nil, err
	}
	if err := b.pc.requirePrimary(vterrors.VT09006("SHOW")); err != nil {
		return nil, err
	}
	return p.send(sqlparser.String(show), false), nil
}

// showGtid asks each shard of a keyspace for its position. Rows are db_name, gtid_executed, shard.
func (b *builder) showGtid(show *sqlparser.ShowBasic) (engine.Primitive, error) {
	p, err := b.pc.selected(show.DbName.String())
	if err != nil {
		return nil, err
	}
	query := fmt.Sprintf("select '%s' as db_name, @@global.gtid_executed as gtid_executed, :%s as shard", p.keyspace.Name, engine.ShardName)
	send := p.send(query, false)
	send.ShardNameNeeded = true
	return send, nil
}

// viewByName is the place of a view, false if the name is none's. Each shard of a keyspace has its views.
func (b *builder) viewByName(name sqlparser.TableName) (place, bool) {
	keyspace := name.Qualifier.String()
	if keyspace == "" {
		keyspace = b.pc.Keyspace
	}
	ks := b.pc.VSchema.Keyspaces[keyspace]
	if ks == nil || ks.Views[name.Name.String()] == nil {
		return place{}, false
	}
	return place{keyspace: ks.Keyspace}, true
}

func (b *builder) showCreate(show *sqlparser.ShowCreate) (engine.Primitive, error) {
	switch show.Command {
	case sqlparser.CreateDb:
		p, _, err := b.keyspacePlace(show.Op.Name.String())
		if err != nil {
			return nil, err
		}
		return p.send(sqlparser.String(show), true), nil
	case sqlparser.CreateTbl:
		if p, isView := b.viewByName(show.Op); isView {
			show.Op.Qualifier = sqlparser.NewIdentifierCS("")
			return p.send(sqlparser.String(show), true), nil
		}
		p, table, err := b.pc.tablePlace(show.Op)
		if err != nil {
			return nil, err
		}
		if table != nil {
			show.Op = sqlparser.TableName{Name: table.Name}
		}
		return p.send(sqlparser.String(show), true), nil
	}
	p, system, err := b.keyspacePlace(show.Op.Qualifier.String())
	if err != nil {
		return nil, err
	}
	if !system {
		show.Op.Qualifier = sqlparser.NewIdentifierCS("")
	}
	return p.send(sqlparser.String(show), true), nil
}
