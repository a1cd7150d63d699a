package vindexes_test

import (
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtgatepb "vitess.io/vitess/go/vt/proto/vtgate"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// The golden vectors under testdata/vectors: what each vindex type answers.
type (
	vindexVectors struct {
		Type      string
		Instances []vindexInstance
	}
	vindexInstance struct {
		Params        map[string]string
		CreateError   string `json:"create_error"`
		Cost          int
		IsUnique      bool `json:"is_unique"`
		NeedsVCursor  bool `json:"needs_vcursor"`
		Interfaces    []string
		UnknownParams []string `json:"unknown_params"`
		PrefixCost    *int     `json:"prefix_cost"`
		PrefixUnique  *bool    `json:"prefix_is_unique"`
		Partial       *bool    `json:"partial_vindex"`
		LookupQuery   *string  `json:"lookup_query"`
		LookupArgs    []string `json:"lookup_arguments"`
		AllowBatch    bool     `json:"allow_batch"`
		Autocommit    bool
		CommitOrder   string `json:"commit_order"`
		Backfilling   *bool  `json:"is_backfilling"`
		Vectors       []vindexVector
	}
	vindexVector struct {
		Op    string
		In    []vectorValue
		Ksid  string
		OK    bool
		Value *vectorValue
		Dest  []struct{ String string }
		Error string
		Args  vectorArgs
		Calls []vectorCall
	}
	vectorValue struct{ Type, Text, Hex string }
	vectorArgs  struct {
		IDs      []vectorValue
		Ksids    []string
		Ksid     string
		OK       []bool
		Rows     [][]vectorValue
		Ignore   bool
		Old, New []vectorValue
		InTx     bool `json:"in_transaction_and_is_dml"`
	}
	vectorCall struct {
		Call, Method, Query, Keyspace, Ksid string
		BindVars                            map[string]struct {
			vectorValue
			Values []vectorValue
		} `json:"bind_vars"`
		RollbackOnError bool   `json:"rollback_on_error"`
		CommitOrder     string `json:"commit_order"`
		AnsweredWith    string `json:"answered_with"`
	}
)

// readGzipJSON reads a compressed JSON file of testdata.
func readGzipJSON(t testing.TB, path string, v any) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	require.NoError(t, err)
	require.NoError(t, json.NewDecoder(unzipped).Decode(v), path)
}

func (v vectorValue) value(t *testing.T) sqltypes.Value {
	number, ok := querypb.Type_value[v.Type]
	require.True(t, ok, v.Type)
	if querypb.Type(number) == sqltypes.Null {
		return sqltypes.NULL
	}
	data := []byte(v.Text)
	if v.Hex != "" {
		data = unhex(t, v.Hex)
	}
	return sqltypes.MakeTrusted(querypb.Type(number), data)
}

func unhex(t *testing.T, text string) []byte {
	data, err := hex.DecodeString(text)
	require.NoError(t, err)
	return data
}

func values(t *testing.T, in []vectorValue) []sqltypes.Value {
	out := make([]sqltypes.Value, len(in))
	for i, v := range in {
		out[i] = v.value(t)
	}
	return out
}

func unhexAll(t *testing.T, texts []string) [][]byte {
	out := make([][]byte, len(texts))
	for i, text := range texts {
		out[i] = unhex(t, text)
	}
	return out
}

func TestVectors(t *testing.T) {
	files, err := filepath.Glob("testdata/vectors/*.json.gz")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	types := vindexes.Types()
	for i, file := range files {
		files[i], err = filepath.Abs(file)
		require.NoError(t, err)
	}
	t.Chdir("testdata/data") // parameters name files here
	for _, file := range files {
		var vectors vindexVectors
		readGzipJSON(t, file, &vectors)
		if types[vectors.Type] == nil {
			continue // a type of plan tests alone
		}
		t.Run(vectors.Type, func(t *testing.T) {
			for _, instance := range vectors.Instances {
				testInstance(t, types, vectors.Type, instance)
			}
		})
	}
}

