package sqlengine

import (
	"context"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Isolation is a transaction isolation level.
type Isolation uint8

// Isolation levels. The zero value is MySQL's default. READ UNCOMMITTED reads as READ COMMITTED does.
const (
	RepeatableRead Isolation = iota
	ReadCommitted
	ReadUncommitted
	Serializable
)

// TxOptions are the characteristics of a transaction; the zero value is a plain START TRANSACTION.
type TxOptions struct {
	Isolation          Isolation
	ReadOnly           bool
	ConsistentSnapshot bool // take the snapshot at Begin, not at the first read
}

// isolations are the levels by the words of SET, spelled with a hyphen or a blank.
var isolations = map[string]Isolation{
	"REPEATABLE-READ": RepeatableRead, "READ-COMMITTED": ReadCommitted, "READ-UNCOMMITTED": ReadUncommitted, "SERIALIZABLE": Serializable,
}

// startTransaction runs START TRANSACTION.
func (s *Session) startTransaction(ctx context.Context, ast *sqlparser.Begin) error {
	if err := s.commit(ctx); err != nil {
		return err
	}
	opts := s.opts
	for _, mode := range ast.TxAccessModes {
		switch mode {
		case sqlparser.ReadOnly:
			opts.ReadOnly = true
		case sqlparser.ReadWrite:
			opts.ReadOnly = false
		case sqlparser.WithConsistentSnapshot:
			opts.ConsistentSnapshot = true
		}
	}
	return s.Begin(ctx, opts)
}

// setNextTransaction runs SET TRANSACTION without a scope.
func (s *Session) setNextTransaction(characteristics sqlparser.SetExprs, out *emitter) error {
	if s.tx != nil {
		return mysqlError(1568, "25001", "Transaction characteristics can't be changed while a transaction is in progress")
	}
	for _, e := range characteristics {
		value, ok := e.Expr.(*sqlparser.Literal)
		if !ok {
			return errUnsupported("SET TRANSACTION to " + sqlparser.String(e.Expr))
		}
		switch e.Var.Name.Lowered() {
		case "transaction_isolation":
			s.opts.Isolation = isolations[strings.ReplaceAll(strings.ToUpper(value.Val), " ", "-")]
		case "transaction_read_only":
			s.opts.ReadOnly = value.Val == "on"
		}
	}
	s.nextOnly = true
	return out.send(&sqltypes.Result{})
}

// statementUsedNext forgets SET TRANSACTION, unless the statement began the transaction that it is for.
func (s *Session) statementUsedNext() {
	if s.tx == nil {
		s.opts, s.nextOnly = s.defaults, false
	}
}

// readTransactionVariables has later transactions begin as the session's variables say.
func (s *Session) readTransactionVariables() {
	s.defaults = TxOptions{}
	if v, ok := s.sql.vars["transaction_isolation"]; ok {
		name, _ := v.Val.(string)
		s.defaults.Isolation = isolations[strings.ToUpper(name)]
	}
	if v, ok := s.sql.vars["transaction_read_only"]; ok {
		s.defaults.ReadOnly = variableNumber(v.Val) != 0
	}
	if s.tx == nil && !s.nextOnly {
		s.opts = s.defaults
	}
}
