package semantics

import (
	"fmt"
	"reflect"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/vindexes"
)

type (
	// SemTable is what the analysis learned of a statement. It belongs to the planning of that one statement, which keeps it
	// up to date while it rewrites expressions; it is not safe for concurrent use and is dropped with the operators.
	SemTable struct {
		Tables    []*TableInfo
		Signature Signature
		Collation collations.ID
		// Warning is for the client: an alias that hides a column, say.
		Warning string
		// DMLTargets are the tables that an UPDATE or DELETE changes.
		DMLTargets TableSet

		// NotUnshardedErr counts unless the statement goes to one unsharded keyspace as it is.
		NotUnshardedErr error
		// NotSingleRouteErr counts unless the plan is one route.
		NotSingleRouteErr error
		// NotSingleShardErr counts unless the plan is one route to one shard.
		NotSingleShardErr error

		direct, recursive dependencies
		types             map[sqlparser.Expr]evalengine.Type
		unions            map[*sqlparser.Union][]sqlparser.SelectExpr
		recursions        map[*sqlparser.Union]*Recursion
		equalities        [][]sqlparser.Expr
		comparator        *sqlparser.Comparator
	}

	// Signature says which constructs the statement uses, so that the planner skips phases that have nothing to do.
	Signature struct {
		Aggregation, Distinct, DML, SubQueries, Union, Window bool
		// LastInsertIDArg is set where LAST_INSERT_ID(expr) sets the session's id.
		LastInsertIDArg bool
	}

	// dependencies maps expressions to the tables they need; those of compound expressions are derived and remembered.
	dependencies map[sqlparser.Expr]TableSet
)

// isMapKey tells whether an expression can be a key of a map: tuples are slices and cannot.
func isMapKey(n sqlparser.SQLNode) bool {
	return n != nil && reflect.TypeOf(n).Comparable()
}

func (d dependencies) of(expr sqlparser.Expr) TableSet {
	if expr == nil {
		return TableSet{}
	}
	key := isMapKey(expr)
	if key {
		if ts, ok := d[expr]; ok {
			return ts
		}
	}
	var ts TableSet
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		e, ok := node.(sqlparser.Expr)
		if !ok || !isMapKey(e) {
			return true, nil
		}
		known, ok := d[e]
		ts = ts.Merge(known)
		return !ok, nil
	}, expr)
	if key {
		d[expr] = ts
	}
	return ts
}

// DirectDeps are the tables of the FROM clause that expr names columns of; a derived table counts as itself.
func (st *SemTable) DirectDeps(expr sqlparser.Expr) TableSet { return st.direct.of(expr) }

// RecursiveDeps are the base tables that the value of expr comes from, seen through derived tables.
func (st *SemTable) RecursiveDeps(expr sqlparser.Expr) TableSet { return st.recursive.of(expr) }

// SetDeps states that expr depends on ts, for expressions that the planner makes.
func (st *SemTable) SetDeps(expr sqlparser.Expr, ts TableSet) {
	st.direct[expr], st.recursive[expr] = ts, ts
}

// SetRecursiveDeps states which base tables expr depends on and leaves its direct dependencies alone.
func (st *SemTable) SetRecursiveDeps(expr sqlparser.Expr, ts TableSet) { st.recursive[expr] = ts }

// Info returns the table of a set that holds one.
func (st *SemTable) Info(ts TableSet) (*TableInfo, error) {
	offset := ts.TableOffset()
	if offset < 0 || offset >= len(st.Tables) || st.Tables[offset] == nil {
		return nil, ErrNotSingleTable
	}
	return st.Tables[offset], nil
}

// ErrNotSingleTable is the answer of Info where there is no one table.
var ErrNotSingleTable = vterrors.VT13001("should only be used for single tables")

// InfoForExpr returns the only table whose columns expr uses.
func (st *SemTable) InfoForExpr(expr sqlparser.Expr) (*TableInfo, error) {
	return st.Info(st.DirectDeps(expr))
}

// TableSetFor returns the set of the table with the given expression, empty if there is none.
func (st *SemTable) TableSetFor(node *sqlparser.AliasedTableExpr) TableSet {
	for _, t := range st.Tables {
		if t != nil && t.AST == node {
			return t.ID
		}
	}
	return TableSet{}
}

// NewTableID reserves a table that the planner invents.
func (st *SemTable) NewTableID() TableSet {
	id := SingleTable(len(st.Tables))
	st.Tables = append(st.Tables, nil)
	return id
}

