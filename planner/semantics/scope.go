package semantics

import (
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

const (
	varbinary = querypb.Type_VARBINARY
	nullType  = querypb.Type_NULL_TYPE
)

type (
	// scope holds what the names of one query block can mean; parent is the query block around it.
	scope struct {
		parent *scope
		tables []*TableInfo
		// using maps columns that USING joined, in lower case, to the tables that share them.
		using   map[string]TableSet
		ctes    map[string]*cte
		windows map[string]bool
	}

	// cte is a common table expression: a query to be put in its name's place or, in the term of a recursion, the work table.
	cte struct {
		name      sqlparser.IdentifierCS
		query     sqlparser.TableStatement
		columns   sqlparser.Columns
		recursive bool

		work *Recursion      // nil: not in the term
		seed []derivedColumn // the work table's columns
	}

	// resolution says what a column name means in one table or one scope.
	resolution struct {
		found bool
		// certain is false where a table that may have the column does not tell its columns.
		certain bool
		// ambiguous is set where tables that are known to have the column disagree.
		ambiguous         bool
		direct, recursive TableSet
		typ               evalengine.Type
	}
)

func newScope(parent *scope) *scope {
	return &scope{parent: parent, using: map[string]TableSet{}, ctes: map[string]*cte{}, windows: map[string]bool{}}
}

func (s *scope) addTable(t *TableInfo) error {
	for _, other := range s.tables {
		if other.Name == t.Name {
			return vterrors.VT03013(t.Name)
		}
	}
	s.tables = append(s.tables, t)
	return nil
}

// join takes the tables of a FROM item that was analysed in a scope of its own.
func (s *scope) join(item *scope) error {
	for _, t := range item.tables {
		if err := s.addTable(t); err != nil {
			return err
		}
	}
	for col, ts := range item.using {
		s.using[col] = ts
	}
	return nil
}

func (s *scope) findCTE(name string) *cte {
	for ; s != nil; s = s.parent {
		if c, ok := s.ctes[name]; ok {
			return c
		}
	}
	return nil
}

// merge combines what two tables say of one column. With allowMulti a column may come from both, as USING wants.
func (r resolution) merge(other resolution, allowMulti bool) (resolution, error) {
	switch {
	case !other.found:
		return r, nil
	case !r.found, other.certain && !r.certain:
		return other, nil
	case r.certain && !other.certain, r.recursive == other.recursive:
		return r, nil
	case !r.certain:
		return r, errGuessesDiffer
	}
	r.direct = r.direct.Merge(other.direct)
	r.recursive = r.recursive.Merge(other.recursive)
	r.ambiguous = r.ambiguous || !allowMulti
	return r, nil
}

var errGuessesDiffer = vterrors.VT13001("column may come from more than one table")

// lookup resolves a column among the tables of this scope alone.
func (s *scope) lookup(col *sqlparser.ColName, allowMulti bool) (resolution, error) {
	var found, certain resolution
	guessesDiffer := false
	for _, t := range s.tables {
		if !col.Qualifier.IsEmpty() && !t.matches(col.Qualifier) {
			continue
		}
		r := t.resolve(col.Name.String())
		if r.certain {
			certain, _ = certain.merge(r, allowMulti)
			continue
		}
		var err error
		if found, err = found.merge(r, allowMulti); err != nil {
			guessesDiffer = true
		}
	}
	if certain.found {
		return certain, nil
	}
	if guessesDiffer {
		return resolution{}, unlessSingleRoute(ambiguousColumn{col})
	}
	return found, nil
}

// resolve finds a column in this scope or those around it. Where a column is shared by USING, the first of its tables is
// written into the column.
func (s *scope) resolve(col *sqlparser.ColName, st *SemTable) (resolution, error) {
	r, err := s.search(col, false)
	if err != nil || !r.ambiguous {
		return r, err
	}
	first, ok := s.sharedByUsing(col, r.direct)
	if !ok {
		return r, ambiguousColumn{col}
	}
	info, err := st.Info(first)
	if err != nil {
		return r, err
	}
	col.Qualifier = info.TableName()
	return s.search(col, false)
}

func (s *scope) sharedByUsing(col *sqlparser.ColName, tables TableSet) (TableSet, bool) {
	for ; s != nil; s = s.parent {
		if shared, ok := s.using[col.Name.Lowered()]; ok && tables.IsSolvedBy(shared) {
			return tables.Constituents()[0], true
		}
	}
	return TableSet{}, false
}

func (s *scope) search(col *sqlparser.ColName, allowMulti bool) (resolution, error) {
	var only *sqlparser.TableName
	if s != nil && s.parent == nil && len(s.tables) == 1 && col.Qualifier.IsEmpty() {
		name := s.tables[0].TableName()
		only = &name
	}
	for at := s; at != nil; at = at.parent {
		r, err := at.lookup(col, allowMulti)
		if err != nil || r.found {
			return r, err
		}
	}
	return resolution{}, unlessUnsharded(columnNotFound{col, only})
}
