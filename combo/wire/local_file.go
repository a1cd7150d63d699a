package wire

import (
	"io"

	"vitess.io/vitess/go/mysql/sqlerror"
)

// openLocal asks the client for a file (MySQL internals manual, "LOCAL INFILE
// Request"). Until it is closed all that the client sends is the file, so
// nobody else reads.
func (cl *client) openLocal(name string) (io.ReadCloser, error) {
	if cl.executing {
		return nil, sqlerror.NewSQLError(sqlerror.ErrorCode(1295), sqlerror.SSUnknownSQLState,
			"This command is not supported in the prepared statement protocol yet")
	}
	cl.unwatch()
	cl.packets.file = true
	file, err := cl.conn.LoadInfile(name)
	if err != nil {
		cl.packets.file = false
		return nil, err
	}
	return &localFile{file, cl.packets}, nil
}

// localFile is a file that the client sends.
type localFile struct {
	io.ReadCloser
	packets *packetConn
}

// Close passes over what is left of the file.
func (f *localFile) Close() error {
	err := f.ReadCloser.Close()
	f.packets.file = false
	return err
}