// TypeForExpr returns the type that the analysis gave expr, if it gave one.
func (st *SemTable) TypeForExpr(expr sqlparser.Expr) (evalengine.Type, bool) {
	if isMapKey(expr) {
		if typ, ok := st.types[expr]; ok {
			return typ, true
		}
	}
	if ws, ok := expr.(*sqlparser.WeightStringFuncExpr); ok {
		arg, _ := st.TypeForExpr(ws.Expr)
		return evalengine.NewTypeEx(sqltypes.VarBinary, collations.CollationBinaryID, arg.Nullable(), 0, 0, nil), true
	}
	return evalengine.NewUnknownType(), false
}

// SetType remembers the type of an expression.
func (st *SemTable) SetType(expr sqlparser.Expr, typ evalengine.Type) {
	if isMapKey(expr) {
		st.types[expr] = typ
	}
}

// CopySemanticInfo gives a node that was copied or rewritten what is known of the node it came from. It has the signature that
// sqlparser.CopyOnRewrite calls. Only a column keeps dependencies; those of other expressions follow from their columns.
func (st *SemTable) CopySemanticInfo(from, to sqlparser.SQLNode) {
	switch from := from.(type) {
	case *sqlparser.Union:
		if to, ok := to.(*sqlparser.Union); ok {
			st.unions[to] = st.unions[from]
		}
	case sqlparser.Expr:
		to, ok := to.(sqlparser.Expr)
		if !ok || !isMapKey(from) || !isMapKey(to) {
			return
		}
		if _, isCol := to.(*sqlparser.ColName); isCol {
			st.CopyDeps(from, to)
			return
		}
		st.CopyType(from, to)
	}
}

// CopyType gives to the type of from.
func (st *SemTable) CopyType(from, to sqlparser.Expr) {
	if typ, ok := st.types[from]; ok {
		st.types[to] = typ
	}
}

// CopyDeps gives to the dependencies and the type of from.
func (st *SemTable) CopyDeps(from, to sqlparser.Expr) {
	if !isMapKey(from) || !isMapKey(to) {
		return
	}
	if ts, ok := st.recursive[from]; ok {
		st.recursive[to] = ts
	}
	if ts, ok := st.direct[from]; ok {
		st.direct[to] = ts
	}
	st.CopyType(from, to)
}

// Clone copies a node and everything known of the expressions in it. Nodes whose children were copied are copies already; to
// copy them once more would lose what is known of the children.
func Clone[T sqlparser.SQLNode](st *SemTable, node T) T {
	originals := map[sqlparser.Expr]bool{}
	return sqlparser.CopyOnRewrite(node, func(node, _ sqlparser.SQLNode) bool {
		if e, ok := node.(sqlparser.Expr); ok && isMapKey(e) {
			originals[e] = true
		}
		return true
	}, func(c *sqlparser.CopyOnWriteCursor) {
		if e, ok := c.Node().(sqlparser.Expr); ok && isMapKey(e) && originals[e] {
			c.Replace(sqlparser.Clone(e))
		}
	}, st.CopySemanticInfo).(T)
}

// SelectExprs are the columns that a SELECT or UNION returns. A union's columns are its own: named as the first SELECT's, with
// types and dependencies of all of them.
func (st *SemTable) SelectExprs(stmt sqlparser.TableStatement) []sqlparser.SelectExpr {
	switch stmt := stmt.(type) {
	case *sqlparser.Select:
		return stmt.GetColumns()
	case *sqlparser.Union:
		if exprs, ok := st.unions[stmt]; ok {
			return exprs
		}
		for union, exprs := range st.unions {
			if sqlparser.Equals.SelectStatement(union, stmt) {
				return exprs
			}
		}
	}
	panic(vterrors.VT13001(fmt.Sprintf("no columns known of %T", stmt)))
}

// Equals tells whether two expressions are the same, columns by the table they come from and not by how they are qualified.
func (st *SemTable) Equals(a, b sqlparser.Expr) bool { return st.astComparator().Expr(a, b) }

// EqualsWithDeps is Equals for expressions that also come from the same tables, where that is known of both.
func (st *SemTable) EqualsWithDeps(a, b sqlparser.Expr) bool {
	if !st.Equals(a, b) {
		return false
	}
	da, db := st.RecursiveDeps(a), st.RecursiveDeps(b)
	return da.IsEmpty() || db.IsEmpty() || da == db
}

func (st *SemTable) astComparator() *sqlparser.Comparator {
	if st.comparator == nil {
		st.comparator = &sqlparser.Comparator{RefOfColName_: st.sameColumn}
	}
	return st.comparator
}

