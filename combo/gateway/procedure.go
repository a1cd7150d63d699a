package gateway

import (
	"errors"
	"strings"

	"vitess.io/vitess/go/mysql/sqlerror"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"
)

// callingConn is a connection that can tell how many result sets the procedures of its last statement gave.
type callingConn interface {
	ResultSets() int
}

func resultSets(conn Conn) int {
	if calling, ok := conn.(callingConn); ok {
		return calling.ResultSets()
	}
	return 0
}

// called refuses what a statement's procedures did, in the words of Vitess: result sets, of which the workload OLAP may have
// one, and ends and beginnings of transactions. What they wrote stays written. open tells whether there was a transaction before;
// one that was begun is rolled back with the connection's end. err is what became of the statement otherwise.
func (s *Session) called(conn Conn, open bool, err error) error {
	var mysqlErr *sqlerror.SQLError
	switch sets := resultSets(conn); {
	case sets > 1 || sets == 1 && !s.isOLAP():
		return notInProcedures(vtrpcpb.Code_UNIMPLEMENTED, "Multi-Resultset not supported in stored procedure")
	case errors.As(err, &mysqlErr) && mysqlErr.Num == sqlerror.ErSPNotVarArg:
		return notInProcedures(vtrpcpb.Code_UNIMPLEMENTED, "OUT and INOUT parameters are not supported")
	case err != nil || conn.InTransaction() == open:
		return err
	case open:
		return notInProcedures(vtrpcpb.Code_CANCELED, "Transaction state change inside the stored procedure is not allowed")
	}
	return notInProcedures(vtrpcpb.Code_CANCELED, "Transaction not concluded inside the stored procedure, leaking transaction from stored procedure is not allowed")
}

// notInProcedures is an error that a shard gives, as clients see it.
func notInProcedures(code vtrpcpb.Code, message string) error {
	return sqlerror.NewSQLErrorFromError(vterrors.New(code, message))
}

func (s *Session) isOLAP() bool {
	value, _ := s.variable("workload")
	return strings.EqualFold(value.text, "olap")
}
