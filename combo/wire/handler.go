package wire

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"github.com/dolthub/vitess/go/mysql"
	dsqltypes "github.com/dolthub/vitess/go/sqltypes"
	dquerypb "github.com/dolthub/vitess/go/vt/proto/query"
	dsqlparser "github.com/dolthub/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// errTooManyParams is MySQL's ER_PS_MANY_PARAM.
const errTooManyParams sqlerror.ErrorCode = 1390

// handler answers the library's calls for all clients.
type handler struct{ server *Server }

var _ mysql.Handler = (*handler)(nil)

// clientOf is the client of a connection; the library calls NewConnection
// before anything else.
func clientOf(c *mysql.Conn) *client { return c.ClientData.(*client) }

// NewConnection greets a client: autocommit is on from the handshake, or some
// drivers never send the SET they rely on.
func (h *handler) NewConnection(c *mysql.Conn) {
	c.StatusFlags |= mysql.ServerStatusAutocommit
	c.ClientData = newClient(h.server, c)
}

// ConnectionClosed ends the client's session.
func (h *handler) ConnectionClosed(c *mysql.Conn) {
	clientOf(c).close()
	h.server.clients.Done()
}

// ConnectionAborted hears of a login that failed; there is nothing to undo.
func (h *handler) ConnectionAborted(*mysql.Conn, string) error { return nil }

// ComInitDB selects a database: with the login, or by COM_INIT_DB.
func (h *handler) ComInitDB(c *mysql.Conn, database string) error {
	cl := clientOf(c)
	return cl.guard("USE "+database, func() error {
		if cl.session == nil {
			return cl.connect(database)
		}
		return cl.run("use `"+strings.ReplaceAll(database, "`", "``")+"`", nil, func(*sqltypes.Result) error { return nil })
	})
}

// ComQuery runs one statement.
func (h *handler) ComQuery(_ context.Context, c *mysql.Conn, query string, emit mysql.ResultSpoolFn) error {
	return clientOf(c).query(query, false, emit)
}

// ComMultiQuery runs the first of several statements and gives the rest back.
func (h *handler) ComMultiQuery(_ context.Context, c *mysql.Conn, query string, emit mysql.ResultSpoolFn) (string, error) {
	first, rest, err := h.server.split(query)
	if err != nil {
		return "", clientError(err)
	}
	cl := clientOf(c)
	if err := cl.query(first, rest != "", emit); err != nil || cl.packets.ending != nil {
		return "", err // as in MySQL, the rest is not run
	}
	return rest, nil
}

// ComPrepare prepares the statement that packetConn took out of the stream.
func (h *handler) ComPrepare(_ context.Context, c *mysql.Conn, _ string, prepare *mysql.PrepareData) ([]*dquerypb.Field, error) {
	cl := clientOf(c)
	sql := cl.preparing
	var fields []*dquerypb.Field
	err := cl.guard(sql, func() error {
		if err := cl.connect(""); err != nil {
			return err
		}
		found, params, err := cl.session.Prepare(cl.ctx, sql)
		if err != nil {
			return err
		}
		if params > 1<<16-1 {
			return sqlerror.NewSQLError(errTooManyParams, sqlerror.SSUnknownSQLState, "Prepared statement contains too many placeholders")
		}
		cl.statements[prepare.StatementID] = &statement{sql: sql, params: params}
		prepare.PrepareStmt, prepare.ParamsCount = sql, uint16(params)
		fields = convertFields(found)
		return nil
	})
	if err != nil {
		delete(c.PrepareData, prepare.StatementID)
	}
	return fields, err
}

// ComStmtExecute runs a prepared statement with the parameters packetConn read.
func (h *handler) ComStmtExecute(_ context.Context, c *mysql.Conn, prepare *mysql.PrepareData, emit func(*dsqltypes.Result) error) error {
	cl := clientOf(c)
	stmt := cl.statements[prepare.StatementID]
	if stmt == nil {
		return clientError(unknownStatement(prepare.StatementID))
	}
	vars, err := cl.bound, cl.boundErr
	cl.bound, cl.boundErr = nil, nil
	if err != nil {
		return clientError(sqlerror.NewSQLError(sqlerror.CRMalformedPacket, sqlerror.SSUnknownSQLState, err.Error()))
	}
	cl.executing = true
	defer func() { cl.executing = false }()
	return cl.execute(stmt.sql, vars, emit)
}

