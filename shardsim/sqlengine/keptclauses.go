package sqlengine

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Clauses of CREATE and ALTER TABLE that change no answers here are kept for SHOW alone: DESC and INVISIBLE of indexes, which are
// found by what they hold anyway, and PARTITION BY.

// keepClauses keeps those of a statement that has run.
func (s *Session) keepClauses(ctx *sql.Context, stmt sqlparser.Statement) error {
	var table string
	var keep []func(*tableMeta)
	switch ast := stmt.(type) {
	case *sqlparser.CreateTable:
		table = ast.Table.Name.String()
		if ast.TableSpec == nil {
			return nil
		}
		for _, def := range nameIndexes(ast.TableSpec).Indexes {
			keep = append(keep, keepIndexParts(def)...)
		}
		keep = append(keep, keepPartitions(ast.TableSpec.PartitionOption)...)
	case *sqlparser.AlterTable:
		table = ast.Table.Name.String()
		for _, option := range ast.AlterOptions {
			switch o := option.(type) {
			case *sqlparser.AddIndexDefinition:
				keep = append(keep, keepIndexParts(o.IndexDefinition)...)
			case *sqlparser.AlterIndex:
				keep = append(keep, onIndex(o.Name, func(idx *indexMeta) { idx.invisible = o.Invisible })...)
			}
		}
		keep = append(keep, keepPartitions(ast.PartitionOption)...)
		if ast.PartitionSpec != nil && ast.PartitionSpec.Action == sqlparser.RemoveAction {
			keep = append(keep, func(m *tableMeta) { m.partitions = "" })
		}
	}
	t := s.sql.tableNamed(table)
	if len(keep) == 0 || t == nil {
		return nil
	}
	return newTable(s.shard, t.Def).alter(ctx, func(m *tableMeta) error {
		for _, k := range keep {
			k(m)
		}
		return nil
	}, nil)
}

// onIndex is a change of the index of a name.
func onIndex(name sqlparser.IdentifierCI, change func(*indexMeta)) []func(*tableMeta) {
	return []func(*tableMeta){func(m *tableMeta) {
		if at := m.index(name.String()); at >= 0 {
			change(&m.indexes[at])
		}
	}}
}

// keepIndexParts keeps what an index's definition says of it.
func keepIndexParts(def *sqlparser.IndexDefinition) []func(*tableMeta) {
	descending, found := make([]bool, len(def.Columns)), false
	for i, c := range def.Columns {
		descending[i] = c.Direction == sqlparser.DescOrder
		found = found || descending[i]
	}
	invisible := false
	for _, option := range def.Options {
		invisible = invisible || strings.EqualFold(option.Name, "invisible")
	}
	name := def.Info.Name
	if name.IsEmpty() {
		name = def.Info.ConstraintName
	}
	if name.IsEmpty() && len(def.Columns) > 0 {
		name = def.Columns[0].Column
	}
	if !found && !invisible {
		return nil
	}
	return onIndex(name, func(idx *indexMeta) {
		idx.invisible = invisible
		if found && len(descending) == len(idx.columns) {
			idx.descending = descending
		}
	})
}

// keepPartitions keeps PARTITION BY in MySQL's words.
func keepPartitions(by *sqlparser.PartitionOption) []func(*tableMeta) {
	if by == nil {
		return nil
	}
	text := shownPartitions(by)
	return []func(*tableMeta){func(m *tableMeta) { m.partitions = text }}
}

// shownPartitions is what SHOW CREATE TABLE ends with. Partitions within partitions are shown as they are written.
func shownPartitions(by *sqlparser.PartitionOption) string {
	if by.SubPartition != nil {
		return "/*!50100" + strings.ReplaceAll(quotedText(by), "\n", " ") + " */"
	}
	word, version := strings.ToUpper(by.Type.ToString()), "50100"
	if by.IsLinear {
		word = "LINEAR " + word
	}
	switch {
	case by.Expr != nil:
		word += " (" + quotedText(by.Expr) + ")"
	case by.Type == sqlparser.KeyType:
		word += " (" + columnList(by.ColList) + ")"
	default:
		word, version = word+"  COLUMNS("+columnList(by.ColList)+")", "50500"
	}
	text := "/*!" + version + " PARTITION BY " + word
	if len(by.Definitions) == 0 {
		if by.Partitions > 0 {
			text += fmt.Sprintf("\nPARTITIONS %d", by.Partitions)
		}
		return text + " */"
	}
	parts := make([]string, len(by.Definitions))
	for i, def := range by.Definitions {
		parts[i] = "PARTITION " + def.Name.String()
		if def.Options != nil && def.Options.ValueRange != nil {
			parts[i] += " VALUES " + valueRange(def.Options.ValueRange, by.Expr == nil)
		}
		parts[i] += " ENGINE = InnoDB"
	}
	return text + "\n(" + strings.Join(parts, ",\n ") + ") */"
}

// valueRange is what a partition holds; by columns, the end of all is a list too.
func valueRange(values *sqlparser.PartitionValueRange, byColumns bool) string {
	word := "IN "
	if values.Type == sqlparser.LessThanType {
		word = "LESS THAN "
	}
	if values.Maxvalue && byColumns {
		return word + "(MAXVALUE)"
	}
	if values.Maxvalue {
		return word + "MAXVALUE"
	}
	texts := make([]string, len(values.Range))
	for i, e := range values.Range {
		texts[i] = quotedText(e)
		if col, ok := e.(*sqlparser.ColName); ok && col.Name.EqualString("maxvalue") {
			texts[i] = "MAXVALUE"
		}
	}
	return word + "(" + strings.Join(texts, ",") + ")"
}

func columnList(columns sqlparser.Columns) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.String()
	}
	return strings.Join(names, ",")
}

// quotedText prints a node with all names quoted.
func quotedText(node sqlparser.SQLNode) string {
	buf := sqlparser.NewTrackedBuffer(nil)
	buf.SetEscapeAllIdentifiers()
	buf.Myprintf("%v", node)
	return buf.String()
}
