package combo

import (
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim"
	"github.com/vitrodb/vitro/vindexes"
)

// convertSchema puts what a shard of a keyspace tells of its tables into the
// VSchema's words.
func convertSchema(parser *sqlparser.Parser, keyspace string, seen []shardsim.TableSchema) []vindexes.TableSchema {
	tables := make([]vindexes.TableSchema, 0, len(seen))
	for _, from := range seen {
		to := vindexes.TableSchema{Name: from.Name}
		if from.IsView {
			// A view the gateway's parser cannot read stays unknown to it: the
			// shards answer for it by themselves.
			stmt, err := parser.Parse(from.ViewSQL)
			view, ok := stmt.(sqlparser.TableStatement)
			if err != nil || !ok {
				continue
			}
			qualifyTables(view, sqlparser.NewIdentifierCS(keyspace), nil)
			to.View = view
		}
		for _, column := range from.Columns {
			to.Columns = append(to.Columns, convertColumn(parser, column))
		}
		to.PrimaryKey = vindexes.ColumnNames(from.PrimaryKey)
		for _, unique := range from.UniqueKeys {
			var exprs []sqlparser.Expr
			for _, name := range unique.Columns {
				exprs = append(exprs, sqlparser.NewColName(name))
			}
			to.UniqueKeys = append(to.UniqueKeys, exprs)
		}
		for _, fk := range from.ForeignKeys {
			to.ForeignKeys = append(to.ForeignKeys, vindexes.NewForeignKey(
				fk.Name, fk.Columns, fk.ReferencedTable, fk.ReferencedColumns, fk.OnUpdate, fk.OnDelete))
		}
		tables = append(tables, to)
	}
	return tables
}

func convertColumn(parser *sqlparser.Parser, from shardsim.ColumnSchema) vindexes.Column {
	to := vindexes.Column{
		Name: sqlparser.NewIdentifierCI(from.Name), Type: from.Type, CollationName: from.Collation,
		Nullable: from.Nullable, Size: from.Size, Scale: from.Scale, Values: quoted(from.Values), Invisible: from.Invisible,
	}
	if from.Default != "" {
		if expr, err := parser.ParseExpr(from.Default); err == nil {
			to.Default = expr
		}
	}
	return to
}

// quoted writes the members of an ENUM or SET as SQL does: so the gateway's comparisons know them.
func quoted(members []string) []string {
	out := make([]string, len(members))
	for i, member := range members {
		out[i] = sqltypes.EncodeStringSQL(member)
	}
	return out
}
