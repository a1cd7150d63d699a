package combo

import (
	"cmp"
	"context"
	"errors"
	"strings"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/combo/gateway"
	"github.com/vitrodb/vitro/vindexes"
)

// VSchema is the VSchema as it is now, as JSON that a vschema.json may hold: of one keyspace, or with "" of all.
func (c *Cluster) VSchema(keyspace string) ([]byte, error) {
	return vindexes.Write(c.gateway.VSchema().Definition(), keyspace)
}

// FillLookup makes the entries of a lookup vindex, named keyspace.vindex, for rows that were there before it, while clients go
// on; then the lookup is used. It must have the parameter write_only=true until then. It returns how many rows it looked at.
// Rows that share a value of a unique lookup are error 1062. In SQL it is CALL vitro.fill_lookup('keyspace.vindex').
func (c *Cluster) FillLookup(ctx context.Context, name string) (rows uint64, err error) {
	session, err := c.gateway.Connect(ctx, gateway.ConnInfo{User: "vitro"})
	if err != nil {
		return 0, err
	}
	defer session.Close()
	return session.FillLookup(ctx, name)
}

// ReadVSchema is the VSchema that a cluster with the Config would begin with, files with ALTER VSCHEMA included, as
// Cluster.VSchema gives it. Nothing is started.
func ReadVSchema(cfg Config, keyspace string) ([]byte, error) {
	in, err := readInput(cfg)
	if err != nil {
		return nil, err
	}
	if _, _, err := in.layout(); err != nil {
		return nil, err
	}
	parser, err := sqlparser.New(sqlparser.Options{})
	if err != nil {
		return nil, err
	}
	def := in.rules // layout put the keyspaces there
	for _, src := range in.sources {
		for _, script := range src.scripts {
			if script.alterVSchema {
				if err := alterDefinition(parser, def, src.keyspace.Name, script.statements[0]); err != nil {
					return nil, err
				}
			}
		}
	}
	return vindexes.Write(def, keyspace)
}

// ReadTables are the statements of the SQL files that a cluster with the Config would run, separated by semicolons, those of
// each keyspace after a USE, without triggers and other stored programs. Nothing is run.
func ReadTables(cfg Config) (string, error) {
	in, err := readInput(cfg)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, src := range in.sources {
		b.WriteString("use " + sqlparser.String(sqlparser.NewIdentifierCS(src.keyspace.Name)) + ";\n")
		for _, script := range src.scripts {
			if script.alterVSchema {
				continue
			}
			for _, stmt := range script.statements {
				if !storedProgram.MatchString(stmt.sql) {
					b.WriteString(stmt.sql + ";\n")
				}
			}
		}
	}
	return b.String(), nil
}

// alterDefinition applies an ALTER VSCHEMA of a file to a definition.
func alterDefinition(parser *sqlparser.Parser, def *vschemapb.SrvVSchema, keyspace string, from statement) error {
	stmt, err := parser.Parse(from.sql)
	if err != nil {
		return from.failed(err)
	}
	alter, ok := stmt.(*sqlparser.AlterVschema)
	if !ok {
		return from.failed(errors.New("it is no ALTER VSCHEMA"))
	}
	if err := gateway.AlterDefinition(def, cmp.Or(alter.Table.Qualifier.String(), keyspace), alter); err != nil {
		return from.failed(err)
	}
	return nil
}