func testInstance(t *testing.T, types vindexes.Registry, vindexType string, want vindexInstance) {
	vindex, err := types.New(vindexType, "vdx", want.Params)
	if want.CreateError != "" {
		require.EqualError(t, err, want.CreateError, "%v", want.Params)
		return
	}
	require.NoError(t, err, "%v", want.Params)
	require.Equal(t, "vdx", vindex.String())
	require.Equal(t, want.Cost, vindex.Cost())
	require.Equal(t, want.IsUnique, vindex.IsUnique())
	require.Equal(t, want.NeedsVCursor, vindex.NeedsVCursor())
	require.ElementsMatch(t, want.Interfaces, interfacesOf(vindex, want.Interfaces))
	if validating, ok := vindex.(vindexes.ParamValidating); ok {
		require.Equal(t, want.UnknownParams, validating.UnknownParams())
	}
	if want.Partial != nil {
		require.Equal(t, *want.Partial, vindex.(vindexes.MultiColumn).PartialVindex())
	}
	if want.PrefixCost != nil {
		prefix := vindex.(vindexes.Prefixable).PrefixVindex()
		require.Equal(t, *want.PrefixCost, prefix.Cost())
		require.Equal(t, *want.PrefixUnique, prefix.IsUnique())
	}
	if want.LookupQuery != nil {
		planable := vindex.(vindexes.LookupPlanable)
		query, args := planable.Query()
		require.Equal(t, *want.LookupQuery, query)
		require.Equal(t, want.LookupArgs, args)
		require.Equal(t, want.AllowBatch, planable.AllowBatch())
		require.Equal(t, want.Autocommit, planable.AutoCommitEnabled())
		require.Equal(t, want.CommitOrder, planable.GetCommitOrder().String())
	}
	if want.Backfilling != nil {
		require.Equal(t, *want.Backfilling, vindex.(vindexes.LookupBackfill).IsBackfilling())
	}
	if owned, ok := vindex.(vindexes.WantOwnerInfo); ok {
		var columns []sqlparser.IdentifierCI
		for i := range want.LookupArgs {
			columns = append(columns, sqlparser.NewIdentifierCI("oc"+strconv.Itoa(i+1)))
		}
		require.NoError(t, owned.SetOwnerInfo("ks", "owner_tbl", columns))
	}
	for i, vector := range want.Vectors {
		if !testVector(t, vindex, vector) {
			text, _ := json.Marshal(vector)
			t.Errorf("params %v, vector %d: %s", want.Params, i, text)
		}
	}
}

// interfacesOf lists which of the interfaces a vindex has. ParamValidating is
// only asked for where wanted: "multicol" hands its parameters on.
func interfacesOf(vindex vindexes.Vindex, want []string) []string {
	var has []string
	add := func(name string, ok bool) {
		if ok {
			has = append(has, name)
		}
	}
	_, ok := vindex.(vindexes.SingleColumn)
	add("SingleColumn", ok)
	_, ok = vindex.(vindexes.MultiColumn)
	add("MultiColumn", ok)
	_, ok = vindex.(vindexes.Hashing)
	add("Hashing", ok)
	_, ok = vindex.(vindexes.Reversible)
	add("Reversible", ok)
	_, ok = vindex.(vindexes.Sequential)
	add("Sequential", ok)
	_, ok = vindex.(vindexes.Prefixable)
	add("Prefixable", ok)
	_, ok = vindex.(vindexes.Lookup)
	add("Lookup", ok)
	_, ok = vindex.(vindexes.LookupPlanable)
	add("LookupPlanable", ok)
	_, ok = vindex.(vindexes.LookupBackfill)
	add("LookupBackfill", ok)
	_, ok = vindex.(vindexes.WantOwnerInfo)
	add("WantOwnerInfo", ok)
	_, ok = vindex.(vindexes.ParamValidating)
	add("ParamValidating", ok)
	return has
}

