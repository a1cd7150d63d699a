package wire

import (
	"context"
	"io"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

// Gateway makes sessions for clients. It is safe for concurrent use.
type Gateway interface {
	// Connect begins a session. It fails where the database is not known; the
	// client is then turned away with the error.
	Connect(ctx context.Context, info ConnInfo) (Session, error)
}

// ConnInfo is what is known of a client once it has logged in.
type ConnInfo struct {
	ID         uint32 // CONNECTION_ID(), unique for the server's life
	User       string
	Database   string // empty: none was asked for
	FoundRows  bool   // CLIENT_FOUND_ROWS: an UPDATE counts the rows it found
	RemoteAddr string
	// OpenLocal asks the client for one of its files (LOAD DATA LOCAL), while
	// its statement runs. Nothing is emitted before the file is closed.
	OpenLocal func(name string) (io.ReadCloser, error)
	Hangup    func() // ends the connection after the answer that is being made; any goroutine may call it
}

// Session is the server's side of one client. wire calls one method at a time.
type Session interface {
	// Execute runs one statement. bindVars is nil for the text protocol; a
	// prepared statement's parameters are v1, v2, ... The first result that is
	// emitted carries the fields, if there are any; a statement without rows
	// emits one result with its counts. Values are wire's until emit returns.
	Execute(ctx context.Context, sql string, bindVars map[string]*querypb.BindVariable, emit func(*sqltypes.Result) error) error
	// Prepare checks a statement and tells the fields it will have, as far as
	// they are known, and the number of its parameters.
	Prepare(ctx context.Context, sql string) (fields []*querypb.Field, params int, err error)
	// Status is the state after the last statement.
	Status() Status
	// Reset makes the session as new: it rolls back and forgets variables.
	Reset(ctx context.Context) error
	// Close rolls back and ends the session.
	Close()
}

// Status is what travels beside each answer.
type Status struct {
	Autocommit    bool
	InTransaction bool
	Warnings      uint16
}
