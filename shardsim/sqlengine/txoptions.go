package sqlengine

// Isolation is a transaction isolation level.
type Isolation uint8

// Isolation levels. The zero value is MySQL's default. READ UNCOMMITTED reads as READ COMMITTED does.
const (
	RepeatableRead Isolation = iota
	ReadCommitted
	ReadUncommitted
	Serializable
)

// TxOptions are the characteristics of a transaction; the zero value is a plain START TRANSACTION.
type TxOptions struct {
	Isolation          Isolation
	ReadOnly           bool
	ConsistentSnapshot bool // take the snapshot at Begin, not at the first read
}
