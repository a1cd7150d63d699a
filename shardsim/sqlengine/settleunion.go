package sqlengine

import (
	"reflect"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// setOp gives the columns of a union MySQL's types. Where types differ, the binder has put a projection that converts over
// both sides: it is replaced by one of ours. before is the union as the binder made it, n the same with settled children.
func (s *settler) setOp(before, n *plan.SetOp) (sql.Node, error) {
	if !isMerge(before) {
		return n, nil
	}
	left, right := n.Left().(*plan.Project), n.Right().(*plan.Project)
	ls, rs := left.Child.Schema(), right.Child.Schema()
	les, res := make([]sql.Expression, len(ls)), make([]sql.Expression, len(rs))
	for i := range ls {
		typ := unify(ls[i].Type, rs[i].Type)
		les[i] = s.column(left.Projections[i], ls[i].Type, typ)
		res[i] = s.column(right.Projections[i], rs[i].Type, typ)
	}
	u, err := n.WithChildren(plan.NewProject(les, left.Child), plan.NewProject(res, right.Child))
	if err != nil {
		return nil, err
	}
	// Above the union the left side's columns stand for both.
	for i, e := range les {
		if id := mergedField(left.Projections[i]).Id(); id != 0 {
			s.known[id] = e.Type()
		}
	}
	return u, nil
}

// column is a side's column as type typ.
func (s *settler) column(e sql.Expression, from, typ sql.Type) sql.Expression {
	f := mergedField(e)
	field := expression.NewGetFieldWithTable(int(f.Id()), int(f.TableId()), from, f.Database(), f.Table(), f.Name(), f.IsNullable())
	alias, named := e.(*expression.Alias)
	if from.Equals(typ) && !named {
		return field
	}
	name := f.Name()
	if named {
		name = alias.Name()
	}
	return expression.NewAlias(name, &converted{child: field, typ: typ})
}

// isMerge reports whether a union's sides are projections that the binder made to convert columns.
func isMerge(u *plan.SetOp) bool {
	left, ok := u.Left().(*plan.Project)
	if !ok {
		return false
	}
	right, ok := u.Right().(*plan.Project)
	if !ok {
		return false
	}
	ls, rs := left.Child.Schema(), right.Child.Schema()
	if len(ls) != len(left.Projections) || len(rs) != len(ls) || len(right.Projections) != len(ls) {
		return false
	}
	found := false
	for i := range ls {
		if !isMerged(left.Projections[i], ls[i]) || !isMerged(right.Projections[i], rs[i]) {
			return false
		}
		_, named := left.Projections[i].(*expression.Alias)
		_, named2 := right.Projections[i].(*expression.Alias)
		if named != named2 || named == reflect.DeepEqual(ls[i].Type, rs[i].Type) {
			return false
		}
		found = found || named && (isConvert(left.Projections[i]) || isConvert(right.Projections[i]))
	}
	return found
}

func isMerged(e sql.Expression, col *sql.Column) bool {
	f := mergedField(e)
	if f == nil || f.TableId() != 0 || f.Name() != col.Name || f.Table() != col.Source {
		return false
	}
	alias, ok := e.(*expression.Alias)
	return !ok || alias.Name() == col.Name
}

// isConvert reports whether a projection of a merge converts: a side that has the common type already does not.
func isConvert(e sql.Expression) bool {
	_, ok := e.(*expression.Alias).Child.(*expression.Convert)
	return ok
}

// mergedField returns the column a projection of a merge is of, nil if it is something else.
func mergedField(e sql.Expression) *expression.GetField {
	if alias, ok := e.(*expression.Alias); ok {
		if e = alias.Child; e == nil {
			return nil
		}
		switch c := e.(type) {
		case *expression.Convert:
			e = c.Child
			if first, ok := e.(*converted); ok { // see castOfDate
				e = first.child
			}
		case *expression.GetField:
		default:
			return nil
		}
	}
	f, _ := e.(*expression.GetField)
	return f
}
