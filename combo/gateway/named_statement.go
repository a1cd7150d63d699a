package gateway

import (
	"context"
	"fmt"
	"strings"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner"
)

// prepareNamed is PREPARE name FROM text: it keeps the text, if it parses.
func (s *Session) prepareNamed(ctx context.Context, stmt *sqlparser.PrepareStmt) error {
	name := stmt.Name.Lowered()
	delete(s.prepared, name)
	value, err := s.preparedText(ctx, stmt.Statement)
	if err != nil {
		return err
	}
	_, params, err := s.Prepare(ctx, value)
	if err != nil {
		return err
	}
	s.prepared[name] = namedStatement{sql: value, params: params}
	return nil
}

// namedStatement is what PREPARE keeps.
type namedStatement struct {
	sql    string
	params int
}

// preparedText is the text, a literal or a user variable.
func (s *Session) preparedText(ctx context.Context, expr sqlparser.Expr) (string, error) {
	if variable, ok := expr.(*sqlparser.Variable); ok {
		bv := s.userVariable(variable.Name.Lowered())
		return string(bv.Value), nil
	}
	value, err := s.valueOf(ctx, expr)
	return value.ToString(), err
}

// executeNamed is EXECUTE name USING @a, @b.
func (s *Session) executeNamed(ctx context.Context, stmt *sqlparser.ExecuteStmt, emit Emit) error {
	named, ok := s.prepared[stmt.Name.Lowered()]
	if !ok {
		return vterrors.VT09011(stmt.Name.String(), "EXECUTE")
	}
	if named.params != len(stmt.Arguments) {
		return sqlerror.NewSQLError(sqlerror.ERWrongArguments, sqlerror.SSUnknownSQLState, "Incorrect arguments to EXECUTE")
	}
	bindVars := make(BindVars, named.params)
	for i, arg := range stmt.Arguments {
		bindVars[fmt.Sprintf("v%d", i+1)] = s.userVariable(arg.Name.Lowered())
	}
	return s.execute(ctx, named.sql, bindVars, emit)
}

// deallocate is DEALLOCATE PREPARE name.
func (s *Session) deallocate(stmt *sqlparser.DeallocateStmt) error {
	name := stmt.Name.Lowered()
	if _, ok := s.prepared[name]; !ok {
		return vterrors.VT09011(stmt.Name.String(), "DEALLOCATE PREPARE")
	}
	delete(s.prepared, name)
	return nil
}

// Prepare returns the fields a statement would give, as far as they can be told without its parameters, and how many
// parameters (?) it has.
func (s *Session) Prepare(ctx context.Context, sql string) (fields []*querypb.Field, params int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := s.begin(sql, cancel); err != nil {
		return nil, 0, err
	}
	defer s.end()
	return s.prepare(ctx, sql)
}

func (s *Session) prepare(ctx context.Context, sql string) (fields []*querypb.Field, params int, err error) {
	stmt, known, err := planner.Parse(s.gateway.env.Parser(), sql)
	if err != nil {
		return nil, 0, parseError(err)
	}
	nulls := BindVars{}
	for name := range known {
		if strings.HasPrefix(name, "v") {
			params++
		}
		nulls[name] = sqltypes.NullBindVariable
	}
	switch stmt.(type) {
	case *sqlparser.Select, *sqlparser.Union:
	default:
		// Writes have no fields, and those of a SHOW come with its rows.
		return nil, params, nil
	}
	n, err := s.normalise(stmt, known, nulls)
	if err != nil {
		return nil, 0, err
	}
	cached, err := s.planOf(n)
	if err != nil {
		return nil, 0, err
	}
	bindVars, err := s.addNeeds(cached.needs, n.bindVars, true)
	if err != nil || cached.plan.Instructions == nil {
		return nil, params, err
	}
	x := &execution{session: s}
	err = s.guarded(cached.plan, func() (err error) {
		fields, err = cached.plan.Instructions.GetFields(ctx, s.newEnv(x), bindVars)
		return err
	})
	if err != nil {
		// NULL parameters may not fit where values will. The fields then come with the first execution.
		return nil, params, nil
	}
	return fields, params, nil
}
