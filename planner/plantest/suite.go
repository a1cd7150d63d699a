package plantest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

type (
	// Suite tells how case files are run: a JSON file of this shape.
	Suite struct {
		// Files are settings by the base name of the case file.
		Files map[string]Settings `json:"files"`
		// Setups are pieces of schema that settings name.
		Setups map[string]Setup `json:"setups"`

		dir string
	}

	// Settings are the VSchema and the session that a case file is planned with.
	Settings struct {
		// VSchema is a file in the folder vschemas beside the suite.
		VSchema string `json:"vschema"`
		// TextCollation is given to text columns without a collation.
		TextCollation string   `json:"text_collation"`
		Setups        []string `json:"setups"`
		// DefaultKeyspace is selected; Target is the session's target as text, for error messages.
		DefaultKeyspace string `json:"default_keyspace"`
		Target          string `json:"target"`
		// Destination sends all statements unplanned: shard:-80 or keyrange:-.
		Destination      string   `json:"destination"`
		ForeignKeyChecks *bool    `json:"foreign_key_checks"`
		ViewsEnabled     bool     `json:"views_enabled"`
		SysvarSetEnabled *bool    `json:"sysvar_set_enabled"`
		MySQLVersion     string   `json:"mysql_version"`
		TopoKeyspaces    []string `json:"topo_keyspaces"`
	}

	// Setup is what schema tracking would have learned of the shards. Entries of keyspaces that the VSchema lacks are left out.
	Setup struct {
		PrimaryKeys []struct {
			Keyspace, Table string
			Columns         []string
		} `json:"primary_keys"`
		UniqueKeys []struct {
			Keyspace, Table string
			Exprs           []string
		} `json:"unique_keys"`
		ForeignKeys []struct {
			Keyspace      string
			ChildTable    string   `json:"child_table"`
			ChildColumns  []string `json:"child_columns"`
			ParentTable   string   `json:"parent_table"`
			ParentColumns []string `json:"parent_columns"`
			OnUpdate      string   `json:"on_update"`
			OnDelete      string   `json:"on_delete"`
		} `json:"foreign_keys"`
		Views []struct {
			Keyspace, Name, Select string
		} `json:"views"`
		AggregateUDFs []struct {
			Keyspace, Name string
		} `json:"aggregate_udfs"`
	}
)

// ReadSuite reads a suite file.
func ReadSuite(file string) (*Suite, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &Suite{dir: filepath.Dir(file)}
	return s, decode(file, data, s)
}

// Planner makes the planner of a case file. An unknown file is an error that names those that are known.
func (s *Suite) Planner(caseFile string) (*Planner, error) {
	settings, ok := s.Files[filepath.Base(caseFile)]
	if !ok {
		return nil, fmt.Errorf("%s: the suite has no settings for this file; it has %v", caseFile, slices.Sorted(maps.Keys(s.Files)))
	}
	var setups []Setup
	for _, name := range settings.Setups {
		setup, ok := s.Setups[name]
		if !ok {
			return nil, fmt.Errorf("%s: the suite has no setup %q", caseFile, name)
		}
		setups = append(setups, setup)
	}
	return NewPlanner(Config{
		Settings: settings, Setups: setups, VSchemaFile: filepath.Join(s.dir, "vschemas", settings.VSchema), FallbackKeyspace: "main",
	})
}
