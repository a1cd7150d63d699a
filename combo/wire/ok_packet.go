package wire

import (
	"encoding/binary"

	"github.com/dolthub/vitess/go/mysql"
	dsqltypes "github.com/dolthub/vitess/go/sqltypes"
	"vitess.io/vitess/go/sqltypes"
)

// okTail is what an OK packet says behind the counts and status flags (MySQL
// internals manual, "OK_Packet"). The library leaves it out after a prepared
// statement and writes the text without its length.
type okTail struct {
	warnings uint16
	info     string
}

// sendCounts answers a statement that has no result set.
func (cl *client) sendCounts(counts *sqltypes.Result, emit func(*dsqltypes.Result) error) error {
	if err := cl.conn.FlushBuffer(); err != nil {
		return err
	}
	cl.packets.ok = &okTail{warnings: cl.warnings, info: counts.Info}
	return emit(convertResult(counts, nil))
}

// Write passes the library's packets on. Where a result must end with an error,
// the packet that ends it, which comes alone, is replaced under its sequence
// number; an OK packet, which comes first, gets its tail.
func (c *packetConn) Write(p []byte) (int, error) {
	if c.ending == nil && c.ok == nil {
		return c.Conn.Write(p)
	}
	if len(p) == packetHeader && c.header == nil {
		c.header = append([]byte(nil), p...) // without a buffer, the library writes the payload apart
		return len(p), nil
	}
	whole := append(c.header, p...)
	var packets []byte
	if c.ending != nil {
		packets = packet(whole[3], c.ending)
	} else {
		end := packetHeader + packetLength(whole)
		packets = append(packet(whole[3], c.ok.appendTo(whole[packetHeader:end])), whole[end:]...)
	}
	c.ending, c.ok, c.header = nil, nil, nil
	if _, err := c.Conn.Write(packets); err != nil {
		return 0, err
	}
	return len(p), nil
}

// packet puts a header before a payload.
func packet(sequence byte, payload []byte) []byte {
	length := len(payload)
	return append([]byte{byte(length), byte(length >> 8), byte(length >> 16), sequence}, payload...)
}

// appendTo gives the payload of an OK packet another tail. Payloads of other
// packets stay as they are.
func (t *okTail) appendTo(payload []byte) []byte {
	if payload[0] != mysql.OKPacket {
		return payload
	}
	const flags = 2
	end := 1
	end += lengthEncodedSize(payload[end])
	end += lengthEncodedSize(payload[end]) + flags
	out := binary.LittleEndian.AppendUint16(append([]byte(nil), payload[:end]...), t.warnings)
	if t.info == "" {
		return out
	}
	const oneByteMax = 250
	if len(t.info) > oneByteMax {
		out = binary.LittleEndian.AppendUint16(append(out, 0xfc), uint16(len(t.info)))
	} else {
		out = append(out, byte(len(t.info)))
	}
	return append(out, t.info...)
}

// lengthEncodedSize is the size of a length-encoded integer by its first byte.
func lengthEncodedSize(first byte) int {
	switch first {
	case 0xfc:
		return 3
	case 0xfd:
		return 4
	case 0xfe:
		return 9
	}
	return 1
}
