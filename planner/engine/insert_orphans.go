package engine

import (
	"context"
	"fmt"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/vindexes"
)

// removeOrphans takes back entries in owned vindexes that were made for rows which were then not inserted, as rows with other
// values had their keys (IGNORE, ON DUPLICATE KEY UPDATE).
func (ic *InsertCommon) removeOrphans(ctx context.Context, env *Env, results []*sqltypes.Result, w shardInserts) error {
	if !ic.Ignore || w.rows == nil {
		return nil
	}
	for i, result := range results {
		inserted := int(result.RowsAffected) == len(w.rows[i]) && !(ic.Suffix != nil && env.FoundRows)
		if inserted && ic.duplicatesOf(result, len(w.rows[i])) == 0 {
			continue
		}
		for _, row := range w.rows[i] {
			if err := ic.removeOrphansOf(ctx, env, w, row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (ic *InsertCommon) removeOrphansOf(ctx context.Context, env *Env, w shardInserts, row int) error {
	for v, colVindex := range ic.ColVindexes {
		entry := w.entries[v][row]
		if !colVindex.Owned || hasNull(entry) {
			continue
		}
		ksid := w.ksids[row]
		sql, vars := ic.rowOfEntry(v, w, row)
		found, err := env.Lookups.ExecuteKeyspaceID(ctx, ic.Keyspace.Name, ksid, sql, vars, false, false)
		if err != nil {
			return err
		}
		if len(found.Rows) > 0 {
			continue
		}
		if err := colVindex.Vindex.(vindexes.Lookup).Delete(ctx, env.Lookups, [][]sqltypes.Value{entry}, ksid); err != nil {
			return err
		}
	}
	return nil
}

// rowOfEntry is the query for a row to which an entry belongs: one with the values of the vindex and of the primary vindex.
func (ic *InsertCommon) rowOfEntry(vindex int, w shardInserts, row int) (string, BindVars) {
	var terms []string
	vars := BindVars{}
	for _, v := range []int{0, vindex} {
		for c, col := range ic.ColVindexes[v].Columns {
			name := fmt.Sprintf("v%d_%d", v, c)
			terms = append(terms, sqlparser.String(col)+" = :"+name)
			vars[name] = sqltypes.ValueBindVariable(w.entries[v][row][c])
		}
	}
	table := sqlparser.String(sqlparser.NewIdentifierCS(ic.TableName))
	return "select 1 from " + table + " where " + strings.Join(terms, " and ") + " limit 1 for update", vars
}