func unknownStatement(id uint32) error {
	return sqlerror.NewSQLError(sqlerror.ERUnknownStmtHandler, sqlerror.SSUnknownSQLState,
		fmt.Sprintf("Unknown prepared statement handler (%d) given to mysqld_stmt_execute", id))
}

// WarningCount is the number of warnings of the last statement.
func (h *handler) WarningCount(c *mysql.Conn) uint16 { return clientOf(c).warnings }

// ComResetConnection is not called: packetConn makes a query of the command.
func (h *handler) ComResetConnection(*mysql.Conn) error { return nil }

// ParserOptionsForConnection are for the library's parser, which sees no
// statement of the client's.
func (h *handler) ParserOptionsForConnection(*mysql.Conn) (dsqlparser.ParserOptions, error) {
	return dsqlparser.ParserOptions{}, nil
}

// split cuts the first statement off a text; rest is empty after the last.
func (s *Server) split(text string) (first, rest string, err error) {
	if strings.IndexByte(text, ';') < 0 {
		return text, "", nil
	}
	first, rest, err = s.parser.SplitStatement(text)
	if err != nil {
		// Not even tokens: the gateway words the syntax error.
		return text, "", nil
	}
	if s.beginsProcedure(first) {
		for rest != "" && s.parser.IsStatementIncomplete(first) { // a semicolon of its body
			next, after, err := s.parser.SplitStatement(rest)
			if err != nil {
				return text, "", nil
			}
			first, rest = text[:len(first)+1+len(next)], after
		}
	}
	return first, strings.TrimLeftFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || r == ';' }), nil
}

// beginsProcedure reports whether a text begins as CREATE PROCEDURE does, of a definer or not.
func (s *Server) beginsProcedure(text string) bool {
	tokens := s.parser.NewStringTokenizer(text)
	next := func() int {
		for {
			if token, _ := tokens.Scan(); token != sqlparser.COMMENT {
				return token
			}
		}
	}
	if next() != sqlparser.CREATE {
		return false
	}
	token := next()
	return token == sqlparser.PROCEDURE || token == sqlparser.DEFINER
}

// guard runs a client's command: a panic becomes an error and the connection
// lives, and errors become those a client sees.
func (cl *client) guard(what string, run func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			cl.server.logPanic(what, cause)
			err = vterrors.VT13001(fmt.Sprintf("panic: %v", cause))
		}
		err = clientError(err)
	}()
	return run()
}

// query runs one statement of the text protocol.
func (cl *client) query(sql string, more bool, emit mysql.ResultSpoolFn) error {
	if cl.resetting != nil {
		return cl.guard(sql, func() error { return cl.reset(emit) })
	}
	return cl.execute(sql, nil, func(result *dsqltypes.Result) error { return emit(result, more) })
}

// execute runs a statement and hands its results on. A result without fields
// is held back until the status that goes with it is known.
func (cl *client) execute(sql string, vars map[string]*querypb.BindVariable, emit func(*dsqltypes.Result) error) error {
	counts := &sqltypes.Result{}
	var fields []*dquerypb.Field
	err := cl.guard(sql, func() error {
		if err := cl.connect(""); err != nil {
			return err
		}
		return cl.run(sql, vars, func(result *sqltypes.Result) error {
			switch {
			case fields != nil: // the library sends them once, but measures each binary row by them
			case len(result.Fields) == 0:
				counts = result
				return nil
			default:
				fields = cl.columns.of(result.Fields)
			}
			return emit(convertResult(result, fields))
		})
	})
	switch {
	case err != nil && fields != nil:
		return cl.failLate(err)
	case err != nil || fields != nil:
		return err
	}
	return cl.sendCounts(counts, emit)
}

// run runs a statement and takes over the session's status.
func (cl *client) run(sql string, vars map[string]*querypb.BindVariable, emit func(*sqltypes.Result) error) error {
	cl.unwatch = sync.OnceFunc(cl.lookout.watch(cl.cancel))
	defer cl.unwatch()
	err := cl.session.Execute(cl.ctx, sql, vars, emit)
	cl.updateStatus()
	return err
}

// updateStatus sets the flags and warnings that the next packets carry.
func (cl *client) updateStatus() {
	status := cl.session.Status()
	cl.conn.StatusFlags = cl.conn.StatusFlags&^(mysql.ServerStatusAutocommit|mysql.ServerInTransaction) | statusFlags(status)
	cl.warnings = status.Warnings
}
