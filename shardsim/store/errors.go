package store

import (
	"errors"
	"fmt"
)

// Errors of locks and transactions. The SQL layer gives them MySQL's numbers.
var (
	ErrLockTimeout  = errors.New("lock wait timeout exceeded")                   // 1205
	ErrDeadlock     = errors.New("deadlock found when trying to get lock")       // 1213, the caller must roll back
	ErrLocked       = errors.New("row is locked and the statement may not wait") // 3572
	ErrTableChanged = errors.New("table definition has changed")                 // 1412
	ErrNoTable      = errors.New("table does not exist")                         // 1146
	ErrTableExists  = errors.New("table exists already")                         // 1050
	ErrNoSavepoint  = errors.New("savepoint does not exist")                     // 1305
	ErrRowGone      = errors.New("row does not exist")
)

// DuplicateError reports that a row's key exists already in a unique index.
type DuplicateError struct {
	Table    string
	Index    string // "PRIMARY" for the primary key
	Position int    // index position in TableDef.Indexes, or Primary
	Key      Keyer  // of that index
	Row      []any  // the row that wanted in
	Existing []any  // the row that is there
}

// duplicate reports that row's key in an index, or the primary key, is there's already.
func duplicate(def *TableDef, position int, row, there []any) *DuplicateError {
	e := &DuplicateError{Table: def.Name, Index: "PRIMARY", Position: position, Key: def.Primary, Row: row, Existing: there}
	if position != Primary {
		e.Index, e.Key = def.Indexes[position].Name, def.Indexes[position].Key
	}
	return e
}

// Error implements error.
func (e *DuplicateError) Error() string {
	return fmt.Sprintf("duplicate entry for key %s.%s", e.Table, e.Index)
}
