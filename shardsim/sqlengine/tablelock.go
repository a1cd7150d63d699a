package sqlengine

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// LOCK TABLES and FLUSH TABLES WITH READ LOCK. A session holds what it has locked in transactions of their own, by which those of
// its statements pass. Writes and locking reads meet the locks in the store; plain reads, which lock nothing there, ask for the
// tables first, but only while the shard has a session that holds or wants some.
//
//	                     the session itself               others
//	LOCK TABLES t READ   reads t alone                    read t, wait to write to it
//	LOCK TABLES t WRITE  reads and writes to t alone      wait to read t or write to it
//	FLUSH ... READ LOCK  may not write (1223)             wait to write to any table, and to commit what they wrote
type sessionLocks struct {
	tables map[string]tableUse // of LOCK TABLES, by the lower-case names they have in statements; nil for none
	held   *store.Tx           // holds the tables
	global *store.Tx           // holds the lock of FLUSH TABLES WITH READ LOCK, nil for none
}

// tableUse is a table of a statement, or of LOCK TABLES.
type tableUse struct {
	name  string // its own
	alias string // what the statement calls it
	write bool
}

// lockTables runs LOCK TABLES.
func (s *Session) lockTables(ctx context.Context, lock *sqlparser.LockTables) error {
	var uses []tableUse
	for _, l := range lock.Tables {
		t, ok := l.Table.(*sqlparser.AliasedTableExpr)
		if !ok {
			return errUnsupported("LOCK TABLES of what is no table")
		}
		name, _ := t.Expr.(sqlparser.TableName)
		use := tableUse{name: name.Name.String(), alias: name.Name.String(), write: l.Lock == sqlparser.Write || l.Lock == sqlparser.LowPriorityWrite}
		if t.As.NotEmpty() {
			use.alias = t.As.String()
		}
		uses = append(uses, use)
	}
	return s.lockUses(ctx, uses)
}

// lockUses commits, gives locked tables back, and locks others.
func (s *Session) lockUses(ctx context.Context, uses []tableUse) error {
	if s.locks.global != nil && slices.ContainsFunc(uses, func(u tableUse) bool { return u.write }) {
		return errReadLock()
	}
	if err := s.unlockTables(); err != nil {
		return err
	}
	if err := s.end(true); err != nil {
		return err
	}
	named := make(map[string]tableUse, len(uses))
	modes := make(map[string]store.LockMode)
	for _, u := range uses {
		alias := strings.ToLower(u.alias)
		if _, twice := named[alias]; twice {
			return mysqlError(1066, "42000", "Not unique table/alias: '%s'", u.alias)
		}
		named[alias] = u
		if u.write {
			modes[store.AllTables] = store.Writing
		}
		if err := s.lockModes(u, modes); err != nil {
			return err
		}
	}
	held := s.shard.db.Begin(store.TxOptions{Owner: s.owner})
	s.shard.lockers.Add(1)
	if err := s.lockInOrder(ctx, held, modes); err != nil {
		held.Rollback()
		s.shard.lockers.Add(-1)
		return err
	}
	s.locks.tables, s.locks.held = named, held
	return nil
}

// lockModes adds how the tables behind a name are to be locked: those of a view, none of a temporary table.
func (s *Session) lockModes(u tableUse, modes map[string]store.LockMode) error {
	key := strings.ToLower(u.name)
	if s.sql.temps[key] != "" {
		return nil
	}
	names := map[string]bool{key: true}
	if view, isView := s.shard.meta().views[key]; isView {
		s.tablesUsed(s.shard.engine.statement(view.TextDefinition), names)
	} else if _, err := s.meta(u.name); err != nil {
		return err
	}
	for name := range names {
		mode := store.Frozen
		if u.write {
			mode = store.Exclusive
		}
		if s.shard.db.Root().Table(name) != nil {
			modes[name] = max(modes[name], mode)
		}
	}
	return nil
}

// lockInOrder locks tables in the order of their names, in which all sessions do.
func (s *Session) lockInOrder(ctx context.Context, tx *store.Tx, modes map[string]store.LockMode) error {
	for _, name := range slices.Sorted(maps.Keys(modes)) {
		if err := tx.LockTable(ctx, name, modes[name], s.tableWait()); err != nil {
			return storeError(err, name)
		}
	}
	return nil
}

