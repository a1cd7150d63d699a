package wire

import (
	"errors"

	"github.com/dolthub/vitess/go/mysql"
)

// failLate ends a result that has begun with an error: MySQL sends an error
// packet in place of the packet that ends the rows (MySQL internals manual,
// "ProtocolText::Resultset"). The library would cut the connection instead, so
// it is left to write the end, and packetConn replaces that. It returns an
// error where the rows could not be sent, and nothing can be mended.
func (cl *client) failLate(failure error) error {
	var coded *mysql.SQLError
	if !errors.As(failure, &coded) {
		return failure
	}
	if err := cl.conn.FlushBuffer(); err != nil {
		return failure
	}
	cl.packets.ending = errorPayload(coded)
	return nil
}

// errorPayload is an ERR packet's payload.
func errorPayload(err *mysql.SQLError) []byte {
	payload := []byte{mysql.ErrPacket, byte(err.Num), byte(err.Num >> 8), '#'}
	payload = append(payload, err.State...)
	return append(payload, err.Message...)
}
