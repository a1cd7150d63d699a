package sqlengine

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// MATCH ... AGAINST is a function of the table, the mode, the query and the columns. It ranks as InnoDB does: the sum over
// the words found of how often they are there, times the square of log10(rows / rows with the word). The rows' words are
// counted once a statement.
var matchFunctions = map[string]scalarFunction{
	"match_against": {min: 4, max: 255, nulls: true, typ: fixedType(types.Float64), eval: matchAgainst},
}

// InnoDB's defaults: shorter words, and those that are everywhere, are not indexed.
const wordLengthMin = 3

var stopWords = strings.Fields("a about an are as at be by com de en for from how i in is it la of on or that the this to was what when where who will with und the www")

// formatMatch prints MATCH as a call of match_against.
func (p *dialect) formatMatch(buf *sqlparser.TrackedBuffer, node *sqlparser.MatchExpr) {
	mode := "natural"
	if node.Option == sqlparser.BooleanModeOpt {
		mode = "boolean"
	}
	args := []sqlparser.Expr{sqlparser.NewStrLiteral(p.tableOf(node.Columns[0])), sqlparser.NewStrLiteral(mode), node.Expr}
	for _, c := range node.Columns {
		args = append(args, c)
	}
	formatCall(buf, "match_against", args...)
}

// tableOf returns the real name of the table a column is of: by its qualifier, or the only one.
func (p *dialect) tableOf(c *sqlparser.ColName) string {
	if c.Qualifier.IsEmpty() && len(p.tables) == 1 {
		for _, real := range p.tables {
			return real
		}
	}
	return p.tables[strings.ToLower(c.Qualifier.Name.String())]
}

// matchCorpus is what is known of all rows of a FULLTEXT index.
type matchCorpus struct {
	rows  int
	with  map[string]int // rows with a word, by its weight
	keyer columnKeyer
}

func matchAgainst(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	corpus, err := fromContext(ctx).matchCorpus(ctx, shownText(args[0]), call.args[3:])
	if err != nil || args[2] == nil {
		return 0.0, err
	}
	var texts []string
	for _, a := range args[3:] {
		if a != nil {
			texts = append(texts, shownText(a))
		}
	}
	found := make(map[string]int)
	all := words(strings.Join(texts, " "))
	for _, w := range all {
		found[corpus.weight(w)]++
	}
	query := shownText(args[2])
	if shownText(args[1]) == "boolean" {
		return corpus.boolean(query, found, all)
	}
	rank := 0.0
	asked := make(map[string]bool)
	for _, w := range words(query) {
		if key := corpus.weight(w); indexed(w) && !asked[key] {
			asked[key] = true
			rank += corpus.rank(key, found[key])
		}
	}
	return rank, nil
}

// words splits a text as InnoDB's parser does.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && !unicode.Is(unicode.M, r)
	})
}

func indexed(word string) bool {
	return len([]rune(word)) >= wordLengthMin && !slices.Contains(stopWords, strings.ToLower(word))
}

func (c *matchCorpus) weight(word string) string {
	key, err := c.keyer.append(nil, word)
	if err != nil {
		return word
	}
	return string(key)
}

func (c *matchCorpus) rank(key string, times int) float64 {
	with := c.with[key]
	if times == 0 || with == 0 {
		return 0
	}
	idf := math.Log10(float64(c.rows) / float64(with))
	if with == c.rows {
		idf = math.Log10(1.0001)
	}
	return float64(float32(float64(times) * idf * idf))
}

// boolean ranks a row by a query of words with operators: + must be there, - must not, * stands for any end, quotes for
// words in a row.
func (c *matchCorpus) boolean(query string, found map[string]int, all []string) (any, error) {
	if strings.ContainsAny(query, "()@") {
		return nil, errUnsupported("brackets in MATCH ... AGAINST (... IN BOOLEAN MODE)")
	}
	rank, required, missing, any := 0.0, false, false, false
	for _, term := range terms(query) {
		score := c.score(term, found, all)
		switch {
		case term.operator == '-':
			if score > 0 {
				return 0.0, nil
			}
			continue
		case term.operator == '+':
			required = true
			missing = missing || score == 0 && !term.ignored()
		}
		any = any || score > 0
		rank += score
	}
	if missing || !required && !any {
		return 0.0, nil
	}
	return rank, nil
}

// matchTerm is a part of a boolean query.
type matchTerm struct {
	operator byte // one of + - > < ~, or 0
	words    []string
	prefix   bool
}

// ignored reports whether a term is no word of the index: it then neither matches nor misses.
func (t matchTerm) ignored() bool { return len(t.words) == 1 && !t.prefix && !indexed(t.words[0]) }

