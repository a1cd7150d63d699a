package gateway

import (
	"context"

	"vitess.io/vitess/go/vt/sqlparser"
)

// beginTransaction starts a transaction, committing an open one. Shards begin when they are needed.
func (s *Session) beginTransaction(ctx context.Context, stmt *sqlparser.Begin) error {
	if err := s.commit(ctx); err != nil {
		return err
	}
	tx := newTransaction(s)
	for _, mode := range stmt.TxAccessModes {
		switch mode {
		case sqlparser.WithConsistentSnapshot:
			tx.opts.ConsistentSnapshot = true
		case sqlparser.ReadWrite:
			tx.opts.ReadOnly = false
		case sqlparser.ReadOnly:
			tx.opts.ReadOnly = true
		}
	}
	s.tx = tx
	return nil
}

// commit commits the open transaction, if there is one.
func (s *Session) commit(ctx context.Context) error {
	tx := s.tx
	s.tx = nil
	if tx == nil {
		return nil
	}
	err := tx.commit(ctx)
	s.copySources(ctx, tx.sources)
	return err
}

// rollback rolls the open transaction back, if there is one. It runs also when the context has ended.
func (s *Session) rollback(ctx context.Context) error {
	tx := s.tx
	s.tx = nil
	if tx == nil {
		return nil
	}
	return tx.rollback(context.WithoutCancel(ctx))
}

// transactionMode is SINGLE, MULTI or TWOPC.
func (s *Session) transactionMode() string {
	value, _ := s.variable("transaction_mode")
	if value.text == "" || value.text == "UNSPECIFIED" {
		return s.gateway.cfg.TransactionMode
	}
	return value.text
}
