package gateway

import (
	"context"
	"slices"
	"strings"

	"vitess.io/vitess/go/mysql/sqlerror"
)

// savepoint sets a savepoint on the shards of the transaction, and on those that join later. Outside a transaction it
// does nothing, as in MySQL.
func (s *Session) savepoint(ctx context.Context, name string) error {
	if s.tx == nil {
		if s.autocommit {
			return nil
		}
		s.tx = newTransaction(s)
	}
	if err := s.tx.all(ctx, "savepoint "+quoteName(name)); err != nil {
		return err
	}
	// A name set again moves to the end.
	if i := s.tx.findSavepoint(name); i >= 0 {
		s.tx.savepoints = slices.Delete(s.tx.savepoints, i, i+1)
	}
	s.tx.savepoints = append(s.tx.savepoints, name)
	return nil
}

// rollbackTo undoes what happened since a savepoint. The savepoint stays; later ones go.
func (s *Session) rollbackTo(ctx context.Context, name string) error {
	i := s.findSavepoint(name)
	if i < 0 {
		return noSavepoint(name)
	}
	s.tx.savepoints = s.tx.savepoints[:i+1]
	return s.tx.all(ctx, "rollback to "+quoteName(name))
}

// release forgets a savepoint and those after it.
func (s *Session) release(ctx context.Context, name string) error {
	i := s.findSavepoint(name)
	if i < 0 {
		return noSavepoint(name)
	}
	s.tx.savepoints = s.tx.savepoints[:i]
	return s.tx.all(ctx, "release savepoint "+quoteName(name))
}

func (s *Session) findSavepoint(name string) int {
	if s.tx == nil {
		return -1
	}
	return s.tx.findSavepoint(name)
}

func (tx *transaction) findSavepoint(name string) int {
	return slices.IndexFunc(tx.savepoints, func(known string) bool { return strings.EqualFold(known, name) })
}

func noSavepoint(name string) error {
	return sqlerror.NewSQLErrorf(sqlerror.ERSPDoesNotExist, sqlerror.SSClientError, "SAVEPOINT %s does not exist", name)
}

// quoteName quotes an identifier.
func quoteName(name string) string {
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}
