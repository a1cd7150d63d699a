package sqlengine

import (
	"context"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

type Engine struct{}

func New() *Engine                                       { return &Engine{} }
func (e *Engine) Close() error                           { return nil }
func (e *Engine) NewShard(keyspace, shard string) *Shard { return &Shard{} }

type Shard struct{}

func (s *Shard) Session() *Session               { return &Session{} }
func (s *Shard) Schema() ([]TableSchema, uint64) { return nil, 0 }
func (s *Shard) SchemaVersion() uint64           { return 0 }
func (s *Shard) Check() error                    { return nil }

type Session struct{}

var errStarting = sqlerror.NewSQLError(sqlerror.ERUnknownError, sqlerror.SSUnknownSQLState, "shard is starting")

func (s *Session) Execute(ctx context.Context, sql string, bindVars map[string]*querypb.BindVariable, emit func(*sqltypes.Result) error) error {
	return errStarting
}
func (s *Session) Query(ctx context.Context, sql string, bindVars map[string]*querypb.BindVariable) (*sqltypes.Result, error) {
	return nil, errStarting
}
func (s *Session) Begin(ctx context.Context, opts TxOptions) error { return errStarting }
func (s *Session) Commit(ctx context.Context) error                { return errStarting }
func (s *Session) Rollback(ctx context.Context) error              { return errStarting }
func (s *Session) InTransaction() bool                             { return false }
func (s *Session) SetSystemVariables(vars map[string]string) error { return errStarting }
func (s *Session) FoundRows(on bool)                               {}
func (s *Session) Warnings() []Warning                             { return nil }
func (s *Session) Reset()                                          {}
func (s *Session) Close()                                          {}
