package main

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"
	"github.com/spf13/cobra"

	"github.com/vitrodb/vitro/combo"
	"github.com/vitrodb/vitro/vindexes"
)

// vschemaFlags are the flags of `vitro vschema`.
type vschemaFlags struct {
	address, user, password string
	keyspace                string
}

// vschemaCommand prints the VSchema of files or of a running server.
func vschemaCommand() *cobra.Command {
	f := &vschemaFlags{}
	cmd := &cobra.Command{
		Use:   "vschema (DIR | --address HOST:PORT)",
		Short: "Print a VSchema as JSON",
		Long: `Prints the VSchema of a schema directory, ALTER VSCHEMA files applied, or that of a running server as it is now. What is printed
can be a vschema.json; keys are in a fixed order.`,
		Example: `  vitro vschema schema
  vitro vschema --address 127.0.0.1:15306 --keyspace customer > schema/customer/vschema.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			written, err := f.read(args)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(written)
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.address, "address", "", "address of a running server, in place of DIR")
	flags.StringVar(&f.user, "user", "root", "user to log in as")
	flags.StringVar(&f.password, "password", "", "password of the user")
	flags.StringVar(&f.keyspace, "keyspace", "", "print this keyspace alone")
	return cmd
}

func (f *vschemaFlags) read(args []string) ([]byte, error) {
	switch {
	case f.address == "" && len(args) == 1:
		return combo.ReadVSchema(combo.Config{SchemaDir: args[0]}, f.keyspace)
	case f.address != "" && len(args) == 0:
		return f.ask()
	}
	return nil, errors.New("one source is needed: write `vitro vschema DIR`, or `vitro vschema --address HOST:PORT`")
}

// ask asks a running server.
func (f *vschemaFlags) ask() (written []byte, err error) {
	dsn := mysql.NewConfig()
	dsn.Net, dsn.Addr, dsn.User, dsn.Passwd = "tcp", f.address, f.user, f.password
	db, err := sql.Open("mysql", dsn.FormatDSN())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var text string
	if err := db.QueryRow("select @@global.vitro_vschema").Scan(&text); err != nil {
		return nil, fmt.Errorf("ask %s for its VSchema: %w", f.address, err)
	}
	def, err := vindexes.Load("", []byte(text), f.address)
	if err != nil {
		return nil, err
	}
	return vindexes.Write(def, f.keyspace)
}
