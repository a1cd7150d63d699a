package shardsim

import "github.com/vitrodb/vitro/shardsim/sqlengine"

// The descriptions of a shard's tables, as Tablet.Schema gives them.
type (
	// TableSchema describes one table or view of a shard.
	TableSchema = sqlengine.TableSchema
	// ColumnSchema describes one column, in table order.
	ColumnSchema = sqlengine.ColumnSchema
	// KeySchema is a unique key: its name and its columns in key order.
	KeySchema = sqlengine.KeySchema
	// ForeignKeySchema is one declared foreign key constraint.
	ForeignKeySchema = sqlengine.ForeignKeySchema
	// Warning is one row of SHOW WARNINGS.
	Warning = sqlengine.Warning
	// TxOptions are the characteristics of a transaction.
	TxOptions = sqlengine.TxOptions
	// Part is a share of a transaction that commits before the rest.
	Part = sqlengine.Part
	// Isolation is a transaction isolation level.
	Isolation = sqlengine.Isolation
)

// Isolation levels.
const (
	RepeatableRead  = sqlengine.RepeatableRead
	ReadCommitted   = sqlengine.ReadCommitted
	ReadUncommitted = sqlengine.ReadUncommitted
	Serializable    = sqlengine.Serializable
)

// The parts of a transaction, in the order they are committed.
const (
	EntriesMade = sqlengine.EntriesMade
	RowsChanged = sqlengine.RowsChanged
)