// testVector runs one operation and says whether the answer is the wanted one.
func testVector(t *testing.T, vindex vindexes.Vindex, v vindexVector) bool {
	cursor := &recordingCursor{t: t, inTx: v.Args.InTx, calls: v.Calls, ok: true}
	got, err := runVector(t, vindex, cursor, v)
	switch {
	case v.Error != "":
		if err == nil || err.Error() != v.Error {
			t.Logf("got error %v, want %s", err, v.Error)
			return false
		}
	case err != nil:
		t.Logf("got error %v", err)
		return false
	case !reflect.DeepEqual(got, wantOf(v)):
		t.Logf("got %v, want %v", got, wantOf(v))
		return false
	}
	if cursor.ok && cursor.next != len(v.Calls) {
		t.Logf("got %d calls, want %d", cursor.next, len(v.Calls))
		return false
	}
	return cursor.ok
}

// wantOf is a vector's answer as runVector gives it.
func wantOf(v vindexVector) any {
	switch v.Op {
	case "map", "range_map", "prefix_map":
		var dests []string
		for _, dest := range v.Dest {
			dests = append(dests, dest.String)
		}
		return dests
	case "verify", "prefix_verify":
		if v.Args.OK != nil {
			return v.Args.OK
		}
		return []bool{v.OK}
	case "reverse_map":
		data := v.Value.Text
		if v.Value.Hex != "" {
			raw, _ := hex.DecodeString(v.Value.Hex)
			data = string(raw)
		}
		return v.Value.Type + " " + data
	case "hash":
		return v.Ksid
	}
	return nil
}

func runVector(t *testing.T, vindex vindexes.Vindex, vc vindexes.VCursor, v vindexVector) (any, error) {
	ctx := context.Background()
	ids := values(t, v.In)
	if v.Args.IDs != nil {
		ids = values(t, v.Args.IDs)
	}
	ksids := unhexAll(t, v.Args.Ksids)
	if v.Args.Ksids == nil {
		ksids = [][]byte{unhex(t, v.Ksid)}
	}
	var rows [][]sqltypes.Value
	for _, row := range v.Args.Rows {
		rows = append(rows, values(t, row))
	}
	single, _ := vindex.(vindexes.SingleColumn)
	multi, _ := vindex.(vindexes.MultiColumn)
	lookup, _ := vindex.(vindexes.Lookup)
	if strings.HasPrefix(v.Op, "prefix_") {
		single = vindex.(vindexes.Prefixable).PrefixVindex()
	}
	var dests []key.Destination
	var same []bool
	var err error
	switch v.Op {
	case "map", "prefix_map":
		if multi != nil {
			dests, err = multi.Map(ctx, vc, [][]sqltypes.Value{ids})
		} else {
			dests, err = single.Map(ctx, vc, ids)
		}
		return destStrings(dests), err
	case "range_map":
		dests, err = vindex.(vindexes.Sequential).RangeMap(ctx, vc, ids[0], ids[1])
		return destStrings(dests), err
	case "verify", "prefix_verify":
		if multi != nil {
			same, err = multi.Verify(ctx, vc, [][]sqltypes.Value{ids}, ksids)
		} else {
			same, err = single.Verify(ctx, vc, ids, ksids)
		}
		return same, err
	case "reverse_map":
		reversed, err := vindex.(vindexes.Reversible).ReverseMap(vc, ksids)
		if err != nil {
			return nil, err
		}
		return reversed[0].Type().String() + " " + reversed[0].ToString(), nil
	case "hash":
		ksid, err := vindex.(vindexes.Hashing).Hash(ids[0])
		return hex.EncodeToString(ksid), err
	case "create":
		return nil, lookup.Create(ctx, vc, rows, ksids, v.Args.Ignore)
	case "delete":
		return nil, lookup.Delete(ctx, vc, rows, unhex(t, v.Args.Ksid))
	case "update":
		return nil, lookup.Update(ctx, vc, values(t, v.Args.Old), unhex(t, v.Args.Ksid), values(t, v.Args.New))
	}
	t.Fatalf("unknown operation %s", v.Op)
	return nil, nil
}

