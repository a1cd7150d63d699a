package sqlengine

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/vt/sqlparser"
)

// TestBulkInsertIsParsedAlike compares the short way with the parser's own.
func TestBulkInsertIsParsedAlike(t *testing.T) {
	parser := New().env.Parser()
	rows := func(format string) string {
		var b strings.Builder
		for i := range 1000 {
			b.WriteString(strings.ReplaceAll(format, "#", strconv.Itoa(i)))
		}
		return b.String()
	}
	const head = "insert into t(id, `name`) values (:a, :b)"
	for text, short := range map[string]bool{
		head + rows(", (:_id_#, :vtg#)"): true,
		head + rows(", (:_id_#, null)"):  true,
		"insert /*vt+ X=1 */ ignore into ks.t(id, x) values (:a, :b)" + rows(", (:a#, :b#)"): true,
		head + rows(", (:a#, #)"):                                               false,
		head + rows(", (:a#, 'x#')"):                                            false,
		head + rows(", (:a#, :b#)") + " on duplicate key update id = 1":         false,
		head + rows(", (:a#, :b#, :c)"):                                         false,
		head + rows(", (:a#)"):                                                  false,
		head + rows(", (:a#, :b# + 1)"):                                         false,
		head + rows(", (:a#, ::b#)"):                                            false,
		"insert into t(id, x) values (1, :b)" + rows(", (:a#, :b#)"):            false,
		"insert into t(id, ` values (`) values (:a, :b)" + rows(", (:a#, :b#)"): false,
		"replace into t(id, x) values (:a, :b)" + rows(", (:a#, :b#)"):          false,
		head: false,
	} {
		name := text[:min(len(text), 90)]
		ins := parseBulkInsert(parser.Parse, text)
		require.Equal(t, short, ins != nil, name)
		if want, err := parser.Parse(text); short {
			require.NoError(t, err, name)
			require.True(t, sqlparser.Equals.Statement(want, ins), name)
			require.Equal(t, sqlparser.String(want), sqlparser.String(ins), name)
		}
	}
}
