package sqlengine

import (
	"fmt"
	"hash/maphash"
	"strings"
	"sync"

	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// statement is a parsed text, shared by all sessions of an engine. It is immutable but for its caches.
type statement struct {
	text     string
	ast      sqlparser.Statement
	err      error // why it cannot run, in MySQL's words
	scan     scanMode
	isDML    bool
	settles  bool                // its plan is given MySQL's types, see settler
	runs     sqlparser.Statement // what the engine is given: ast, or another way to say it
	bulk     bool                // it inserts several rows of constants
	ownNames bool                // its rows hold DEFAULT or columns, or it sets DEFAULT, see completed and completedUpdate
	defaults bool                // it asks for DEFAULT(column), see expandDefaults
	aliases  bool                // it may use aliases where the engine knows none, see expandAliases
	hidden   int                 // how many columns at the end of its rows are not the statement's, see hideAggregates
	target   string              // the table an INSERT, UPDATE or DELETE of one table writes to
	step     bool                // it is a clause of an ALTER TABLE that is checked, see runSteps
	keys     *bool               // the foreign_key_checks of its SET_VAR hint, nil for none

	lists []string // names of list bind variables

	namesOnce sync.Once
	names     []string // see tableNames

	mu       sync.Mutex
	variants map[string]*variant // by the aliases that are expanded and the lengths of the lists

	// Tier 1: the tables the statement may have a plan for, none if it has not, and the plans by the first one's definition.
	pointTables []string
	points      sync.Map // *store.TableDef -> *pointPlan
}

// variant is a statement with fixed lengths of its list bind variables, in the engine's dialect.
type variant struct {
	text string
	mu   sync.Mutex
	free []dolt.Statement // parsed, used by nobody: the engine changes them while it binds
}

const (
	statementsMax = 5000
	variantsMax   = 64
	freeMax       = 8
)

// statementCache holds the parsed statements by their text. When it is full it starts anew: texts are normalised, so an
// application that fills it uses it badly anyway.
//
// Texts of bulk inserts are kept when they come again: their bind variables are named by the rows' places in the client's
// statement, and those that a shard gets are seldom the same.
type statementCache struct {
	mu    sync.RWMutex
	texts map[string]*statement
	once  map[uint64]struct{} // hashes of bulk inserts that came once
	seed  maphash.Seed
}

func (c *statementCache) init() {
	c.texts, c.once, c.seed = make(map[string]*statement), make(map[uint64]struct{}), maphash.MakeSeed()
}

// again reports whether a text has come before.
func (c *statementCache) again(text string) bool {
	hash := maphash.String(c.seed, text)
	c.mu.Lock()
	defer c.mu.Unlock()
	_, before := c.once[hash]
	if len(c.once) >= statementsMax {
		clear(c.once)
	}
	c.once[hash] = struct{}{}
	return before
}

func (c *statementCache) get(text string) *statement {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.texts[text]
}

func (c *statementCache) put(st *statement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.texts) >= statementsMax {
		c.texts = make(map[string]*statement)
	}
	c.texts[st.text] = st
}

// longStatement is the size from which statements are not kept: bulk loads.
const longStatement = 16 << 10

// statement returns the parsed text.
func (e *Engine) statement(text string) *statement {
	if st := e.statements.get(text); st != nil {
		return st
	}
	st := e.parse(text)
	if len(text) < longStatement && st.err == nil && (!st.bulk || e.statements.again(text)) {
		e.statements.put(st)
	}
	return st
}

func (e *Engine) parse(text string) *statement {
	st := &statement{text: text}
	if strings.Trim(text, " \t\r\n;") == "" {
		st.err = mysqlError(1065, "42000", "Query was empty")
		return st
	}
	var ast sqlparser.Statement
	var err error
	if bulk := parseBulkInsert(e.env.Parser().Parse, text); bulk != nil {
		ast = bulk
	} else {
		ast, err = e.env.Parser().Parse(text)
		ast = withTypeWords(e.env.Parser().Parse, text, ast)
	}
	if _, isProcedure := ast.(*sqlparser.CreateProcedure); isProcedure {
		st.ast = parseRoutine(text)
		return st
	}
	if err != nil {
		admin := parseAdmin(text)
		if admin == nil {
			if d := parseDiagnostics(text); d != nil {
				st.ast = d
			} else if routine := parseRoutine(text); routine != nil {
				st.ast = routine
			} else {
				st.err = syntaxError(text, err)
			}
			return st
		}
		ast = admin
	}
	st.ast = ast
	if insertsConstants(ast) {
		// Nothing below is about such but who may write where, and the rows may be many.
		if st.err = checkDenied(ast); st.err != nil {
			return st
		}
		st.bulk = len(ast.(*sqlparser.Insert).Rows.(sqlparser.Values)) > 1
		st.keys, st.pointTables, st.settles, st.runs = foreignKeyHint(ast), pointTables(ast), true, ast
		st.classify()
		return st
	}
	if what := unsupportedSyntax(ast); what != "" {
		st.err = errUnsupported(what)
		return st
	}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if list, ok := node.(sqlparser.ListArg); ok && list != "" && !contains(st.lists, string(list)) {
			st.lists = append(st.lists, string(list))
		}
		return true, nil
	}, ast)
	st.keys = foreignKeyHint(ast)
	st.classify()
	st.pointTables = pointTables(ast)
	st.settles = settles(ast)
	if st.err = checkStatement(ast); st.err != nil {
		return st
	}
	unrolled, what := unroll(ast)
	if what != "" {
		st.err = errUnsupported(what)
		return st
	}
	st.runs, st.hidden = hideAggregates(groupedWindows(inlineWindows(liftJoinFilters(unrolled))))
	st.aliases, st.ownNames, st.defaults = mayUseAliases(st.runs), namesOwnColumns(st.runs) || setsDefaults(st.runs), hasDefaultOf(st.runs)
	return st
}

