package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	dolt "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// runner runs the statements of stored procedures for the engine. They are part of the CALL: of its transaction, and of
// what an error of it undoes.
type runner struct{ engine *Engine }

var _ sql.StatementRunner = runner{}

func (r runner) QueryWithBindings(ctx *sql.Context, text string, stmt dolt.Statement, _ map[string]dolt.Expr, _ *sql.QueryFlags) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	q := fromContext(ctx)
	if stmt == nil {
		return nil, nil, nil, errUnsupported("PREPARE in stored procedures")
	}
	before := q.stmt
	switch stmt.(type) {
	case *dolt.Update, *dolt.Delete:
		q.stmt = scanMode{lock: store.Exclusive, current: true}
	case *dolt.DDL, *dolt.DBDDL, *dolt.AlterTable:
		return nil, nil, nil, errUnsupported("DDL in stored procedures")
	case *dolt.Begin, *dolt.Commit, *dolt.Rollback, *dolt.Savepoint, *dolt.RollbackSavepoint, *dolt.ReleaseSavepoint:
		return nil, nil, nil, errUnsupported("transactions in stored procedures")
	}
	session := &Session{shard: q.shard, sql: q}
	node, flags, err := session.analyse(ctx, &statement{settles: true, isDML: true}, stmt, text, nil)
	if err != nil {
		q.stmt = before
		return nil, nil, nil, err
	}
	rows, schema, err := execOverrides{engine: r.engine}.executed(ctx, node)
	if err != nil {
		q.stmt = before
		return nil, nil, nil, err
	}
	if schema == nil {
		schema = node.Schema()
	}
	return schema, &scannedRows{RowIter: rows, session: q, after: before}, flags, nil
}

// scannedRows gives the session its former scan mode back when it is closed.
type scannedRows struct {
	sql.RowIter
	session *sqlSession
	after   scanMode
}

func (s *scannedRows) Close(ctx *sql.Context) error {
	s.session.stmt = s.after
	return s.RowIter.Close(ctx)
}