func (st *SemTable) sameColumn(a, b *sqlparser.ColName) bool {
	da, db := st.RecursiveDeps(a), st.RecursiveDeps(b)
	if da != db && (da.IsEmpty() || db.IsEmpty()) {
		return sqlparser.Equals.RefOfColName(a, b)
	}
	return da == db && a.Name.Equal(b.Name)
}

// And joins expressions by AND, leaving out nils and repeats. It is nil if nothing is left.
func (st *SemTable) And(exprs ...sqlparser.Expr) sqlparser.Expr {
	if len(exprs) == 1 {
		return exprs[0]
	}
	var all sqlparser.Expr
	var used []sqlparser.Expr
	for _, e := range exprs {
		if e == nil || st.containsExpr(used, e) {
			continue
		}
		used = append(used, e)
		if all == nil {
			all = e
			continue
		}
		all = &sqlparser.AndExpr{Left: all, Right: e}
	}
	return all
}

// Contains tells whether expr is among exprs.
func (st *SemTable) Contains(exprs []sqlparser.Expr, expr sqlparser.Expr) bool {
	return st.containsExpr(exprs, expr)
}

func (st *SemTable) containsExpr(exprs []sqlparser.Expr, expr sqlparser.Expr) bool {
	for _, e := range exprs {
		if st.Equals(e, expr) {
			return true
		}
	}
	return false
}

// AddEquality notes that a predicate makes a and b equal in every row of the result.
func (st *SemTable) AddEquality(a, b sqlparser.Expr) {
	ga, gb := st.equalityGroup(a), st.equalityGroup(b)
	switch {
	case ga < 0 && gb < 0:
		st.equalities = append(st.equalities, []sqlparser.Expr{a, b})
	case ga < 0:
		st.equalities[gb] = append(st.equalities[gb], a)
	case gb < 0:
		st.equalities[ga] = append(st.equalities[ga], b)
	case ga != gb:
		if len(st.equalities[ga]) < len(st.equalities[gb]) {
			ga, gb = gb, ga
		}
		st.equalities[ga] = append(st.equalities[ga], st.equalities[gb]...)
		st.equalities[gb] = nil
	}
}

func (st *SemTable) equalityGroup(expr sqlparser.Expr) int {
	for i, group := range st.equalities {
		for _, e := range group {
			if st.EqualsWithDeps(e, expr) {
				return i
			}
		}
	}
	return -1
}

// EqualExprs lists expr and what predicates made equal to it, expr first.
func (st *SemTable) EqualExprs(expr sqlparser.Expr) []sqlparser.Expr {
	out := []sqlparser.Expr{expr}
	if g := st.equalityGroup(expr); g >= 0 {
		out = append(out, st.equalities[g]...)
	}
	return out
}

// RewriteDerived replaces the columns of a derived table in expr by what they stand for inside of it.
func RewriteDerived(expr sqlparser.Expr, table *TableInfo) sqlparser.Expr {
	return sqlparser.CopyOnRewrite(expr, nil, func(c *sqlparser.CopyOnWriteCursor) {
		col, ok := c.Node().(*sqlparser.ColName)
		if !ok {
			return
		}
		if inner, err := table.ExprFor(col.Name.String()); err == nil {
			c.Replace(inner)
			return
		}
		bare := *col
		bare.Qualifier = sqlparser.TableName{}
		c.Replace(&bare)
	}, nil).(sqlparser.Expr)
}

// SingleUnshardedKeyspace returns the keyspace to which the statement can go as it is, with the tables it uses there;
// nil if there is no such keyspace. Reference tables and dual are everywhere.
func (st *SemTable) SingleUnshardedKeyspace() (*vindexes.Keyspace, []*vindexes.Table) {
	return singleUnshardedKeyspace(st.Tables)
}

func singleUnshardedKeyspace(tables []*TableInfo) (*vindexes.Keyspace, []*vindexes.Table) {
	var ks *vindexes.Keyspace
	var used []*vindexes.Table
	for _, t := range tables {
		switch {
		case t.Kind == DerivedTable:
			continue
		case t.VTable == nil || t.Kind == VindexTable:
			return nil, nil
		case t.VTable.Type == vindexes.TypeReference:
		case t.VTable.Type != "" || t.VTable.Keyspace.Sharded || t.isRouted():
			return nil, nil
		case ks == nil:
			ks = t.VTable.Keyspace
		case ks != t.VTable.Keyspace:
			return nil, nil
		}
		used = append(used, t.VTable)
	}
	return ks, used
}

// isRouted tells whether a routing rule gave the table another name than the statement uses.
func (t *TableInfo) isRouted() bool {
	name, ok := t.AST.Expr.(sqlparser.TableName)
	return !ok || name.Name.String() != t.VTable.Name.String()
}
