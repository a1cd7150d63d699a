package wire

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"net"

	"github.com/dolthub/vitess/go/mysql"
	dquerypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// credentials let clients in: any user with an empty password, or the one user
// configured. Both mysql_native_password and caching_sha2_password work, the
// latter by its fast road: the server knows the password, so the hash the
// client sends is enough.
type credentials struct {
	user, password string // both empty: any user, any password
}

var _ mysql.AuthServer = (*credentials)(nil)

// open says whether any user may come in.
func (c *credentials) open() bool { return c.user == "" && c.password == "" }

// AuthMethods lists the methods a client may choose of.
func (c *credentials) AuthMethods() []mysql.AuthMethod {
	return []mysql.AuthMethod{mysql.NewMysqlNativeAuthMethod(c, c), sha2Method{mysql.NewSha2CachingAuthMethod(c, c, c)}}
}

// sha2Method is caching_sha2_password without TLS as well, for clients that
// know no other method. The library keeps it to TLS since the slow road sends
// the password in the clear; that road is never taken here.
type sha2Method struct{ mysql.AuthMethod }

// HandleUser lets every user try.
func (sha2Method) HandleUser(*mysql.Conn, string) bool { return true }

// DefaultAuthMethodDescription is the method offered first.
func (c *credentials) DefaultAuthMethodDescription() mysql.AuthMethodDescription {
	return mysql.MysqlNativePassword
}

// HandleUser lets every user try: a wrong one fails with the same words as a
// wrong password.
func (c *credentials) HandleUser(string, net.Addr) bool { return true }

// UserEntryWithHash checks the answer of mysql_native_password:
// SHA1(password) xor SHA1(salt + SHA1(SHA1(password))).
func (c *credentials) UserEntryWithHash(_ []*x509.Certificate, salt []byte, user string, answer []byte, _ net.Addr) (mysql.Getter, error) {
	if c.accept(user, answer, nativeAnswer(salt, c.password)) {
		return callerID(user), nil
	}
	return nil, c.denied(user, answer)
}

// UserEntryWithCacheHash checks the answer of caching_sha2_password:
// SHA256(password) xor SHA256(SHA256(SHA256(password)) + salt).
func (c *credentials) UserEntryWithCacheHash(_ []*x509.Certificate, salt []byte, user string, answer []byte, _ net.Addr) (mysql.Getter, mysql.CacheState, error) {
	if c.accept(user, answer, sha2Answer(salt, c.password)) {
		return callerID(user), mysql.AuthAccepted, nil
	}
	return nil, mysql.AuthRejected, c.denied(user, answer)
}

// UserEntryWithPassword checks a password sent in the clear.
func (c *credentials) UserEntryWithPassword(_ []*x509.Certificate, user, password string, _ net.Addr) (mysql.Getter, error) {
	if c.accept(user, []byte(password), []byte(c.password)) {
		return callerID(user), nil
	}
	return nil, c.denied(user, []byte(password))
}

func (c *credentials) accept(user string, answer, want []byte) bool {
	if c.open() {
		return true
	}
	return (c.user == "" || user == c.user) && subtle.ConstantTimeCompare(answer, want) == 1
}

// denied is MySQL's error 1045.
func (c *credentials) denied(user string, answer []byte) error {
	with := "YES"
	if len(answer) == 0 {
		with = "NO"
	}
	return mysql.NewSQLError(mysql.ERAccessDeniedError, mysql.SSAccessDeniedError,
		"Access denied for user '%s' (using password: %s)", user, with)
}

func nativeAnswer(salt []byte, password string) []byte {
	if password == "" {
		return nil
	}
	once := sha1.Sum([]byte(password))
	twice := sha1.Sum(once[:])
	salted := sha1.Sum(append(bytes.TrimRight(salt, "\x00"), twice[:]...))
	return xor(once[:], salted[:])
}

func sha2Answer(salt []byte, password string) []byte {
	if password == "" {
		return nil
	}
	once := sha256.Sum256([]byte(password))
	twice := sha256.Sum256(once[:])
	salted := sha256.Sum256(append(twice[:], bytes.TrimRight(salt, "\x00")...))
	return xor(once[:], salted[:])
}

func xor(a, b []byte) []byte {
	out := make([]byte, len(a))
	for i := range a {
		out[i] = a[i] ^ b[i]
	}
	return out
}

// callerID is the user as the library wants it.
type callerID string

// Get names the user.
func (c callerID) Get() *dquerypb.VTGateCallerID {
	return &dquerypb.VTGateCallerID{Username: string(c)}
}
