package engine

import "github.com/vitrodb/vitro/vindexes"

// DML is what Update and Delete share.
type DML struct {
	writes

	*RoutingParameters
	// Query is the SQL shards get.
	Query string
	// KsidVindex is the primary vindex and KsidLength the number of its columns, which come first in OwnedVindexQuery.
	KsidVindex vindexes.Vindex
	KsidLength int
	// TableNames are the tables written.
	TableNames []string
	// Vindexes are the written table's vindexes; OwnedVindexQuery selects, for update, the values its owned ones hold.
	Vindexes         []*vindexes.ColumnVindex
	OwnedVindexQuery string
	// MultiShardAutocommit lets each shard commit its part by itself.
	MultiShardAutocommit bool
	// QueryTimeout is in milliseconds; 0 for none.
	QueryTimeout int
	// PreventAutoCommit: more follows in the same transaction.
	PreventAutoCommit bool
	// FetchLastInsertID: the statement sets LAST_INSERT_ID(expr) on the shard, and the session wants it.
	FetchLastInsertID bool
}

// NewDML returns an empty DML, its routing parameters made.
func NewDML() *DML { return &DML{RoutingParameters: &RoutingParameters{}} }

// describeDML describes an update or a delete.
func (dml *DML) describeDML(operator string) Description {
	d := describe(operator, dml.Opcode.String())
	d.Keyspace = dml.Keyspace
	d.set("Query", dml.Query)
	d.set("OwnedVindexQuery", dml.OwnedVindexQuery)
	d.set("MultiShardAutocommit", dml.MultiShardAutocommit)
	d.set("QueryTimeout", dml.QueryTimeout)
	d.set("NoAutoCommit", dml.PreventAutoCommit)
	d.set("FetchLastInsertID", dml.FetchLastInsertID)
	if dml.KsidVindex != nil {
		d.set("KsidVindex", dml.KsidVindex.String())
		d.set("KsidLength", dml.KsidLength)
	}
	dml.describeRouting(d)
	return d
}
