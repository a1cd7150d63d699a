package sqlengine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"
)

// searchIndex is an index that no rows are found by here: FULLTEXT, which match.go searches without, SPATIAL, and one of
// expressions. It is kept for what it says of the schema, and because MATCH must name the columns of one.
type searchIndex struct {
	name    string
	kind    string   // "FULLTEXT ", "SPATIAL " or ""
	columns []string // of FULLTEXT and SPATIAL
	parts   string   // as SHOW CREATE TABLE has them
}

// isSearchIndex reports whether an index is one: the engine does not get to see it.
func isSearchIndex(idx *sqlparser.IndexDefinition) bool {
	if idx.Info.Type == sqlparser.IndexTypeFullText || idx.Info.Type == sqlparser.IndexTypeSpatial {
		return true
	}
	return slices.ContainsFunc(idx.Columns, func(c *sqlparser.IndexColumn) bool { return c.Expression != nil })
}

// splitSearchIndexes takes the search indexes out of a table's definition.
func splitSearchIndexes(indexes []*sqlparser.IndexDefinition) (rest, search []*sqlparser.IndexDefinition) {
	for _, idx := range indexes {
		if isSearchIndex(idx) {
			search = append(search, idx)
		} else {
			rest = append(rest, idx)
		}
	}
	return rest, search
}

// alterSearchIndexes runs an ALTER TABLE that is about search indexes alone. done is false for others.
func (s *Session) alterSearchIndexes(ctx *sql.Context, alter *sqlparser.AlterTable) (done bool, err error) {
	t := s.sql.tableNamed(alter.Table.Name.String())
	if t == nil {
		return false, nil
	}
	var add []*sqlparser.IndexDefinition
	var drop []string
	for _, option := range alter.AlterOptions {
		switch o := option.(type) {
		case *sqlparser.AddIndexDefinition:
			if isSearchIndex(o.IndexDefinition) {
				add = append(add, o.IndexDefinition)
			}
		case *sqlparser.DropKey:
			if o.Type == sqlparser.NormalKeyType && metaOf(t.Def).searchIndex(o.Name.String()) >= 0 {
				drop = append(drop, o.Name.Lowered())
			}
		}
	}
	switch n := len(add) + len(drop); {
	case n == 0:
		return false, nil
	case n != len(alter.AlterOptions):
		return true, errUnsupported("ALTER TABLE of a FULLTEXT, SPATIAL or functional index with other clauses")
	}
	return true, newTable(s.shard, t.Def).alter(ctx, func(m *tableMeta) error {
		for _, name := range drop {
			at := m.searchIndex(name)
			m.search = slices.Delete(m.search, at, at+1)
		}
		return m.addSearchIndexes(s.shard.engine, add)
	}, nil)
}

func (m *tableMeta) searchIndex(name string) int {
	return slices.IndexFunc(m.search, func(x searchIndex) bool { return strings.EqualFold(x.name, name) })
}

func (m *tableMeta) addSearchIndexes(e *Engine, defs []*sqlparser.IndexDefinition) error {
	for _, def := range defs {
		x := searchIndex{name: def.Info.Name.String()}
		switch def.Info.Type {
		case sqlparser.IndexTypeFullText:
			x.kind = "FULLTEXT "
		case sqlparser.IndexTypeSpatial:
			x.kind = "SPATIAL "
		case sqlparser.IndexTypeUnique, sqlparser.IndexTypePrimary:
			return errUnsupported("UNIQUE index of expressions")
		}
		var parts []string
		for _, c := range def.Columns {
			if c.Expression != nil {
				parts = append(parts, "("+e.quotedExpression(sqlparser.String(c.Expression))+")")
				continue
			}
			at := m.columns.IndexOfColName(c.Column.String())
			if at < 0 {
				return sql.ErrKeyColumnDoesNotExist.New(c.Column.String())
			}
			if _, isText := plainString(m.columns[at].Type); x.kind == "FULLTEXT " && !isText {
				return mysqlError(1283, "HY000", "Column '%s' cannot be part of FULLTEXT index", c.Column.String())
			}
			x.columns = append(x.columns, m.columns[at].Name)
			parts = append(parts, quoteName(m.columns[at].Name))
		}
		if x.name == "" {
			x.name = "functional_index"
			if len(x.columns) > 0 {
				x.name = m.freeIndexName(x.columns[0])
			}
			for n, base := 2, x.name; m.searchIndex(x.name) >= 0; n++ {
				x.name = fmt.Sprintf("%s_%d", base, n)
			}
		}
		if m.searchIndex(x.name) >= 0 || m.index(x.name) >= 0 {
			return sql.ErrDuplicateKey.New(x.name)
		}
		x.parts = strings.Join(parts, ",")
		m.search = append(m.search, x)
	}
	return nil
}

// addSearchIndexes gives a table that was just made those of its definition.
func (s *Session) addSearchIndexes(ctx *sql.Context, create *sqlparser.CreateTable) error {
	if create.TableSpec == nil {
		return nil
	}
	_, search := splitSearchIndexes(create.TableSpec.Indexes)
	t := s.sql.tableNamed(create.Table.Name.String())
	if len(search) == 0 || t == nil {
		return nil
	}
	return newTable(s.shard, t.Def).alter(ctx, func(m *tableMeta) error { return m.addSearchIndexes(s.shard.engine, search) }, nil)
}

// searchIndexRows are the rows of SHOW INDEX for the search indexes.
func (m *tableMeta) searchIndexRows(rows int) [][]any {
	var out [][]any
	for _, x := range m.search {
		kind, collation := strings.TrimSpace(x.kind), any(nil)
		if kind == "" {
			kind, collation = "BTREE", "A"
		}
		if len(x.columns) == 0 {
			out = append(out, []any{m.name, 1, x.name, 1, nil, collation, rows, nil, nil, "YES", kind, "", "", "YES", x.parts})
		}
		for i, c := range x.columns {
			null := ""
			if at := m.columns.IndexOfColName(c); at >= 0 && m.columns[at].Nullable {
				null = "YES"
			}
			out = append(out, []any{m.name, 1, x.name, i + 1, c, collation, rows, nil, nil, null, kind, "", "", "YES", nil})
		}
	}
	return out
}
