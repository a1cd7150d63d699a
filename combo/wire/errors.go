package wire

import (
	"errors"

	"github.com/dolthub/vitess/go/mysql"
	"vitess.io/vitess/go/mysql/sqlerror"
)

// clientError makes the error a client sees of the coded error inside: the
// errno and SQLSTATE of a shard's or the gateway's error, or those of a Vitess
// code. What was being done (the text that wraps it) stays behind.
func clientError(err error) error {
	if err == nil {
		return nil
	}
	var coded *sqlerror.SQLError
	if !errors.As(err, &coded) && !errors.As(sqlerror.NewSQLErrorFromError(err), &coded) {
		return mysql.NewSQLError(mysql.ERUnknownError, mysql.SSUnknownSQLState, "%s", err.Error())
	}
	state := coded.State
	if len(state) != 5 {
		state = sqlerror.SSUnknownSQLState // the library panics on any other length
	}
	return mysql.NewSQLError(int(coded.Num), state, "%s", coded.Message)
}
