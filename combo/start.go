package combo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/protobuf/proto"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/combo/gateway"
	"github.com/vitrodb/vitro/combo/wire"
	"github.com/vitrodb/vitro/shardsim"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// Cluster is a running cluster. It is safe for concurrent use.
type Cluster struct {
	cfg      Config
	shards   *shardsim.Cluster
	topology *topology
	gateway  *gateway.Gateway
	server   *wire.Server

	closing  sync.Once
	closeErr error
}

// Start starts a cluster and returns once clients can connect. Many clusters
// can run in one process. Every mistake of the input is an error of one line
// that names the file and line, or the path in its JSON, and what would be
// right; nothing is left running then.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	in, err := readInput(cfg)
	if err != nil {
		return nil, err
	}
	shards, vs, err := in.layout()
	if err != nil {
		return nil, err
	}
	parser, err := sqlparser.New(sqlparser.Options{MySQLServerVersion: mysqlVersion(cfg.ServerVersion)})
	if err != nil {
		return nil, fmt.Errorf("server version %q does not begin with a version of MySQL, as 8.4.6-Vitess does", cfg.ServerVersion)
	}
	c := &Cluster{cfg: cfg, shards: shardsim.New(cfg.shardConfig())}
	c.topology = newTopology(c.shards, parser)
	if err := c.start(ctx, in, shards, vs); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// start brings up the parts, the listener last.
func (c *Cluster) start(ctx context.Context, in *input, shards map[string][]key.Shard, vs *vindexes.VSchema) error {
	now := time.Now()
	for _, src := range in.sources {
		name := src.keyspace.Name
		if err := c.topology.add(name, shards[name], now); err != nil {
			return fmt.Errorf("make keyspace %s: %w", name, err)
		}
	}
	vs, err := c.applyScripts(ctx, in, vs)
	if err != nil {
		return err
	}
	if err := c.checkTables(in); err != nil {
		return err
	}
	if err := c.tellFindings(in, vs); err != nil {
		return err
	}
	c.gateway, err = gateway.New(gateway.Config{
		Topology: c.topology, VSchema: vs, ServerVersion: c.cfg.ServerVersion,
		TransactionMode: strings.ToUpper(c.cfg.TransactionMode), VSchemaDDLUsers: c.cfg.ddlUsers(), NoScatter: c.cfg.NoScatter, WarnShardedOnly: c.cfg.WarnShardedOnly,
		MemoryRowsMax: c.cfg.MaxMemoryRows, ForeignKeysDisallowed: c.cfg.ForeignKeyMode == "disallow",
		CreateKeyspace: c.createKeyspace, DropKeyspace: c.dropKeyspace, Log: c.cfg.Log,
	})
	if err != nil {
		return err
	}
	if err := c.gateway.ReloadSchema(); err != nil {
		return fmt.Errorf("read the shards' tables: %w", err)
	}
	if err := c.gateway.FillReferences(ctx); err != nil {
		return err
	}
	if len(in.rows) > 0 {
		if err := runAtGateway(ctx, c.gateway, "", in.rows); err != nil {
			return err
		}
	}
	return c.listen()
}

// listen opens the MySQL port.
func (c *Cluster) listen() error {
	address := net.JoinHostPort(c.cfg.host(), strconv.Itoa(c.cfg.MySQLPort))
	var err error
	c.server, err = wire.Listen(wire.Config{
		Address: address, ServerVersion: c.cfg.ServerVersion, User: c.cfg.User, Password: c.cfg.Password, Log: c.cfg.Log,
	}, gatewayFor{c.gateway})
	if errors.Is(err, syscall.EADDRINUSE) {
		free := ""
		if port := freePort(c.cfg.host(), c.cfg.MySQLPort); port > 0 {
			free = fmt.Sprintf(": %d is free, --mysql-port %d takes it", port, port)
		}
		return fmt.Errorf("port %d of %s is taken by another program%s", c.cfg.MySQLPort, c.cfg.host(), free)
	}
	if err != nil {
		return fmt.Errorf("listen at %s: %w", address, err)
	}
	return nil
}

// freePort finds a port after the one taken that is free now; 0 for none.
func freePort(host string, taken int) int {
	const tries = 100
	for port := taken + 1; port <= min(taken+tries, 65535); port++ {
		listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			listener.Close()
			return port
		}
	}
	return 0
}

