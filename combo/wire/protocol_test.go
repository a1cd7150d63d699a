package wire_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo/wire"
)

// rawClient speaks just enough of the protocol to send any command.
type rawClient struct {
	t        *testing.T
	conn     net.Conn
	in       *bufio.Reader
	greeting []byte
}

// dial logs in without a password.
func dial(t *testing.T, server *wire.Server) *rawClient {
	c := connect(t, server)
	c.login("root", "mysql_native_password", nil)
	require.Equal(t, byte(0), c.packet()[0])
	return c
}

// connect reads the server's greeting.
func connect(t *testing.T, server *wire.Server) *rawClient {
	conn, err := net.Dial("tcp", server.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	c := &rawClient{t: t, conn: conn, in: bufio.NewReader(conn)}
	c.greeting = c.packet()
	return c
}

// salt is the greeting's: 8 bytes and, further on, 12 more.
func (c *rawClient) salt() []byte {
	at := bytes.IndexByte(c.greeting, 0) + 1 + 4 // the version and the id before it
	return append(append([]byte{}, c.greeting[at:at+8]...), c.greeting[at+8+19:at+8+19+12]...)
}

// login sends a login with protocol 4.1 and the old EOFs.
func (c *rawClient) login(user, plugin string, answer []byte) {
	const protocol41, secureConnection, pluginAuth, multiStatements = 1 << 9, 1 << 15, 1 << 19, 1 << 16
	login := binary.LittleEndian.AppendUint32(nil, protocol41|secureConnection|pluginAuth|multiStatements)
	login = append(binary.LittleEndian.AppendUint32(login, 1<<24), 45)
	login = append(login, make([]byte, 23)...)
	login = append(append(login, user+"\x00"...), byte(len(answer)))
	c.write(1, append(append(login, answer...), plugin+"\x00"...))
}

func TestCachingSha2Password(t *testing.T) {
	_, _, server := start(t, wire.Config{User: "me", Password: "secret"}, "me:secret@ADDR/")
	for password, ok := range map[string]bool{"secret": true, "wrong": false} {
		c := connect(t, server)
		once := sha256.Sum256([]byte(password))
		twice := sha256.Sum256(once[:])
		answer := sha256.Sum256(append(twice[:], c.salt()...))
		for i := range answer {
			answer[i] ^= once[i]
		}
		c.login("me", "caching_sha2_password", answer[:])
		if !ok {
			require.Equal(t, byte(0xff), c.packet()[0])
			continue
		}
		require.Equal(t, []byte{1, 3}, c.packet(), "the fast road")
		require.Equal(t, byte(0), c.packet()[0])
		c.okFlags(c.command(0x0e, ""))
	}
}

// A client that only has caching_sha2_password and no password sends nothing
// at first; it is asked once more.
func TestCachingSha2WithoutPassword(t *testing.T) {
	_, _, server := start(t, wire.Config{}, "root@ADDR/")
	c := connect(t, server)
	c.login("root", "caching_sha2_password", nil)
	require.Equal(t, byte(0xfe), c.packet()[0])
	c.write(3, []byte{0})
	for packet := c.packet(); packet[0] != 0; packet = c.packet() {
		require.Equal(t, []byte{1, 3}, packet)
	}
	c.okFlags(c.command(0x0e, ""))
}

func (c *rawClient) write(sequence byte, payload []byte) {
	header := []byte{byte(len(payload)), byte(len(payload) >> 8), byte(len(payload) >> 16), sequence}
	_, err := c.conn.Write(append(header, payload...))
	require.NoError(c.t, err)
}

func (c *rawClient) packet() []byte {
	var header [4]byte
	_, err := io.ReadFull(c.in, header[:])
	require.NoError(c.t, err)
	payload := make([]byte, int(header[0])|int(header[1])<<8|int(header[2])<<16)
	_, err = io.ReadFull(c.in, payload)
	require.NoError(c.t, err)
	return payload
}

// command sends a command and gives the first packet of the answer.
func (c *rawClient) command(command byte, argument string) []byte {
	c.write(0, append([]byte{command}, argument...))
	return c.packet()
}

// okFlags are the status flags and warnings of an OK packet without counts.
func (c *rawClient) okFlags(packet []byte) (flags, warnings uint16) {
	require.Equal(c.t, []byte{0, 0, 0}, packet[:3], "not an OK packet without counts: %q", packet)
	return binary.LittleEndian.Uint16(packet[3:]), binary.LittleEndian.Uint16(packet[5:])
}

const (
	flagInTransaction = 1
	flagAutocommit    = 2
)

func TestStatusFlags(t *testing.T) {
	_, _, server := start(t, wire.Config{}, "root@ADDR/")
	c := dial(t, server)
	require.Contains(t, string(c.greeting), "8.4.6-Vitess\x00")
	// After the version: 4 bytes id, 8 salt, 1 zero, 2 capabilities, 1 charset.
	at := 1 + len("8.4.6-Vitess\x00") + 4 + 8 + 1 + 2 + 1
	require.Equal(t, uint16(flagAutocommit), binary.LittleEndian.Uint16(c.greeting[at:]), "in the handshake")
	flags, _ := c.okFlags(c.command(0x03, "begin"))
	require.Equal(t, uint16(flagAutocommit|flagInTransaction), flags)
	_, warnings := c.okFlags(c.command(0x03, "warn"))
	require.Equal(t, uint16(3), warnings)
	flags, _ = c.okFlags(c.command(0x0e, ""))
	require.Equal(t, uint16(flagAutocommit|flagInTransaction), flags, "COM_PING")
}

func TestInfoOfUpdate(t *testing.T) {
	_, _, server := start(t, wire.Config{}, "root@ADDR/")
	c := dial(t, server)
	const status = "\x02\x00"
	const want = "\x00\x02\x07" + status + "\x00\x00" + "\x0fRows matched: 2"
	require.Equal(t, want, string(c.command(0x03, "update t")))
	prepared := c.command(0x16, "update t")
	require.Equal(t, want, string(c.command(0x17, string(append(append([]byte{}, prepared[1:5]...), 0, 1, 0, 0, 0)))), "prepared")
	warn := c.command(0x16, "warn")
	_, warnings := c.okFlags(c.command(0x17, string(append(append([]byte{}, warn[1:5]...), 0, 1, 0, 0, 0))))
	require.Equal(t, uint16(3), warnings, "prepared")
}

func TestResetConnection(t *testing.T) {
	gateway, _, server := start(t, wire.Config{}, "root@ADDR/")
	c := dial(t, server)
	c.command(0x03, "begin")
	prepared := c.command(0x16, "echo ?")
	require.Equal(t, byte(0), prepared[0])
	c.packet() // the parameter
	c.packet() // EOF
	flags, _ := c.okFlags(c.command(0x1f, ""))
	require.Equal(t, uint16(flagAutocommit), flags)
	require.Equal(t, 1, gateway.last(t).resets)
	execute := append([]byte{}, prepared[1:5]...)
	refused := c.command(0x17, string(append(execute, 0, 1, 0, 0, 0, 1, 1, 3, 0)))
	require.Equal(t, byte(0xff), refused[0], "prepared statements are gone")
	c.okFlags(c.command(0x0e, ""))
}

// A client that asks for a cursor gets the rows at once.
func TestCursorIsNotOpened(t *testing.T) {
	_, _, server := start(t, wire.Config{}, "root@ADDR/")
	c := dial(t, server)
	for _, query := range []string{"many", "duplicate"} {
		prepared := c.command(0x16, query)
		require.Equal(t, byte(0), prepared[0])
		const readOnlyCursor = 1
		first := c.command(0x17, string(append(append([]byte{}, prepared[1:5]...), readOnlyCursor, 1, 0, 0, 0)))
		if query == "duplicate" {
			require.Equal(t, byte(0xff), first[0])
			require.Contains(t, string(first), "Duplicate entry")
			continue
		}
		require.Equal(t, []byte{1}, first, "one column")
		c.packet() // its definition
		c.packet() // EOF
		for range 6 {
			require.Equal(t, byte(0), c.packet()[0])
		}
		end := c.packet()
		require.Equal(t, uint16(flagAutocommit), binary.LittleEndian.Uint16(end[3:]), "no cursor exists")
	}
}

func TestChangeUser(t *testing.T) {
	gateway, _, server := start(t, wire.Config{}, "root@ADDR/")
	c := dial(t, server)
	c.command(0x03, "begin")
	flags, _ := c.okFlags(c.command(0x11, "other\x00\x00ks\x00\x2d\x00mysql_native_password\x00"))
	require.Equal(t, uint16(flagAutocommit), flags)
	require.Equal(t, "other", gateway.infos[1].User)
	require.Equal(t, "ks", gateway.infos[1].Database)
	require.Equal(t, 1, gateway.closed)
	require.Equal(t, byte(0xff), c.command(0x11, "other\x00\x00nowhere\x00")[0])
}

func TestInitDB(t *testing.T) {
	gateway, _, server := start(t, wire.Config{}, "root@ADDR/")
	c := dial(t, server)
	c.okFlags(c.command(0x02, "first"))
	require.Equal(t, "first", gateway.infos[0].Database)
	c.okFlags(c.command(0x02, "ks:-80`"))
	require.Equal(t, []string{"use `ks:-80```"}, gateway.last(t).ran)
}

func TestFieldList(t *testing.T) {
	_, _, server := start(t, wire.Config{}, "root@ADDR/")
	c := dial(t, server)
	first := c.command(0x04, "t\x00")
	require.Contains(t, string(first), "\x03def\x02ks\x01t\x02ot\x04INT8\x03org")
	for range len(typeRow) - 1 {
		require.Equal(t, "\x03def", string(c.packet()[:4]))
	}
	require.Equal(t, byte(0xfe), c.packet()[0])
	c.okFlags(c.command(0x0e, ""))
}

func TestFloatsHaveNoFixedDecimals(t *testing.T) {
	_, _, server := start(t, wire.Config{}, "root@ADDR/")
	c := dial(t, server)
	require.Equal(t, byte(len(typeRow)), c.command(0x03, "select")[0])
	for _, column := range typeRow {
		definition := c.packet()
		tail := definition[len(definition)-12:] // charset 2, length 4, type 1, flags 2, decimals 1, filler 2
		if column.text == "0.5" || column.text == "-1234.56" {
			require.Equal(t, byte(31), tail[9])
		}
	}
}

func TestUnknownCommandIsRefused(t *testing.T) {
	_, _, server := start(t, wire.Config{}, "root@ADDR/")
	c := dial(t, server)
	require.Equal(t, byte(0xff), c.command(0x05, "db")[0])
	c.okFlags(c.command(0x0e, ""))
}

// FuzzPackets sends any bytes after a login: the server must survive.
func FuzzPackets(f *testing.F) {
	gateway := &fakeGateway{}
	server, err := wire.Listen(wire.Config{Address: "127.0.0.1:0"}, gateway)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(server.Close)
	f.Add([]byte("\x03select 1"))
	f.Add([]byte("\x16echo ? ?"))
	f.Add([]byte("\x17\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\xfe\x00"))
	f.Add([]byte("\x11root\x00\xffks\x00"))
	f.Add([]byte("\x18\x01\x00\x00\x00\x00\x00abc"))
	f.Fuzz(func(t *testing.T, command []byte) {
		if len(command) == 0 || len(command) > 1<<16 || command[0] == 0x01 {
			return
		}
		c := dial(t, server)
		c.write(0, []byte("\x16echo ? ?"))
		c.write(0, command)
		c.conn.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c.in)
		dial(t, server).okFlags(dial(t, server).command(0x0e, ""))
	})
}