func destStrings(dests []key.Destination) []string {
	var texts []string
	for _, dest := range dests {
		texts = append(texts, dest.String())
	}
	return texts
}

// recordingCursor compares each query with the next wanted one and gives the
// answer that stands beside it.
type recordingCursor struct {
	t     *testing.T
	inTx  bool
	calls []vectorCall
	next  int
	ok    bool
}

func (c *recordingCursor) Execute(_ context.Context, method, query string, bindVars map[string]*querypb.BindVariable, rollbackOnError bool, order vtgatepb.CommitOrder) (*sqltypes.Result, error) {
	return c.answer(vectorCall{Call: "Execute", Method: method, Query: query, RollbackOnError: rollbackOnError, CommitOrder: order.String()}, bindVars)
}

func (c *recordingCursor) ExecuteKeyspaceID(_ context.Context, keyspace string, ksid []byte, query string, bindVars map[string]*querypb.BindVariable, rollbackOnError, _ bool) (*sqltypes.Result, error) {
	return c.answer(vectorCall{Call: "ExecuteKeyspaceID", Keyspace: keyspace, Ksid: hex.EncodeToString(ksid), Query: query, RollbackOnError: rollbackOnError}, bindVars)
}

func (c *recordingCursor) InTransactionAndIsDML() bool { return c.inTx }
func (c *recordingCursor) LookupRowLockShardSession() vtgatepb.CommitOrder {
	return vtgatepb.CommitOrder_PRE
}
func (c *recordingCursor) ConnCollation() collations.ID { return collations.CollationUtf8mb4ID }

func (c *recordingCursor) answer(got vectorCall, bindVars map[string]*querypb.BindVariable) (*sqltypes.Result, error) {
	if c.next == len(c.calls) {
		c.t.Logf("unexpected call %+v", got)
		c.ok = false
		return &sqltypes.Result{}, nil
	}
	want := c.calls[c.next]
	c.next++
	answer, wantVars := want.AnsweredWith, want.BindVars
	want.AnsweredWith, want.BindVars = "", nil
	if !reflect.DeepEqual(got, want) {
		c.t.Logf("got call %+v, want %+v", got, want)
		c.ok = false
	}
	wanted := map[string]*querypb.BindVariable{}
	for name, v := range wantVars {
		if v.Type == "TUPLE" {
			tuple, err := sqltypes.BuildBindVariable(values(c.t, v.Values))
			require.NoError(c.t, err)
			wanted[name] = tuple
			continue
		}
		wanted[name] = sqltypes.ValueBindVariable(v.value(c.t))
	}
	if g, w := sqltypes.FormatBindVariables(bindVars, true, false), sqltypes.FormatBindVariables(wanted, true, false); g != w {
		c.t.Logf("got bind variables %s, want %s", g, w)
		c.ok = false
	}
	return answerOf(c.t, answer)
}

// answerOf reads an answer: "no rows", "error ...", or "(TYPE value, ...) ...".
func answerOf(t *testing.T, text string) (*sqltypes.Result, error) {
	if message, ok := strings.CutPrefix(text, "error 1062 "); ok {
		return nil, sqlerror.NewSQLErrorf(sqlerror.ERDupEntry, sqlerror.SSConstraintViolation, "%s", message)
	}
	if message, ok := strings.CutPrefix(text, "error "); ok {
		return nil, errors.New(message)
	}
	result := &sqltypes.Result{}
	if text == "no rows" {
		return result, nil
	}
	for rowText := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(text, "("), ")"), ") (") {
		var row sqltypes.Row
		for cell := range strings.SplitSeq(rowText, ", ") {
			typeName, data, _ := strings.Cut(cell, " ")
			v := vectorValue{Type: typeName, Text: data}
			if raw, ok := strings.CutPrefix(data, "0x"); ok {
				v = vectorValue{Type: typeName, Hex: raw}
			}
			row = append(row, v.value(t))
		}
		result.Rows = append(result.Rows, row)
	}
	return result, nil
}
