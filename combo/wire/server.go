package wire

import (
	"context"
	"fmt"
	"net"
	"runtime/debug"
	"sync"

	"github.com/dolthub/vitess/go/mysql"
	dlog "github.com/dolthub/vitess/go/vt/log"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Config says where and for whom a Server listens.
type Config struct {
	// Address to listen at, as in "127.0.0.1:15306"; port 0 picks a free one.
	Address string
	// ServerVersion is the version clients see; empty is 8.4.6-Vitess.
	ServerVersion string
	// User and Password that clients must give. Both empty: any user may come
	// in, with any password or none.
	User, Password string
	// Log hears of broken invariants; nil drops them.
	Log func(message string)
}

// DefaultServerVersion is the version clients see unless told otherwise.
const DefaultServerVersion = "8.4.6-Vitess"

// Server is a listener with its connections.
type Server struct {
	gateway     Gateway
	credentials *credentials
	log         func(string)
	parser      *sqlparser.Parser
	library     *mysql.Listener
	ctx         context.Context
	cancel      context.CancelFunc

	accepting sync.WaitGroup // the accept loop
	clients   sync.WaitGroup // connections the library handles

	mu     sync.Mutex
	conns  map[*packetConn]struct{}
	closed bool
}

// quietLibrary makes the protocol library keep to itself what it would print
// for each error a client causes: the client hears it already.
var quietLibrary = sync.OnceFunc(func() {
	drop := func(...any) {}
	dropf := func(string, ...any) {}
	dlog.Info, dlog.Warning, dlog.Error = drop, drop, drop
	dlog.Infof, dlog.Warningf, dlog.Errorf = dropf, dropf, dropf
})

// Listen opens the address and serves clients until Close. It returns once
// connections are accepted.
func Listen(cfg Config, gateway Gateway) (*Server, error) {
	quietLibrary()
	parser, err := sqlparser.New(sqlparser.Options{})
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", cfg.Address)
	if err != nil {
		return nil, err
	}
	s := &Server{
		gateway: gateway, credentials: &credentials{user: cfg.User, password: cfg.Password},
		log: cfg.Log, parser: parser, conns: map[*packetConn]struct{}{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.library, err = mysql.NewListenerWithConfig(mysql.ListenerConfig{
		Listener: &trackingListener{Listener: listener, server: s}, AuthServer: s.credentials, Handler: &handler{s},
		ConnReadBufferSize: mysql.DefaultConnBufferSize,
	})
	if err != nil {
		return nil, fmt.Errorf("make the MySQL listener: %w", err)
	}
	s.library.ServerVersion = cfg.ServerVersion
	if cfg.ServerVersion == "" {
		s.library.ServerVersion = DefaultServerVersion
	}
	s.accepting.Go(s.library.Accept)
	return s, nil
}

// Addr is the address the server listens at.
func (s *Server) Addr() net.Addr { return s.library.Addr() }

// Close stops listening, interrupts statements, closes connections and waits
// for their goroutines.
func (s *Server) Close() {
	s.library.Close()
	s.cancel()
	s.mu.Lock()
	s.closed = true
	for conn := range s.conns {
		conn.Conn.Close() // its goroutine sees the error and ends
	}
	s.mu.Unlock()
	s.accepting.Wait()
	s.clients.Wait()
}

// logPanic reports a panic with the statement that caused it.
func (s *Server) logPanic(what string, cause any) {
	if s.log != nil {
		s.log(fmt.Sprintf("panic: %v, at: %s\n%s", cause, what, debug.Stack()))
	}
}

// trackingListener hands connections to the library and remembers them.
type trackingListener struct {
	net.Listener
	server *Server
}

// Accept waits for the next client.
func (l *trackingListener) Accept() (net.Conn, error) {
	raw, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	s := l.server
	s.mu.Lock()
	defer s.mu.Unlock()
	conn := &packetConn{Conn: raw}
	if s.closed {
		raw.Close()
		return nil, net.ErrClosed
	}
	conn.onClose = func() {
		s.mu.Lock()
		delete(s.conns, conn)
		s.mu.Unlock()
	}
	s.conns[conn] = struct{}{}
	s.clients.Add(1) // until the library says ConnectionClosed
	return conn, nil
}
