package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtenv"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

var (
	userKeyspace = &vindexes.Keyspace{Name: "user", Sharded: true}
	mainKeyspace = &vindexes.Keyspace{Name: "main"}
)

// fakeShards is a ShardExecutor over two shards of "user" and one of "main". It answers by shard and SQL and notes what it
// was asked, with bind variables, as "user/-80 select 1 {v=INT64(1)}".
type fakeShards struct {
	mu      sync.Mutex
	log     []string
	opts    []ShardOptions
	answers map[string]*sqltypes.Result // by "keyspace/shard sql" or, for all shards, by sql
	errs    map[string]error
	// pieceRows is how many rows a stream gives at once; 0 for all.
	pieceRows int
}

var fakeRanges = map[string][]key.Shard{
	"main": {{Name: "0"}},
	"user": {{Name: "-80", Range: key.KeyRange{End: []byte{0x80}}}, {Name: "80-", Range: key.KeyRange{Start: []byte{0x80}}}},
}

func (f *fakeShards) Resolve(_ context.Context, keyspace string, dests []key.Destination) ([]Shard, [][]int, error) {
	names, owners, err := key.ResolveMany(dests, fakeRanges[keyspace])
	shards := make([]Shard, len(names))
	for i, name := range names {
		shards[i] = Shard{Keyspace: keyspace, Name: name}
	}
	return shards, owners, err
}

func (f *fakeShards) answer(q ShardQuery, opts ShardOptions) (*sqltypes.Result, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	where := q.Shard.Keyspace + "/" + q.Shard.Name + " "
	f.log = append(f.log, where+q.SQL+printBindVars(q.BindVars))
	f.opts = append(f.opts, opts)
	for _, name := range []string{where + q.SQL, q.SQL} {
		if err, ok := f.errs[name]; ok {
			return nil, err
		}
		if result, ok := f.answers[name]; ok {
			return result.Copy(), nil
		}
	}
	return &sqltypes.Result{}, nil
}

func (f *fakeShards) Execute(_ context.Context, queries []ShardQuery, opts ShardOptions) ([]*sqltypes.Result, error) {
	results := make([]*sqltypes.Result, len(queries))
	for i, q := range queries {
		var err error
		if results[i], err = f.answer(q, opts); err != nil && !opts.Partial {
			return nil, err
		}
	}
	return results, nil
}

func (f *fakeShards) Stream(ctx context.Context, q ShardQuery, opts ShardOptions, emit Emit) error {
	result, err := f.answer(q, opts)
	if err != nil {
		return err
	}
	size := f.pieceRows
	if size == 0 {
		size = max(len(result.Rows), 1)
	}
	if err := emit(&sqltypes.Result{Fields: result.Fields}); err != nil {
		return err
	}
	for rows := range slices.Chunk(result.Rows, size) {
		if err := emit(&sqltypes.Result{Rows: rows}); err != nil {
			return err
		}
	}
	return nil
}

// printBindVars prints bind variables by name.
func printBindVars(vars BindVars) string {
	if len(vars) == 0 {
		return ""
	}
	var parts []string
	for _, name := range sortedNames(vars) {
		bv := vars[name]
		if bv.Type != querypb.Type_TUPLE {
			parts = append(parts, name+"="+sqltypes.MakeTrusted(bv.Type, bv.Value).String())
			continue
		}
		var list []string
		for _, value := range bv.Values {
			list = append(list, sqltypes.ProtoToValue(value).ToString())
		}
		parts = append(parts, name+"=("+strings.Join(list, ",")+")")
	}
	return " {" + strings.Join(parts, " ") + "}"
}

// taken returns the log and empties it.
func (f *fakeShards) taken() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	log := f.log
	f.log = nil
	return log
}

// fakeSession notes what primitives do to the session.
type fakeSession struct {
	foundRows uint64
	variables map[string]string
}

func (s *fakeSession) SetUserVariable(string, sqltypes.Value) {}
func (s *fakeSession) SetFoundRows(n uint64)                  { s.foundRows = n }
func (s *fakeSession) WarningCount() int                      { return 0 }
func (s *fakeSession) Warn(*querypb.QueryWarning)             {}
func (s *fakeSession) Variable(name string) (string, bool) {
	value, ok := s.variables[name]
	return value, ok
}

