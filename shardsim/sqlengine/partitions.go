package sqlengine

import (
	"vitess.io/vitess/go/vt/sqlparser"
)

// checkPartitions refuses statements about single partitions. Partitioned tables are taken as whole ones: such a statement
// would read or change rows of all partitions.
func checkPartitions(stmt sqlparser.Statement) error {
	named := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.AliasedTableExpr:
			named = named || len(node.Partitions) > 0
		case *sqlparser.Delete:
			named = named || len(node.Partitions) > 0
		case *sqlparser.Insert:
			named = named || len(node.Partitions) > 0
		case *sqlparser.AlterTable:
			named = named || changesRows(node.PartitionSpec)
		}
		return !named, nil
	}, stmt)
	if named {
		return errUnsupported("PARTITION")
	}
	return nil
}

// changesRows tells clauses of ALTER TABLE that take rows away with their partition.
func changesRows(spec *sqlparser.PartitionSpec) bool {
	if spec == nil {
		return false
	}
	switch spec.Action {
	case sqlparser.DropAction, sqlparser.TruncateAction, sqlparser.ExchangeAction, sqlparser.DiscardAction, sqlparser.ImportAction:
		return true
	}
	return false
}
