package planner

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
)

// database plans CREATE, ALTER and DROP DATABASE.
func (b *builder) database(stmt sqlparser.DBDDLStatement) (planned, error) {
	name := stmt.GetDatabaseName()
	if name == "" {
		ks, err := b.pc.requireKeyspace()
		if err != nil {
			return planned{}, err
		}
		name = ks.Name
	}
	exists := b.pc.hasKeyspace(name)
	nothing := planned{primitive: engine.NewRowsPrimitive(nil, nil)}
	switch stmt := stmt.(type) {
	case *sqlparser.CreateDatabase:
		switch {
		case !exists:
			return planned{primitive: engine.NewDBDDL(name, true, hintsIn(stmt.Comments).queryTimeout)}, nil
		case stmt.IfNotExists:
			return nothing, nil
		}
		return planned{}, vterrors.VT06001(name)
	case *sqlparser.DropDatabase:
		switch {
		case exists:
			return planned{primitive: engine.NewDBDDL(name, false, hintsIn(stmt.Comments).queryTimeout)}, nil
		case stmt.IfExists:
			return nothing, nil
		}
		return planned{}, vterrors.VT05001(name)
	}
	if !exists {
		return planned{}, vterrors.VT05002(name)
	}
	return planned{}, vterrors.VT12001("ALTER DATABASE")
}
