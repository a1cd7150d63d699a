package vindexes_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/vindexes"
)

func TestNewTableSchema(t *testing.T) {
	for _, c := range []struct {
		name, create string
		primary      []string
		unique       [][]string
		foreign      int
	}{
		{"keys at the columns", "create table t (a int primary key, b int unique, c int)", []string{"a"}, [][]string{{"b"}}, 0},
		{"keys of their own", "create table t (a int, b int, primary key (b, a), unique key u (a, (lower(b))), key (b))", []string{"b", "a"}, [][]string{{"a", "lower(b)"}}, 0},
		{"a reference at its column is none", "create table t (a int references p (id), b int, foreign key (b) references p (id))", nil, nil, 1},
		{"like another", "create table t like p", nil, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			stmt, err := sqlparser.NewTestParser().ParseStrictDDL(c.create)
			require.NoError(t, err)
			got := vindexes.NewTableSchema(stmt.(*sqlparser.CreateTable))
			var primary []string
			for _, col := range got.PrimaryKey {
				primary = append(primary, col.String())
			}
			var unique [][]string
			for _, key := range got.UniqueKeys {
				var parts []string
				for _, part := range key {
					parts = append(parts, sqlparser.String(part))
				}
				unique = append(unique, parts)
			}
			assert.Equal(t, "t", got.Name)
			assert.Equal(t, c.primary, primary)
			assert.Equal(t, c.unique, unique)
			assert.Len(t, got.ForeignKeys, c.foreign)
		})
	}
}
