package wire

import (
	"bytes"
	"context"
	"maps"

	"github.com/dolthub/vitess/go/mysql"
	dsqltypes "github.com/dolthub/vitess/go/sqltypes"
	"vitess.io/vitess/go/mysql/sqlerror"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

// client is one connection. All but cancel is used by its goroutine alone.
type client struct {
	server  *Server
	conn    *mysql.Conn
	packets *packetConn // what conn reads and writes
	lookout lookout
	ctx     context.Context // done when the connection or the server closes
	cancel  context.CancelFunc

	session Session // nil until the first command
	unwatch func()  // stops the watch over the running statement's client
	// executing: the running statement is a prepared one.
	executing bool
	columns   columns // of the last result
	warnings  uint16  // of the last statement

	statements map[uint32]*statement
	preparing  string // text of the COM_STMT_PREPARE the library works at
	bound      map[string]*querypb.BindVariable
	boundErr   error
	resetting  *resetRequest // set: the library works at a reset
}

// resetRequest is a COM_RESET_CONNECTION or COM_CHANGE_USER.
type resetRequest struct {
	changeUser     bool
	user, database string
}

// placeholder is the statement the library sees in place of the client's: its
// parser does not know Vitess's syntax.
const placeholder = "select 1"

func newClient(server *Server, conn *mysql.Conn) *client {
	packets := conn.Conn.(*packetConn) // trackingListener accepted it
	cl := &client{
		server: server, conn: conn, packets: packets, lookout: lookout{conn: packets},
		statements: map[uint32]*statement{},
	}
	packets.sink = cl
	cl.ctx, cl.cancel = context.WithCancel(server.ctx)
	return cl
}

// connect begins the session, once.
func (cl *client) connect(database string) error {
	if cl.session != nil {
		return nil
	}
	session, err := cl.server.gateway.Connect(cl.ctx, ConnInfo{
		ID: cl.conn.ConnectionID, User: cl.conn.User, Database: database,
		FoundRows:  cl.conn.Capabilities&mysql.CapabilityClientFoundRows != 0,
		RemoteAddr: cl.conn.RemoteAddr().String(),
		OpenLocal:  cl.openLocal,
		Hangup:     cl.lookout.kill,
	})
	if err != nil {
		return err
	}
	cl.session = session
	cl.updateStatus()
	return nil
}

func (cl *client) close() {
	cl.cancel()
	if cl.session != nil {
		cl.session.Close()
	}
}

// prepareCommand keeps the client's text and hides it from the library.
func (cl *client) prepareCommand(sql string) string {
	cl.preparing = sql
	return placeholder
}

// executeCommand reads the parameters, and tells the library that there are
// none.
func (cl *client) executeCommand(payload []byte) {
	id, ok := statementID(payload)
	stmt := cl.statements[id]
	if !ok || stmt == nil {
		return
	}
	cl.bound, cl.boundErr = stmt.bind(payload)
	if prepare := cl.conn.PrepareData[id]; prepare != nil {
		prepare.ParamsCount, prepare.ParamsType, prepare.BindVars = 0, nil, nil
	}
}

// longDataCommand appends to a parameter's value. A statement or parameter
// that does not exist is passed over: the command has no answer.
func (cl *client) longDataCommand(payload []byte) {
	id, ok := statementID(payload)
	stmt := cl.statements[id]
	if !ok || stmt == nil || len(payload) < 7 {
		return
	}
	param := int(payload[5]) | int(payload[6])<<8
	if param >= stmt.params {
		return
	}
	if stmt.long == nil {
		stmt.long = map[int][]byte{}
	}
	stmt.long[param] = append(stmt.long[param], payload[7:]...)
}

func (cl *client) closeCommand(payload []byte) {
	if id, ok := statementID(payload); ok {
		delete(cl.statements, id)
	}
}

func (cl *client) resetCommand(payload []byte) {
	if id, ok := statementID(payload); ok && cl.statements[id] != nil {
		cl.statements[id].long = nil
	}
}

// sessionCommand notes what kind of reset the client wants. The query that
// the library sees instead is never run.
func (cl *client) sessionCommand(payload []byte) string {
	request := &resetRequest{}
	if payload[0] == comChangeUser {
		request.changeUser = true
		user, rest, _ := bytes.Cut(payload[1:], []byte{0})
		request.user = string(user)
		if len(rest) > 0 && int(rest[0]) < len(rest) { // one byte of length, then the password's hash
			database, _, _ := bytes.Cut(rest[1+int(rest[0]):], []byte{0})
			request.database = string(database)
		}
	}
	cl.resetting = request
	return placeholder
}

// reset makes the session as new, for another user if that is wanted.
func (cl *client) reset(emit mysql.ResultSpoolFn) error {
	request := cl.resetting
	cl.resetting = nil
	clear(cl.statements)
	maps.DeleteFunc(cl.conn.PrepareData, func(uint32, *mysql.PrepareData) bool { return true })
	if request.changeUser && !cl.server.credentials.open() && request.user != cl.server.credentials.user {
		return sqlerror.NewSQLError(sqlerror.ERAccessDeniedError, sqlerror.SSAccessDeniedError,
			"Access denied for user '"+request.user+"' (using password: YES)")
	}
	if cl.session != nil && !request.changeUser {
		err := cl.session.Reset(cl.ctx)
		cl.updateStatus()
		if err != nil {
			return err
		}
	}
	if request.changeUser {
		if cl.session != nil {
			cl.session.Close()
			cl.session = nil
		}
		cl.conn.User = request.user
		if err := cl.connect(request.database); err != nil {
			return err
		}
	}
	return emit(&dsqltypes.Result{}, false)
}
