package sqlengine

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/vt/sqlparser"
)

// The engine writes to the list of an ENUM type's members, the same words again, when it gives the type another collation;
// and all sessions share a table's types. So a statement that may do so gets types of its own.

// recollates reports whether a statement may give types another collation.
func recollates(ast sqlparser.Statement) bool {
	found := isDDL(ast)
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node.(type) {
		case *sqlparser.CollateExpr, *sqlparser.ConvertUsingExpr:
			found = true
		}
		return !found, nil
	}, ast)
	return found
}

// ownMembers returns the type with a list of members of its own, if it is an ENUM.
func ownMembers(typ sql.Type) sql.Type {
	enum, ok := typ.(sql.EnumType)
	if !ok {
		return typ
	}
	own, err := types.CreateEnumType(slices.Clone(enum.Values()), enum.Collation())
	if err != nil {
		return typ // cannot be: it was made from the same members before
	}
	return own
}

// recollated gives a type another collation.
func recollated(typ sql.TypeWithCollation, collation sql.CollationID) (sql.Type, error) {
	if own, ok := typ.(sql.EnumType); ok {
		typ = ownMembers(own).(sql.TypeWithCollation)
	}
	return typ.WithNewCollation(collation)
}