// tableWait is lock_wait_timeout.
func (s *Session) tableWait() time.Duration {
	v, _ := s.sql.variable("lock_wait_timeout")
	return time.Duration(variableNumber(v.Val)) * time.Second
}

// unlockTables gives back what LOCK TABLES locked, and commits.
func (s *Session) unlockTables() error {
	if s.locks.tables == nil {
		return nil
	}
	err := s.end(true)
	s.releaseTables()
	return err
}

func (s *Session) releaseTables() {
	if s.locks.tables != nil {
		s.locks.held.Rollback()
		s.locks.tables, s.locks.held = nil, nil
		s.shard.lockers.Add(-1)
	}
}

func (s *Session) releaseGlobal() {
	if s.locks.global != nil {
		s.locks.global.Rollback()
		s.locks.global = nil
		s.shard.lockers.Add(-1)
	}
}

// flush runs FLUSH, which has nothing to write back: only its locks matter.
func (s *Session) flush(ctx context.Context, flush *sqlparser.Flush) error {
	if !flush.WithLock && !flush.ForExport {
		return nil
	}
	if s.locks.tables != nil {
		return mysqlError(1192, "HY000", "Can't execute the given command because you have active locked tables or an active transaction")
	}
	if len(flush.TableNames) > 0 {
		if s.locks.global != nil {
			return errReadLock()
		}
		uses := make([]tableUse, len(flush.TableNames))
		for i, name := range flush.TableNames {
			uses[i] = tableUse{name: name.Name.String(), alias: name.Name.String()}
		}
		return s.lockUses(ctx, uses)
	}
	if err := s.end(true); err != nil || s.locks.global != nil {
		return err
	}
	global := s.shard.db.Begin(store.TxOptions{Owner: s.owner})
	s.shard.lockers.Add(1)
	if err := global.LockTable(ctx, store.AllTables, store.Frozen, s.tableWait()); err != nil {
		global.Rollback()
		s.shard.lockers.Add(-1)
		return storeError(err, "")
	}
	s.locks.global = global
	return nil
}

func errReadLock() error {
	return mysqlError(1223, "HY000", "Can't execute the query because you have a conflicting read lock")
}

func nothing() {}

// admit checks a statement against the locks of its own session, and waits for those of others. The caller calls done after the
// statement.
func (s *Session) admit(ctx context.Context, st *statement) (done func(), err error) {
	if s.locks.tables == nil && s.shard.lockers.Load() == 0 || len(s.sql.invoking) > 0 {
		return nothing, nil
	}
	uses := s.tableUses(st)
	writes := slices.ContainsFunc(uses, func(u tableUse) bool { return u.write }) || isDDL(st.ast) && !s.isTemporaryDDL(st.ast)
	if writes && s.locks.global != nil {
		return nothing, errReadLock()
	}
	if s.locks.tables != nil {
		if err := s.checkLocked(uses); err != nil {
			return nothing, err
		}
	}
	if err := s.awaitTables(ctx, st, uses); err != nil {
		return nothing, err
	}
	if !writes {
		return nothing, nil
	}
	return s.awaitGlobal(ctx)
}

// awaitGlobal waits for other sessions' FLUSH TABLES WITH READ LOCK, and keeps them from taking it until done is called.
func (s *Session) awaitGlobal(ctx context.Context) (done func(), err error) {
	tx := s.newTx(nil, TxOptions{})
	if err := tx.LockTable(ctx, store.AllTables, store.Writing, s.tableWait()); err != nil {
		tx.Rollback()
		return nothing, s.sql.mysqlError(storeError(err, ""))
	}
	return tx.Rollback, nil
}

