package explain

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner/engine"
)

var rule = strings.Repeat("-", 70) + "\n"

// WriteText writes explanations as vtexplain does: each statement, then what MySQL is asked, by time and shard. Between the
// two, about may write more of the statement; nil for nothing.
func WriteText(out io.Writer, explained []*Explanation, about func(io.Writer, *Explanation) error) error {
	var b bytes.Buffer
	for _, e := range explained {
		b.WriteString(rule)
		fmt.Fprintf(&b, "%s\n\n", e.SQL)
		if about != nil {
			if err := about(&b, e); err != nil {
				return err
			}
		}
		e.writeQueries(&b)
		b.WriteByte('\n')
	}
	b.WriteString(rule)
	_, err := out.Write(b.Bytes())
	return err
}

func (e *Explanation) writeQueries(b *bytes.Buffer) {
	type shardQuery struct {
		shard string
		Query
	}
	var queries []shardQuery
	for _, shard := range slices.Sorted(maps.Keys(e.Tablets)) {
		for _, query := range e.Tablets[shard].MySQL {
			queries = append(queries, shardQuery{shard, query})
		}
	}
	slices.SortStableFunc(queries, func(a, b shardQuery) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.shard, b.shard))
	})
	for _, query := range queries {
		fmt.Fprintf(b, "%d %s: %s\n", query.Time, query.shard, query.SQL)
	}
}

// WriteJSON writes explanations as vtexplain does, with its names of fields.
func WriteJSON(out io.Writer, explained []*Explanation) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "    ")
	if explained == nil {
		explained = []*Explanation{}
	}
	return encoder.Encode(explained)
}

// MarshalJSON implements json.Marshaler.
func (e *Explanation) MarshalJSON() ([]byte, error) {
	return encode(struct {
		SQL           string
		Plans         []*engine.Plan
		TabletActions map[string]*Tablet
	}{e.SQL, e.Plans, e.Tablets})
}

// MarshalJSON implements json.Marshaler.
func (t *Tablet) MarshalJSON() ([]byte, error) {
	type tabletQuery struct {
		Time     int
		SQL      string
		BindVars map[string]string
	}
	type mysqlQuery struct {
		Time int
		SQL  string
	}
	var tablet []tabletQuery
	for _, query := range t.Queries {
		vars := make(map[string]string, len(query.BindVars))
		for name, value := range query.BindVars {
			var text strings.Builder
			sqlparser.EncodeValue(&text, value)
			vars[name] = text.String()
		}
		tablet = append(tablet, tabletQuery{query.Time, query.SQL, vars})
	}
	var toMySQL []mysqlQuery
	for _, query := range t.MySQL {
		toMySQL = append(toMySQL, mysqlQuery{query.Time, query.SQL})
	}
	return encode(struct {
		TabletQueries []tabletQuery
		MysqlQueries  []mysqlQuery
	}{tablet, toMySQL})
}

// encode is json.Marshal without escaping < and > in SQL.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return b.Bytes(), err
}