func terms(query string) []matchTerm {
	var all []matchTerm
	for query = strings.TrimSpace(query); query != ""; query = strings.TrimSpace(query) {
		var t matchTerm
		if strings.IndexByte("+-><~", query[0]) >= 0 {
			t.operator, query = query[0], query[1:]
		}
		if strings.HasPrefix(query, `"`) {
			phrase, rest, _ := strings.Cut(query[1:], `"`)
			t.words, query = words(phrase), rest
		} else {
			word, rest, _ := strings.Cut(query, " ")
			t.prefix = strings.HasSuffix(word, "*")
			t.words, query = words(word), rest
		}
		if len(t.words) > 0 {
			all = append(all, t)
		}
	}
	return all
}

func (c *matchCorpus) score(t matchTerm, found map[string]int, all []string) float64 {
	if len(t.words) > 1 {
		if !c.hasPhrase(t.words, all) {
			return 0
		}
		rank := 0.0
		for _, w := range t.words {
			rank += c.rank(c.weight(w), found[c.weight(w)])
		}
		return math.Max(rank, 1e-9)
	}
	key := c.weight(t.words[0])
	if !t.prefix {
		if !indexed(t.words[0]) {
			return 0
		}
		return c.rank(key, found[key])
	}
	rank, n := 0.0, len([]rune(t.words[0]))
	seen := make(map[string]bool)
	for _, w := range all {
		runes := []rune(w)
		if whole := c.weight(w); len(runes) >= n && c.weight(string(runes[:n])) == key && !seen[whole] && indexed(w) {
			seen[whole] = true
			rank += c.rank(whole, found[whole])
		}
	}
	return rank
}

func (c *matchCorpus) hasPhrase(phrase, all []string) bool {
	for at := 0; at+len(phrase) <= len(all); at++ {
		if slices.EqualFunc(phrase, all[at:at+len(phrase)], func(a, b string) bool { return c.weight(a) == c.weight(b) }) {
			return true
		}
	}
	return false
}

// matchCorpus counts the words of the columns in all rows, once a statement.
func (s *sqlSession) matchCorpus(ctx *sql.Context, table string, args []sql.Expression) (*matchCorpus, error) {
	var columns []string
	for _, a := range args {
		field, ok := a.(*expression.GetField)
		if !ok {
			return nil, mysqlError(1210, "HY000", "Incorrect arguments to MATCH")
		}
		columns = append(columns, strings.ToLower(field.Name()))
	}
	key := strings.ToLower(table) + "\x00" + strings.Join(columns, "\x00")
	if c := s.corpora[key]; c != nil {
		return c, nil
	}
	t := s.tableNamed(table)
	if t == nil {
		return nil, mysqlError(1210, "HY000", "Incorrect arguments to MATCH")
	}
	m := metaOf(t.Def)
	if !m.hasFullText(columns) {
		return nil, mysqlError(1191, "HY000", "Can't find FULLTEXT index matching the column list")
	}
	at, err := m.positions(columns)
	if err != nil {
		return nil, err
	}
	c := &matchCorpus{with: make(map[string]int), keyer: newColumnKeyer(0, m.columns[at[0]].Type)}
	it, err := s.tx.Open(ctx, t.Def, store.Scan{Index: store.Primary})
	if err != nil {
		return nil, storeError(err, table)
	}
	defer it.Close()
	for {
		rec, err := it.Next()
		if err != nil {
			return nil, storeError(err, table)
		}
		if !rec.Exists() {
			break
		}
		c.count(rec.Row(), at)
	}
	if s.corpora == nil {
		s.corpora = make(map[string]*matchCorpus)
	}
	s.corpora[key] = c
	return c, nil
}

func (c *matchCorpus) count(row []any, at []int) {
	c.rows++
	seen := make(map[string]bool)
	for _, pos := range at {
		if row[pos] == nil {
			continue
		}
		for _, w := range words(shownText(row[pos])) {
			if key := c.weight(w); indexed(w) && !seen[key] {
				seen[key] = true
				c.with[key]++
			}
		}
	}
}

// hasFullText reports whether there is a FULLTEXT index of just these columns.
func (m *tableMeta) hasFullText(columns []string) bool {
	for _, x := range m.search {
		if x.kind != "FULLTEXT " || len(x.columns) != len(columns) {
			continue
		}
		same := true
		for _, c := range x.columns {
			same = same && slices.Contains(columns, strings.ToLower(c))
		}
		if same {
			return true
		}
	}
	return false
}
