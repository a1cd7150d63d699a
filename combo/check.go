package combo

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"

	"github.com/vitrodb/vitro/shardsim"
	"github.com/vitrodb/vitro/vindexes"
)

// checkTables holds each VSchema against the tables that the scripts made.
func (c *Cluster) checkTables(in *input) error {
	for _, src := range in.sources {
		shards, err := c.topology.Shards(src.keyspace.Name)
		if err != nil {
			return err
		}
		sim, ok := c.shards.Tablet(src.keyspace.Name, shards[0].Name)
		if !ok || len(src.scripts) == 0 {
			continue
		}
		made, _ := sim.Schema()
		if err := src.checkTables(made); err != nil {
			return err
		}
	}
	return nil
}

// checkTables finds names in the VSchema that the keyspace's tables do not
// have. What is not there may be made later, by the application; but nearly
// the name of a table that the VSchema lacks, or of a column, is a slip.
func (src *source) checkTables(made []shardsim.TableSchema) error {
	tables := map[string]shardsim.TableSchema{}
	var unnamed []string // made, but not in the VSchema
	for _, table := range made {
		tables[table.Name] = table
		if src.vschema.Tables[table.Name] == nil {
			unnamed = append(unnamed, table.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(src.vschema.Tables)) {
		if table, ok := tables[name]; ok {
			if err := src.checkColumns(src.vschema.Tables[name], table); err != nil {
				return err
			}
			continue
		}
		if near := vindexes.Slip(name, unnamed); near != "" && src.vschema.Sharded {
			return src.mistake("tables."+name, "no SQL file makes a table of this name, did you mean %q?", near)
		}
	}
	return nil
}

// checkColumns finds slips in the names of the VSchema's columns.
func (src *source) checkColumns(def *vschemapb.Table, table shardsim.TableSchema) error {
	if table.IsView {
		return nil
	}
	var names []string
	for _, column := range table.Columns {
		names = append(names, column.Name)
	}
	check := func(path, column string) error {
		if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, column) }) {
			return nil
		}
		if near := vindexes.Slip(column, names); near != "" {
			return src.mistake("tables."+table.Name+"."+path, "table %s has no column %s, did you mean %q?", table.Name, column, near)
		}
		return nil
	}
	for i, vindex := range def.ColumnVindexes {
		if vindex.Column != "" {
			if err := check(fmt.Sprintf("column_vindexes[%d].column", i), vindex.Column); err != nil {
				return err
			}
		}
		for j, column := range vindex.Columns {
			if err := check(fmt.Sprintf("column_vindexes[%d].columns[%d]", i, j), column); err != nil {
				return err
			}
		}
	}
	if def.AutoIncrement != nil {
		return check("auto_increment.column", def.AutoIncrement.Column)
	}
	return nil
}

func (src *source) mistake(path, format string, args ...any) error {
	return &vindexes.Error{File: src.file(), Path: path, Message: fmt.Sprintf(format, args...)}
}
