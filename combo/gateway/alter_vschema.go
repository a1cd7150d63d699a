package gateway

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// alterVSchema is ALTER VSCHEMA, for the users that may.
func (s *Session) alterVSchema(stmt *sqlparser.AlterVschema) error {
	if !s.mayAlterVSchema() {
		return s.mayNotAlterVSchema()
	}
	keyspace := stmt.Table.Qualifier.String()
	if keyspace == "" {
		keyspace = s.keyspace()
	}
	if keyspace == "" {
		return vterrors.VT09005()
	}
	g := s.gateway
	g.schemaMu.Lock()
	defer g.schemaMu.Unlock()
	changed, err := alteredVSchema(g.VSchema(), keyspace, stmt)
	if err != nil {
		return err
	}
	g.SetVSchema(changed)
	return nil
}

func (s *Session) mayAlterVSchema() bool {
	users := strings.Split(s.gateway.cfg.VSchemaDDLUsers, ",")
	for i := range users {
		users[i] = strings.TrimSpace(users[i])
	}
	return slices.Contains(users, "%") || s.info.User != "" && slices.Contains(users, s.info.User)
}

func (s *Session) mayNotAlterVSchema() error {
	return sqlerror.NewSQLErrorf(sqlerror.ERAccessDeniedError, sqlerror.SSAccessDeniedError,
		"User '%s' is not authorized to perform vschema operations", s.info.User)
}