// insertsConstants reports whether a statement is INSERT INTO t VALUES ... of plain constants and bind variables.
func insertsConstants(ast sqlparser.Statement) bool {
	ins, ok := ast.(*sqlparser.Insert)
	if !ok || len(ins.OnDup) > 0 {
		return false
	}
	rows, ok := ins.Rows.(sqlparser.Values)
	for _, row := range rows {
		for _, e := range row {
			switch e := e.(type) {
			case *sqlparser.Argument, *sqlparser.NullVal:
			case *sqlparser.Literal:
				ok = ok && (e.Type == sqlparser.IntVal || e.Type == sqlparser.StrVal)
			default:
				return false
			}
		}
	}
	return ok
}

func contains(all []string, s string) bool {
	for _, a := range all {
		if a == s {
			return true
		}
	}
	return false
}

// syntaxError is MySQL's 1064 for the gateway parser's error.
func syntaxError(text string, err error) error {
	near := text
	if _, after, ok := strings.Cut(err.Error(), " near '"); ok {
		token := strings.TrimSuffix(after, "'")
		if at := strings.LastIndex(text, token); at >= 0 && token != "" {
			near = text[at:]
		}
	}
	return mysqlError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '%s' at line 1", near)
}

// classify finds out how the statement reads tables.
func (st *statement) classify() {
	switch ast := st.ast.(type) {
	case sqlparser.TableStatement:
		st.scan = readMode(ast)
	case *sqlparser.Update:
		st.isDML = true
		st.scan = scanMode{lock: store.Exclusive, shares: true, targets: updateTargets(ast)}
	case *sqlparser.Delete:
		st.isDML = true
		st.scan = scanMode{lock: store.Exclusive, shares: true, targets: deleteTargets(ast)}
	case *sqlparser.Insert:
		st.isDML = true
		st.scan.shares = true
		if name, ok := ast.Table.Expr.(sqlparser.TableName); ok {
			st.target = name.Name.String()
		}
	case *sqlparser.TruncateTable:
		st.scan.truncate = true
	case sqlparser.DDLStatement:
		st.scan.current, st.scan.copy = true, true
	}
	st.scan.recollates = recollates(st.ast)
	if len(st.scan.targets) == 1 {
		for name := range st.scan.targets {
			st.target = name
		}
	}
}

// readMode is the mode of a query. A lock clause is for the tables of its own query, not for those of subqueries.
func readMode(query sqlparser.TableStatement) (mode scanMode) {
	locked, plain := make(map[string]bool), make(map[string]bool)
	var visit func(query sqlparser.TableStatement, within sqlparser.SQLNode)
	visit = func(query sqlparser.TableStatement, within sqlparser.SQLNode) {
		to := plain
		if clause, ok := query.(sqlparser.SelectStatement); ok && clause.GetLock() != sqlparser.NoLock {
			to = locked
			if lock, policy := lockOf(clause.GetLock()); lock > mode.lock {
				mode.lock, mode.policy = lock, policy
			}
		}
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			switch node := node.(type) {
			case *sqlparser.Subquery:
				visit(node.Select, node.Select)
				return false, nil
			case *sqlparser.DerivedTable:
				visit(node.Select, node.Select)
				return false, nil
			case *sqlparser.CommonTableExpr:
				visit(node.Subquery, node.Subquery)
				return false, nil
			case *sqlparser.AliasedTableExpr:
				if name, ok := node.Expr.(sqlparser.TableName); ok {
					to[strings.ToLower(name.Name.String())] = true
				}
			}
			return true, nil
		}, within)
	}
	visit(query, query)
	if mode.lock == store.NoLock {
		return mode
	}
	for name := range plain {
		if locked[name] {
			continue
		}
		if mode.spared == nil {
			mode.spared = make(map[string]bool)
		}
		mode.spared[name] = true
	}
	return mode
}