// awaitTables waits until a statement may read and write its tables, and in a transaction keeps them for it. DDL commits first.
func (s *Session) awaitTables(ctx context.Context, st *statement, uses []tableUse) error {
	writing := store.Writing
	if isDDL(st.ast) && !s.isTemporaryDDL(st.ast) {
		if err := s.commit(ctx); err != nil {
			return err
		}
		writing = store.Exclusive
	}
	modes := make(map[string]store.LockMode)
	read := make(map[string]bool)
	s.tablesUsed(st, read)
	for name := range read {
		if s.sql.temps[name] == "" && s.shard.db.Root().Table(name) != nil {
			modes[name] = store.Shared
		}
	}
	for _, u := range uses {
		if key := strings.ToLower(u.name); u.write && modes[key] != store.NoLock {
			modes[key] = writing
		}
	}
	tx := s.tx
	if tx == nil {
		tx = s.newTx(nil, TxOptions{})
		defer tx.Rollback()
	}
	err := s.sql.mysqlError(s.lockInOrder(ctx, tx, modes))
	if isDeadlock(err) {
		_ = s.end(false)
	}
	return err
}

// checkLocked refuses tables that LOCK TABLES has not locked, or not for that.
func (s *Session) checkLocked(uses []tableUse) error {
	for _, u := range uses {
		locked, ok := s.locks.tables[strings.ToLower(u.alias)]
		if !ok || !strings.EqualFold(locked.name, u.name) {
			return mysqlError(1100, "HY000", "Table '%s' was not locked with LOCK TABLES", u.alias)
		}
		if u.write && !locked.write {
			return mysqlError(1099, "HY000", "Table '%s' was locked with a READ lock and can't be updated", u.alias)
		}
	}
	return nil
}

// tableUses returns the tables and views that a statement names, but for temporary ones and the system's.
func (s *Session) tableUses(st *statement) []tableUse {
	var uses []tableUse
	add := func(name sqlparser.TableName, alias string, write bool) {
		db := strings.ToLower(name.Qualifier.String())
		_, isSystem := systemSchemas[db]
		if name.IsEmpty() || isSystem || db == "information_schema" || s.sql.temps[strings.ToLower(name.Name.String())] != "" || strings.EqualFold(name.Name.String(), "dual") {
			return
		}
		if alias == "" {
			alias = name.Name.String()
		}
		uses = append(uses, tableUse{name.Name.String(), alias, write})
	}
	if ddl, ok := st.ast.(sqlparser.DDLStatement); ok {
		if _, isRoutine := ddl.(engineDDL); !isRoutine && !s.isTemporaryDDL(ddl) {
			for _, name := range ddl.AffectedTables() {
				add(name, "", true)
			}
		}
		return uses
	}
	common := make(map[string]bool)
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.CommonTableExpr:
			common[node.ID.String()] = true
		case *sqlparser.AliasedTableExpr:
			name, ok := node.Expr.(sqlparser.TableName)
			if !ok || common[name.Name.String()] {
				return true, nil
			}
			add(name, node.As.String(), s.writesTo(st, name.Name.String()))
		}
		return true, nil
	}, st.ast)
	return uses
}

// writesTo reports whether a statement writes to a table, or locks its rows as writes do.
func (s *Session) writesTo(st *statement, name string) bool {
	if _, isInsert := st.ast.(*sqlparser.Insert); isInsert {
		return strings.EqualFold(st.target, name)
	}
	return st.scan.lock == store.Exclusive && st.scan.locks(name)
}

// passing has DDL pass by the locks of its own session.
func (s *Session) passing(ctx context.Context) context.Context {
	if s.locks.held == nil {
		return ctx
	}
	return store.PassingBy(ctx, s.locks.held)
}

// commit commits the open transaction, once no other session keeps it from that.
func (s *Session) commit(ctx context.Context) error {
	if s.tx != nil && s.tx.Wrote() && s.shard.lockers.Load() > 0 {
		done, err := s.awaitGlobal(ctx)
		if err != nil {
			return err
		}
		defer done()
	}
	return s.end(true)
}

// locked runs the statements about table locks.
func (s *Session) locked(ctx context.Context, ast sqlparser.Statement) error {
	switch ast := ast.(type) {
	case *sqlparser.LockTables:
		return s.lockTables(ctx, ast)
	case *sqlparser.UnlockTables:
		err := s.unlockTables()
		s.releaseGlobal()
		return err
	case *sqlparser.Flush:
		return s.flush(ctx, ast)
	}
	return nil
}
