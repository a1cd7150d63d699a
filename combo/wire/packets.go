package wire

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
)

// Commands of clients that packetConn looks at (MySQL internals manual, "Text
// Protocol" and "Prepared Statements").
const (
	comQuery           = 0x03
	comChangeUser      = 0x11
	comStmtPrepare     = 0x16
	comStmtExecute     = 0x17
	comStmtSendLong    = 0x18
	comStmtClose       = 0x19
	comStmtReset       = 0x1a
	comResetConnection = 0x1f
)

const (
	packetHeader   = 4
	packetBytesMax = 1<<24 - 1 // a longer payload goes on in the next packet
	payloadMax     = 1 << 30   // the longest payload that is kept whole
	cursorFlags    = 1 + 4     // place of the cursor flags in a COM_STMT_EXECUTE
)

// commandSink is told of the commands that packetConn takes out of the stream.
type commandSink interface {
	// prepareCommand hears the text of a COM_STMT_PREPARE and gives the text
	// that the library shall see.
	prepareCommand(sql string) string
	// executeCommand hears the payload of a COM_STMT_EXECUTE, which the
	// library sees too. It must not keep the slice.
	executeCommand(payload []byte)
	// longDataCommand hears the payload of a COM_STMT_SEND_LONG_DATA.
	longDataCommand(payload []byte)
	// closeCommand and resetCommand hear of a statement's end and reset.
	closeCommand(payload []byte)
	resetCommand(payload []byte)
	// sessionCommand hears the payload of a COM_CHANGE_USER or
	// COM_RESET_CONNECTION and gives the query that stands for it.
	sessionCommand(payload []byte) string
}

// packetConn is a client's connection on its way to the library. It reads
// along, packet by packet, and takes out what the library cannot do: it reads
// no Vitess syntax in a COM_STMT_PREPARE, drops the leading zeros of fractions
// of seconds and some forms of times in parameters, has no COM_CHANGE_USER and
// answers COM_RESET_CONNECTION without status flags. It also clears the wish for
// a cursor: the library would run the statement beside the client's next ones
// and lose its error; without one the rows are simply sent, as the protocol allows.
//
// Read is called by the connection's one goroutine, which is the one that
// calls the handler too.
type packetConn struct {
	net.Conn
	sink    commandSink // set before the first command
	onClose func()      // called once the library is through with it

	in      []byte // read from the socket, not looked at yet
	out     []byte // to be handed out before anything else
	body    int    // bytes of the current packet still to pass through
	file    bool   // the client sends a file, not commands
	more    bool   // the current packet is followed by one that belongs to it
	tapped  bool   // the payload that passes through is kept
	payload []byte // the payload kept, or read whole

	ending []byte  // not nil: an error's payload, to be sent for the next packet
	ok     *okTail // not nil: what the next packet, an OK packet, ends with
	header []byte  // of the packet to be replaced, whose payload comes next
}