func lockOf(l sqlparser.Lock) (store.LockMode, store.WaitPolicy) {
	switch l {
	case sqlparser.ForUpdateLock:
		return store.Exclusive, store.Wait
	case sqlparser.ForUpdateLockNoWait:
		return store.Exclusive, store.NoWait
	case sqlparser.ForUpdateLockSkipLocked:
		return store.Exclusive, store.SkipLocked
	case sqlparser.ForShareLock, sqlparser.ShareModeLock:
		return store.Shared, store.Wait
	case sqlparser.ForShareLockNoWait:
		return store.Shared, store.NoWait
	case sqlparser.ForShareLockSkipLocked:
		return store.Shared, store.SkipLocked
	}
	return store.NoLock, store.Wait
}

// aliases maps the names tables have in a FROM clause to their real ones, both in lower case.
func aliases(tables []sqlparser.TableExpr) map[string]string {
	names := make(map[string]string)
	for _, t := range tables {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			t, ok := node.(*sqlparser.AliasedTableExpr)
			if !ok {
				return true, nil
			}
			if name, ok := t.Expr.(sqlparser.TableName); ok {
				real := strings.ToLower(name.Name.String())
				alias := real
				if t.As.NotEmpty() {
					alias = strings.ToLower(t.As.String())
				}
				names[alias] = real
			}
			return false, nil
		}, t)
	}
	return names
}

// updateTargets returns the tables an UPDATE sets columns of: all of them where a column does not tell.
func updateTargets(u *sqlparser.Update) map[string]bool {
	names := aliases(u.TableExprs)
	targets := make(map[string]bool)
	for _, e := range u.Exprs {
		if real, ok := names[strings.ToLower(e.Name.Qualifier.Name.String())]; ok {
			targets[real] = true
			continue
		}
		for _, real := range names {
			targets[real] = true
		}
	}
	return targets
}

func deleteTargets(d *sqlparser.Delete) map[string]bool {
	names := aliases(d.TableExprs)
	targets := make(map[string]bool)
	for _, t := range d.Targets {
		if real, ok := names[strings.ToLower(t.Name.String())]; ok {
			targets[real] = true
		}
	}
	if len(targets) == 0 {
		for _, real := range names {
			targets[real] = true
		}
	}
	return targets
}

// variant returns a statement's text in the engine's dialect for these bind variables and the tables there are.
func (s *Session) variant(st *statement, binds map[string]*querypb.BindVariable) (*variant, error) {
	runs, names := st.runs, ""
	if st.aliases {
		runs, names = s.expandAliases(runs)
	}
	if st.defaults {
		expanded, err := s.expandDefaults(runs)
		if err != nil {
			return nil, err
		}
		runs, names = expanded, sqlparser.String(expanded)
	}
	if upd, ok := runs.(*sqlparser.Update); ok && st.ownNames {
		whole, err := s.completedUpdate(upd)
		if err != nil {
			return nil, err
		}
		runs, names = whole, sqlparser.String(whole)
	}
	if ins, ok := runs.(*sqlparser.Insert); ok {
		if whole := s.completed(ins, st.ownNames); whole != ins {
			runs, names = whole, sqlparser.String(whole)
		}
	}
	return st.variant(runs, names, binds)
}

func (st *statement) variant(runs sqlparser.Statement, key string, binds map[string]*querypb.BindVariable) (*variant, error) {
	var lists map[string]listShape
	if len(st.lists) > 0 {
		lists = make(map[string]listShape, len(st.lists))
		for _, name := range st.lists {
			bv, ok := binds[name]
			if !ok {
				return nil, mysqlError(1105, "HY000", "missing bind var %s", name)
			}
			if len(bv.Values) == 0 {
				return nil, mysqlError(1105, "HY000", "empty list supplied for %s", name)
			}
			shape := listShape{len(bv.Values), arity(bv)}
			lists[name] = shape
			key += fmt.Sprint(shape.length, "x", shape.arity, ",")
		}
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if v := st.variants[key]; v != nil {
		return v, nil
	}
	v := &variant{text: engineText(runs, lists)}
	if st.variants == nil || len(st.variants) >= variantsMax {
		st.variants = make(map[string]*variant)
	}
	st.variants[key] = v
	return v, nil
}

// take returns a parsed statement nobody else uses; give it back with release. fallback is a text to try if the printed
// one is refused: the original.
func (v *variant) take(parse func(string) (dolt.Statement, error), fallback string) (dolt.Statement, error) {
	v.mu.Lock()
	if n := len(v.free); n > 0 {
		stmt := v.free[n-1]
		v.free = v.free[:n-1]
		v.mu.Unlock()
		return stmt, nil
	}
	v.mu.Unlock()
	stmt, err := parse(v.text)
	if err != nil && fallback != "" {
		if again, err2 := parse(fallback); err2 == nil {
			return again, nil
		}
	}
	return stmt, err
}

func (v *variant) release(stmt dolt.Statement) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.free) < freeMax {
		v.free = append(v.free, stmt)
	}
}
