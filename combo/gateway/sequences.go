package gateway

import (
	"context"
	"regexp"
	"sync"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
)

// sequences hand out the values of sequence tables. Like vttablet they take a block of values at a time, as wide as the
// table's cache column says, so that most inserts write nothing for it. Unlike vttablet they see at once when the table was
// changed by others, and let go of their block.
type sequences struct {
	mu      sync.Mutex
	blocks  map[sequenceKey]*sequenceBlock
	queries *lru[string, sequenceQuery]
}

type sequenceKey struct {
	shard engine.Shard
	table string
}

// sequenceBlock is what is left of a block: 0 < next <= end, end not included.
type sequenceBlock struct {
	mu        sync.Mutex
	next, end int64
}

// sequenceQuery is `select next <count> values from <table>`, parsed.
type sequenceQuery struct {
	table string
	count sqlparser.Expr
}

// asksSequence matches a sequence query as it is sent to a shard: hints and the client's comments may stand before the count.
var asksSequence = regexp.MustCompile(`^select (?:(?s:/\*.*?\*/) )*next `)

func newSequences() *sequences {
	return &sequences{blocks: map[sequenceKey]*sequenceBlock{}, queries: newLRU[string, sequenceQuery](1000)}
}

// clear forgets all blocks: tables may have been made anew.
func (seqs *sequences) clear() {
	seqs.mu.Lock()
	defer seqs.mu.Unlock()
	clear(seqs.blocks)
}

// next answers a sequence query with one row: the first of count values.
func (seqs *sequences) next(ctx context.Context, s *Session, q engine.ShardQuery) (*sqltypes.Result, error) {
	query, err := seqs.parse(s, q.SQL)
	if err != nil {
		return nil, err
	}
	count, err := sequenceCount(query.count, q.BindVars)
	if err != nil {
		return nil, err
	}
	block := seqs.block(sequenceKey{shard: q.Shard, table: query.table})
	block.mu.Lock()
	defer block.mu.Unlock()
	current, err := block.isCurrent(ctx, s, q.Shard, query.table)
	if err != nil {
		return nil, err
	}
	if !current || block.end-block.next < count {
		if err := block.fill(ctx, s, q.Shard, query.table, count); err != nil {
			return nil, err
		}
	}
	first := block.next
	block.next += count
	return &sqltypes.Result{
		Fields: []*querypb.Field{{Name: "nextval", Type: sqltypes.Int64}},
		Rows:   []sqltypes.Row{{sqltypes.NewInt64(first)}},
	}, nil
}

func (seqs *sequences) block(key sequenceKey) *sequenceBlock {
	seqs.mu.Lock()
	defer seqs.mu.Unlock()
	block, ok := seqs.blocks[key]
	if !ok {
		block = &sequenceBlock{}
		seqs.blocks[key] = block
	}
	return block
}

func (seqs *sequences) parse(s *Session, sql string) (sequenceQuery, error) {
	if query, ok := seqs.queries.get(sql); ok {
		return query, nil
	}
	stmt, err := s.gateway.env.Parser().Parse(sql)
	if err != nil {
		return sequenceQuery{}, err
	}
	sel, ok := stmt.(*sqlparser.Select)
	if !ok || sel.GetColumnCount() != 1 || len(sel.From) != 1 {
		return sequenceQuery{}, vterrors.VT13001("not a sequence query: " + sql)
	}
	nextval, ok := sel.GetColumns()[0].(*sqlparser.Nextval)
	if !ok {
		return sequenceQuery{}, vterrors.VT13001("not a sequence query: " + sql)
	}
	table, ok := sel.From[0].(*sqlparser.AliasedTableExpr)
	if !ok {
		return sequenceQuery{}, vterrors.VT13001("not a sequence query: " + sql)
	}
	query := sequenceQuery{table: sqlparser.String(table.Expr), count: nextval.Expr}
	seqs.queries.put(sql, query)
	return query, nil
}

// sequenceCount reads how many values are wanted: a literal or a bind variable.
func sequenceCount(expr sqlparser.Expr, bindVars BindVars) (int64, error) {
	var value sqltypes.Value
	switch expr := expr.(type) {
	case *sqlparser.Literal:
		value = sqltypes.MakeTrusted(sqltypes.Int64, expr.Bytes())
	case *sqlparser.Argument:
		bv, ok := bindVars[expr.Name]
		if !ok {
			return 0, vterrors.VT03026(expr.Name)
		}
		value = sqltypes.MakeTrusted(bv.Type, bv.Value)
	}
	count, err := value.ToCastInt64()
	if err != nil || count < 1 {
		return 0, vterrors.VT12001("a sequence can give one value or more, not " + sqlparser.String(expr))
	}
	return count, nil
}

// isCurrent reports whether the table still says what it did when the block was taken.
func (b *sequenceBlock) isCurrent(ctx context.Context, s *Session, shard engine.Shard, table string) (bool, error) {
	if b.next == b.end {
		return false, nil
	}
	conn, err := s.connect(shard)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	result, err := conn.Query(ctx, "select next_id from "+table+" where id = 0", nil)
	if err != nil || len(result.Rows) == 0 {
		return false, s.shardError(shard, err)
	}
	next, err := result.Rows[0][0].ToCastInt64()
	return err == nil && next == b.end, nil
}

// fill takes a new block from the table: of at least count values. A missing row is made, to begin with 1.
func (b *sequenceBlock) fill(ctx context.Context, s *Session, shard engine.Shard, table string, count int64) error {
	conn, err := s.connect(shard)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Begin(ctx, TxOptions{}); err != nil {
		return s.shardError(shard, err)
	}
	next, cache, err := readSequence(ctx, conn, table)
	if err == nil {
		end := next
		for end-next < count {
			end += cache
		}
		_, err = conn.Query(ctx, "update "+table+" set next_id = :next where id = 0", BindVars{"next": sqltypes.Int64BindVariable(end)})
		if err == nil {
			err = conn.Commit(ctx)
		}
		if err == nil {
			b.next, b.end = next, end
			return nil
		}
	}
	_ = conn.Rollback(context.WithoutCancel(ctx)) // the first error says what happened
	return s.shardError(shard, err)
}

// sequenceCacheDefault is how many values a sequence without a row hands out at a time.
const sequenceCacheDefault = 1000

// readSequence locks and reads the one row of a sequence table.
func readSequence(ctx context.Context, conn Conn, table string) (next, cache int64, err error) {
	result, err := conn.Query(ctx, "select next_id, cache from "+table+" where id = 0 for update", nil)
	if err != nil {
		return 0, 0, err
	}
	if len(result.Rows) == 0 {
		_, err := conn.Query(ctx, "insert into "+table+"(id, next_id, cache) values (0, 1, :cache)",
			BindVars{"cache": sqltypes.Int64BindVariable(sequenceCacheDefault)})
		return 1, sequenceCacheDefault, err
	}
	row := result.Rows[0]
	// NULL and 0 count as 1.
	next, _ = row[0].ToCastInt64()
	cache, _ = row[1].ToCastInt64()
	return max(next, 1), max(cache, 1), nil
}
