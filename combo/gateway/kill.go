package gateway

import (
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/vt/sqlparser"
)

// kill interrupts another session's statement, or the session.
func (s *Session) kill(stmt *sqlparser.Kill) error {
	s.gateway.mu.Lock()
	victim := s.gateway.sessions[uint32(stmt.ProcesslistID)]
	s.gateway.mu.Unlock()
	if victim == nil {
		return sqlerror.NewSQLErrorf(sqlerror.ERNoSuchThread, sqlerror.SSUnknownSQLState, "Unknown thread id: %d", stmt.ProcesslistID)
	}
	victim.interrupt(stmt.Type == sqlparser.ConnectionType)
	return nil
}