// mysqlVersion is the MySQL part of a server version: 8.4.6 of 8.4.6-Vitess.
func mysqlVersion(serverVersion string) string {
	version, _, _ := strings.Cut(serverVersion, "-")
	if version == "" {
		version, _, _ = strings.Cut(wire.DefaultServerVersion, "-")
	}
	return version
}

// createKeyspace is CREATE DATABASE: an unsharded keyspace of one shard.
func (c *Cluster) createKeyspace(name string) (*vindexes.VSchema, error) {
	vs := c.gateway.VSchema()
	def := proto.Clone(vs.Definition()).(*vschemapb.SrvVSchema)
	if def.Keyspaces == nil {
		def.Keyspaces = map[string]*vschemapb.Keyspace{}
	}
	def.Keyspaces[name] = &vschemapb.Keyspace{}
	next, err := vs.WithDefinition(def)
	if err != nil {
		return nil, err
	}
	return next, c.topology.add(name, []key.Shard{{Name: "0"}}, time.Now())
}

// dropKeyspace is DROP DATABASE.
func (c *Cluster) dropKeyspace(name string) (*vindexes.VSchema, error) {
	vs := c.gateway.VSchema()
	def := proto.Clone(vs.Definition()).(*vschemapb.SrvVSchema)
	delete(def.Keyspaces, name)
	next, err := vs.WithDefinition(def)
	if err != nil {
		return nil, fmt.Errorf("drop keyspace %s: %w", name, err)
	}
	return next, c.topology.remove(name)
}

// Addr is the address clients connect to, host:port.
func (c *Cluster) Addr() string { return c.server.Addr().String() }

// Info is how the cluster is reached and what keyspaces it has.
func (c *Cluster) Info() ServerInfo {
	info := ServerInfo{Host: c.cfg.host(), MySQLPort: c.server.Addr().(*net.TCPAddr).Port, User: c.user()}
	for _, name := range c.topology.Keyspaces() {
		ks := KeyspaceInfo{Name: name}
		if schema := c.gateway.VSchema().Keyspaces[name]; schema != nil {
			ks.Sharded = schema.Keyspace.Sharded
		}
		shards, _ := c.topology.Shards(name)
		for _, shard := range shards {
			ks.Shards = append(ks.Shards, shard.Name)
		}
		info.Keyspaces = append(info.Keyspaces, ks)
	}
	return info
}

func (c *Cluster) user() string {
	if c.cfg.User == "" {
		return "root"
	}
	return c.cfg.User
}

// DSN is the data source name of a keyspace for github.com/go-sql-driver/mysql;
// without a keyspace the connection selects none.
func (c *Cluster) DSN(keyspace string) string {
	login := c.user()
	if c.cfg.Password != "" {
		login += ":" + c.cfg.Password
	}
	return login + "@tcp(" + c.Addr() + ")/" + url.PathEscape(keyspace)
}

// Close ends all connections, rolls back what is open, and waits for
// everything Start began.
func (c *Cluster) Close() error {
	c.closing.Do(func() {
		if c.server != nil {
			c.server.Close()
		}
		c.closeErr = c.shards.Close()
	})
	return c.closeErr
}

// oneLine puts a statement into one line of bounded length.
func oneLine(sql string) string {
	const lengthMax = 120
	line := strings.Join(strings.Fields(sql), " ")
	if len(line) > lengthMax {
		return strings.ToValidUTF8(line[:lengthMax], "") + "..."
	}
	return line
}

// gatewayFor is the gateway as the MySQL listener sees it.
type gatewayFor struct{ *gateway.Gateway }

// Connect opens a session.
func (g gatewayFor) Connect(ctx context.Context, info wire.ConnInfo) (wire.Session, error) {
	session, err := g.Gateway.Connect(ctx, gateway.ConnInfo(info))
	if err != nil {
		return nil, err
	}
	return sessionFor{session}, nil
}

// sessionFor is a session as the MySQL listener sees it.
type sessionFor struct{ *gateway.Session }

// Status is the state after the last statement.
func (s sessionFor) Status() wire.Status { return wire.Status(s.Session.Status()) }