// Read hands out the client's bytes, never across the end of a packet.
func (c *packetConn) Read(p []byte) (int, error) {
	for {
		switch {
		case len(c.out) > 0:
			n := copy(p, c.out)
			c.out = c.out[n:]
			return n, nil
		case c.body > 0:
			return c.passThrough(p)
		}
		n, err := c.nextPacket(p)
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// fill reads at least least bytes into p, those left over first.
func (c *packetConn) fill(p []byte, least int) (int, error) {
	n := copy(p, c.in)
	c.in = c.in[n:]
	if n >= least {
		return n, nil
	}
	more, err := io.ReadAtLeast(c.Conn, p[n:], least-n)
	return n + more, err
}

// putBack returns bytes that were read too far.
func (c *packetConn) putBack(data []byte) {
	if len(data) > 0 {
		c.in = append(append([]byte(nil), data...), c.in...)
	}
}

// Close ends the connection; the library calls it last.
func (c *packetConn) Close() error {
	c.onClose()
	return c.Conn.Close()
}

// passThrough hands out more of the current packet.
func (c *packetConn) passThrough(p []byte) (int, error) {
	n, err := c.fill(p[:min(len(p), c.body)], 1)
	c.passed(p[:n])
	return n, err
}

// passed counts bytes of the current packet's payload that were handed out.
func (c *packetConn) passed(data []byte) {
	c.body -= len(data)
	if !c.tapped {
		return
	}
	if len(c.payload)+len(data) <= payloadMax {
		c.payload = append(c.payload, data...)
	}
	if c.body == 0 && !c.more {
		c.tapped = false
		c.sink.executeCommand(c.payload)
	}
}

// nextPacket reads the beginning of a packet into p. It answers 0 where the
// packet was taken out; what replaces it is in c.out.
func (c *packetConn) nextPacket(p []byte) (int, error) {
	if len(p) < packetHeader {
		return 0, fmt.Errorf("read of %d bytes is too small for a packet's header", len(p))
	}
	n, err := c.fill(p, packetHeader)
	if err != nil {
		return n, err
	}
	length := packetLength(p)
	continued := c.more
	c.more = length == packetBytesMax
	c.body = length
	if p[3] == 0 && !c.file && !continued && length > 0 && len(p) > packetHeader+cursorFlags && c.sink != nil {
		// The command and, of an execution, the cursor flags must be at hand.
		if least := packetHeader + min(length, cursorFlags+1); n < least {
			more, err := c.fill(p[n:], least-n)
			n += more
			if err != nil {
				return n, err
			}
		}
		switch p[packetHeader] {
		case comStmtPrepare, comStmtSendLong, comStmtClose, comStmtReset, comChangeUser, comResetConnection:
			return 0, c.takeOut(p[:n])
		case comStmtExecute:
			c.tapped, c.payload = true, c.payload[:0]
			if length > cursorFlags {
				p[packetHeader+cursorFlags] = 0
			}
		}
	}
	end := min(n, packetHeader+length)
	c.putBack(p[end:n])
	c.passed(p[packetHeader:end])
	return end, nil
}

func packetLength(header []byte) int {
	return int(header[0]) | int(header[1])<<8 | int(header[2])<<16
}

// takeOut reads the whole payload of the packet that begins with start and
// puts what the library shall see instead into c.out.
func (c *packetConn) takeOut(start []byte) error {
	payload := append([]byte(nil), start[packetHeader:min(len(start), packetHeader+c.body)]...)
	c.putBack(start[packetHeader+len(payload):])
	rest := c.body - len(payload)
	for {
		if len(payload)+rest > payloadMax {
			return fmt.Errorf("the client sent a packet of more than %d bytes", payloadMax)
		}
		from := len(payload)
		payload = append(payload, make([]byte, rest)...)
		if _, err := c.fill(payload[from:], rest); err != nil {
			return err
		}
		if !c.more {
			break
		}
		var header [packetHeader]byte
		if _, err := c.fill(header[:], packetHeader); err != nil {
			return err
		}
		rest = packetLength(header[:])
		c.more = rest == packetBytesMax
	}
	c.body = 0
	c.replace(payload)
	return nil
}

// replace decides what the library sees of a packet that was taken out.
func (c *packetConn) replace(payload []byte) {
	switch payload[0] {
	case comStmtPrepare:
		c.emit(comStmtPrepare, c.sink.prepareCommand(string(payload[1:])))
	case comStmtSendLong: // no answer is expected
		c.sink.longDataCommand(payload)
	case comStmtClose:
		c.sink.closeCommand(payload)
		c.emit(comStmtClose, string(payload[1:]))
	case comStmtReset:
		c.sink.resetCommand(payload)
		c.emit(comStmtReset, string(payload[1:]))
	default:
		c.emit(comQuery, c.sink.sessionCommand(payload))
	}
}

// emit puts a packet of a command and its argument into c.out.
func (c *packetConn) emit(command byte, argument string) {
	length := 1 + len(argument)
	c.out = append(c.out[:0], byte(length), byte(length>>8), byte(length>>16), 0, command)
	c.out = append(c.out, argument...)
}

// statementID reads the statement's number off a payload.
func statementID(payload []byte) (uint32, bool) {
	if len(payload) < 5 {
		return 0, false
	}
	return binary.LittleEndian.Uint32(payload[1:]), true
}
