package gateway

import (
	"context"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// filter applies the LIKE or WHERE of a SHOW to rows made here. LIKE looks at the first column.
func (s *Session) filter(result *sqltypes.Result, filter *sqlparser.ShowFilter) (*sqltypes.Result, error) {
	switch {
	case filter == nil:
		return result, nil
	case filter.Filter != nil:
		return s.filterWhere(result, filter.Filter)
	case filter.Like == "":
		return result, nil
	}
	pattern := sqlparser.LikeToRegexp(filter.Like)
	kept := []sqltypes.Row{}
	for _, row := range result.Rows {
		if pattern.MatchString(row[0].ToString()) {
			kept = append(kept, row)
		}
	}
	result.Rows = kept
	return result, nil
}

func (s *Session) filterWhere(result *sqltypes.Result, where sqlparser.Expr) (*sqltypes.Result, error) {
	expr, err := evalengine.Translate(where, &evalengine.Config{
		Collation:   s.collation(),
		Environment: s.gateway.env,
		SQLMode:     evalengine.ParseSQLMode(s.SQLMode()),
		ResolveColumn: func(col *sqlparser.ColName) (int, error) {
			for i, field := range result.Fields {
				if col.Name.EqualString(field.Name) {
					return i, nil
				}
			}
			return 0, sqlerror.NewSQLErrorf(sqlerror.ERBadFieldError, sqlerror.SSBadFieldError,
				"Unknown column '%s' in 'where clause'", col.Name.String())
		},
		ResolveType: func(e sqlparser.Expr) (evalengine.Type, bool) {
			if _, ok := e.(*sqlparser.ColName); !ok {
				return evalengine.Type{}, false
			}
			return evalengine.NewType(querypb.Type_VARCHAR, s.collation()), true
		},
	})
	if err != nil {
		return nil, err
	}
	env := evalengine.NewExpressionEnv(context.Background(), nil, s)
	kept := []sqltypes.Row{}
	for _, row := range result.Rows {
		env.Row = row
		value, err := env.Evaluate(expr)
		if err != nil {
			return nil, err
		}
		if value.ToBoolean() {
			kept = append(kept, row)
		}
	}
	result.Rows = kept
	return result, nil
}
