package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/mysql/replication"
)

// gtidSets reads the two arguments of GTID_SUBSET and GTID_SUBTRACT.
func gtidSets(args []any) (a, b replication.Mysql56GTIDSet, err error) {
	var sets [2]replication.Mysql56GTIDSet
	for i := range sets {
		text, _ := args[i].(string)
		if sets[i], err = replication.ParseMysql56GTIDSet(text); err != nil {
			return nil, nil, mysqlError(1772, "HY000", "Malformed GTID set specification '%s'.", text)
		}
	}
	return sets[0], sets[1], nil
}

// gtidSubset is GTID_SUBSET(a, b): whether b has all of a.
func gtidSubset(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	a, b, err := gtidSets(args)
	if err != nil {
		return nil, err
	}
	if b.Contains(a) {
		return int64(1), nil
	}
	return int64(0), nil
}

// gtidSubtract is GTID_SUBTRACT(a, b): what a has and b has not.
func gtidSubtract(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	a, b, err := gtidSets(args)
	if err != nil {
		return nil, err
	}
	return a.Difference(b).String(), nil
}