type fakeFacts struct {
	evalengine.VCursor
	mode string
}

func (f fakeFacts) GetKeyspace() string { return "user" }
func (f fakeFacts) SQLMode() string     { return f.mode }

func newFakeEnv() (*Env, *fakeShards) {
	shards := &fakeShards{answers: map[string]*sqltypes.Result{}, errs: map[string]error{}}
	env := vtenv.NewTestEnv()
	return &Env{
		Shards: shards, Session: &fakeSession{}, Facts: fakeFacts{VCursor: evalengine.NewEmptyVCursor(env, nil)},
		Collation: env.CollationEnv().DefaultConnectionCharset(),
	}, shards
}

// run executes a primitive and checks what every execution must do: fields first, bind variables unchanged.
func run(t testing.TB, env *Env, p Primitive, vars BindVars) (*sqltypes.Result, error) {
	t.Helper()
	before := printBindVars(vars)
	whole := &sqltypes.Result{}
	first := true
	err := p.Execute(context.Background(), env, vars, func(piece *sqltypes.Result) error {
		if first && len(piece.Rows) > 0 {
			require.NotNil(t, piece.Fields, "the first piece carries fields")
		}
		first = false
		appendPiece(whole, piece)
		return nil
	})
	require.Equal(t, before, printBindVars(vars), "bind variables belong to the caller")
	return whole, err
}

func mustRun(t testing.TB, env *Env, p Primitive, vars BindVars) *sqltypes.Result {
	t.Helper()
	result, err := run(t, env, p, vars)
	require.NoError(t, err)
	return result
}

// rowTexts prints rows: "1 a".
func rowTexts(result *sqltypes.Result) []string {
	texts := []string{}
	for _, row := range result.Rows {
		var values []string
		for _, value := range row {
			if value.IsNull() {
				values = append(values, "NULL")
			} else {
				values = append(values, value.ToString())
			}
		}
		texts = append(texts, strings.Join(values, " "))
	}
	return texts
}

// result makes a result: fields "id|name" of types "int64|varchar", rows "1|a".
func result(names, types string, rows ...string) *sqltypes.Result {
	fields := sqltypes.MakeTestFields(names, types)
	for _, field := range fields {
		field.Charset = uint32(collations.CollationBinaryID)
		if sqltypes.IsText(field.Type) {
			field.Charset = uint32(collations.MySQL8().DefaultConnectionCharset())
		}
	}
	return sqltypes.MakeTestResult(fields, rows...)
}

// rows makes a leaf that gives a result.
func rows(names, types string, lines ...string) Primitive {
	r := result(names, types, lines...)
	return NewRowsPrimitive(r.Rows, r.Fields)
}

// expr translates SQL; columns a, b, c, ... are columns 0, 1, 2, ... of the row.
func expr(t testing.TB, sql string) evalengine.Expr {
	t.Helper()
	env := vtenv.NewTestEnv()
	ast, err := env.Parser().ParseExpr(sql)
	require.NoError(t, err)
	translated, err := evalengine.Translate(ast, &evalengine.Config{
		Environment: env, Collation: env.CollationEnv().DefaultConnectionCharset(),
		ResolveColumn: func(col *sqlparser.ColName) (int, error) {
			if name := col.Name.String(); len(name) == 1 {
				return int(name[0] - 'a'), nil
			}
			return 0, fmt.Errorf("no column %s", col.Name)
		},
	})
	require.NoError(t, err)
	return translated
}

func exprs(t testing.TB, sqls ...string) []evalengine.Expr {
	t.Helper()
	var out []evalengine.Expr
	for _, sql := range sqls {
		out = append(out, expr(t, sql))
	}
	return out
}

func hashVindex(t testing.TB) vindexes.SingleColumn {
	t.Helper()
	v, err := vindexes.Types().New("hash", "hash", nil)
	require.NoError(t, err)
	return v.(vindexes.SingleColumn)
}

// ascending sorts by an integer column.
func ascending(col int) evalengine.Comparison {
	return evalengine.Comparison{{
		Col: col, WeightStringCol: -1, Type: evalengine.NewType(sqltypes.Int64, collations.CollationBinaryID),
		CollationEnv: collations.MySQL8(),
	}}
}
