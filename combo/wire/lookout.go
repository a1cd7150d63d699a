package wire

import (
	"errors"
	"os"
	"sync"
	"time"
)

// watchAfter is how long a statement runs before anybody looks whether its
// client is still there.
const watchAfter = 100 * time.Millisecond

// earlyBytesMax is how much a client may send ahead before it is not watched
// any longer.
const earlyBytesMax = 64 << 10

// longPast is a deadline that ends a pending read at once.
var longPast = time.Unix(1, 0)

// lookout watches a connection's other end:
//
//	a statement runs      a read waits for what the client sends early, or for
//	                      its leaving, which interrupts the statement
//	the session is killed the next read ends the connection, and so does one
//	                      that waits; the answer being made still goes out
type lookout struct {
	conn *packetConn

	mu     sync.Mutex
	killed bool
}

// kill ends the connection. It may be called by any goroutine.
func (l *lookout) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.killed = true
	l.wakeReader()
}

// wakeReader ends a pending read; an error means that the connection is
// closed, which does it too.
func (l *lookout) wakeReader() { _ = l.conn.Conn.SetReadDeadline(longPast) }

// watch calls gone if the client leaves before stop is called. Only the
// connection's own goroutine calls either, and reads nothing in between.
func (l *lookout) watch(gone func()) (stop func()) {
	var reading chan struct{} // closed when the read is over; nil: none began
	over := false
	timer := time.AfterFunc(watchAfter, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if over || l.killed {
			return
		}
		reading = make(chan struct{})
		go func() {
			defer close(reading)
			l.read(gone)
		}()
	})
	return func() {
		if timer.Stop() {
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		over = true
		if reading == nil {
			return
		}
		l.wakeReader()
		<-reading
		if !l.killed {
			_ = l.conn.Conn.SetReadDeadline(time.Time{}) // fails on a closed connection only
		}
	}
}

// read waits for the client's leaving and keeps what it sends before, up to a
// limit.
func (l *lookout) read(gone func()) {
	early := make([]byte, 512)
	for len(l.conn.in) < earlyBytesMax {
		n, err := l.conn.Conn.Read(early)
		l.conn.in = append(l.conn.in, early[:n]...)
		if err != nil {
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				gone()
			}
			return
		}
	}
}
