package sqlengine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
)

// procedureVariable is a local variable or parameter, or a column of NEW or OLD. Its value is as its type keeps it.
type procedureVariable struct {
	name  string
	typ   sql.Type
	value sqltypes.Value
	row   *triggerRow // has the value at a position, nil for local variables
	at    int
}

// named finds the variable that a name means, nil for none.
func (r *procedureRun) named(col *sqlparser.ColName) *procedureVariable {
	switch row := col.Qualifier.Name.String(); {
	case row == "":
		return r.variable(col.Name.String())
	case col.Qualifier.Qualifier.IsEmpty():
		return r.rowVariable(row, col.Name.String())
	}
	return nil
}

// bind names the variable's bind variable.
func (v *procedureVariable) bind() string {
	if v.row != nil {
		return v.row.name + "_" + strconv.Itoa(v.at)
	}
	return "local_" + strings.ToLower(v.name)
}

// variable finds a local variable by its name, the innermost of several.
func (r *procedureRun) variable(name string) *procedureVariable {
	for i := len(r.scopes) - 1; i >= 0; i-- {
		if v := r.scopes[i].variables[strings.ToLower(name)]; v != nil {
			return v
		}
	}
	return nil
}

// timeTypes are the types of values that are no texts, though they come as such.
var timeTypes = map[querypb.Type]sql.Type{
	querypb.Type_DATE: types.Date, querypb.Type_DATETIME: types.DatetimeMaxPrecision, querypb.Type_TIMESTAMP: types.DatetimeMaxPrecision,
	querypb.Type_TIME: types.Time,
}

// assign gives a variable a value, as a column is given one.
func (r *procedureRun) assign(v *procedureVariable, value sqltypes.Value) error {
	if value.IsNull() {
		return r.keep(v, nil)
	}
	s := r.session.sql
	given, from, err := s.bindValue(value.Type(), value.Raw())
	if typ, isTime := timeTypes[value.Type()]; isTime && err == nil {
		from = typ
		given, _, err = from.Convert(sql.NewContext(r.ctx, sql.WithSession(s)), given)
	}
	if err != nil {
		return err
	}
	s.givenRow = 1
	target := assignTarget{s: s, ctx: r.ctx, column: v.name, typ: v.typ, lenient: !s.strict()}
	kept, err := target.assign(given, from)
	if err != nil {
		return err
	}
	if span, isSpan := kept.(types.Timespan); isSpan {
		kept = roundTimespan(span, timeDigits(v.typ))
	}
	return r.keep(v, kept)
}

// keep gives a variable a value as a row of a table has it.
func (r *procedureRun) keep(v *procedureVariable, kept any) (err error) {
	if v.row != nil {
		v.row.row[v.at] = kept
		return nil
	}
	v.value, err = r.shown(v.typ, kept)
	return err
}

// read returns the value of a variable.
func (r *procedureRun) read(v *procedureVariable) (sqltypes.Value, error) {
	if v.row != nil {
		return r.shown(v.typ, v.row.row[v.at])
	}
	return v.value, nil
}

// shown turns a value that a row of a table has into one of a result.
func (r *procedureRun) shown(typ sql.Type, kept any) (sqltypes.Value, error) {
	if kept == nil {
		return sqltypes.NULL, nil
	}
	if n, isBits := kept.(uint64); isBits {
		if _, isBit := typ.(types.BitType); isBit {
			return sqltypes.NewUint64(n), nil
		}
	}
	conv := newConverter(typ)
	return conv.value(sql.NewContext(r.ctx, sql.WithSession(r.session.sql)), kept)
}

// variableType is the type a variable is declared with.
func variableType(declared dolt.ColumnType) (sql.Type, error) {
	declared.EnumValues = slices.Clone(declared.EnumValues) // the engine writes to it
	typ, err := types.ColumnTypeToType(&declared)
	if _, isTime := typ.(types.TimeType); isTime && declared.Length != nil {
		digits, _ := strconv.Atoi(string(declared.Length.Val))
		typ = preciseTime{TimeType: types.Time, digits: int32(min(digits, 6))}
	}
	return typ, err
}

func (r *procedureRun) declareVariables(d *dolt.DeclareVariables) error {
	typ, err := variableType(d.VarType)
	if err != nil {
		return err
	}
	value := sqltypes.NULL
	if d.VarType.Default != nil {
		if value, err = r.value(d.VarType.Default); err != nil {
			return err
		}
	}
	scope := r.scopes[len(r.scopes)-1]
	if scope.variables == nil {
		scope.variables = make(map[string]*procedureVariable)
	}
	for _, name := range d.Names {
		if scope.variables[name.Lowered()] != nil {
			return mysqlError(1331, "42000", "Duplicate variable: %s", name.String())
		}
		v := &procedureVariable{name: name.String(), typ: typ}
		if err := r.assign(v, value); err != nil {
			return err
		}
		scope.variables[name.Lowered()] = v
	}
	return nil
}

// bound replaces the names of variables in a statement or expression by bind variables. A variable comes before a column of its
// name, as in MySQL.
func (r *procedureRun) bound(node sqlparser.SQLNode, binds map[string]*querypb.BindVariable) (bound sqlparser.SQLNode, err error) {
	bound = sqlparser.CopyOnRewrite(r.aliased(node), nil, func(c *sqlparser.CopyOnWriteCursor) {
		col, ok := c.Node().(*sqlparser.ColName)
		if !ok {
			return
		}
		if set, isSet := c.Parent().(*sqlparser.UpdateExpr); isSet && set.Name == col {
			return
		}
		if v := r.named(col); v != nil {
			value, readErr := r.read(v)
			if readErr != nil {
				err = readErr
			}
			binds[v.bind()] = sqltypes.ValueBindVariable(value)
			c.Replace(v.bound(v.bind()))
		}
	}, nil)
	return bound, err
}

// aliased gives selected expressions with variables the names they have in the procedure.
func (r *procedureRun) aliased(node sqlparser.SQLNode) sqlparser.SQLNode {
	return sqlparser.CopyOnRewrite(node, nil, func(c *sqlparser.CopyOnWriteCursor) {
		a, ok := c.Node().(*sqlparser.AliasedExpr)
		if !ok || a.As.NotEmpty() || !r.usesVariable(a.Expr) {
			return
		}
		name := expressionName(a.Expr, nil)
		if col, isColumn := a.Expr.(*sqlparser.ColName); isColumn {
			name = col.Name.String()
		}
		c.Replace(&sqlparser.AliasedExpr{Expr: a.Expr, As: sqlparser.NewIdentifierCI(name)})
	}, nil)
}

func (r *procedureRun) usesVariable(e sqlparser.Expr) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		col, ok := node.(*sqlparser.ColName)
		found = found || ok && r.named(col) != nil
		return !found, nil
	}, e)
	return found
}

// bound is the variable as a bind variable, cast to its type where that is no text's or number's.
func (v *procedureVariable) bound(name string) sqlparser.Expr {
	argument := sqlparser.NewArgument(name)
	cast := &sqlparser.ConvertType{}
	switch t := v.typ.(type) {
	case sql.DatetimeType:
		cast.Type = "date"
		if !types.IsDateType(t) {
			digits := t.Precision()
			cast.Type, cast.Length = "datetime", &digits
		}
	case types.TimeType:
		digits := int(timeDigits(t))
		cast.Type, cast.Length = "time", &digits
	case types.JsonType:
		cast.Type = "json"
	case sql.StringType:
		// A column has its collation; that of a local variable is the session's.
		if c := t.Collation(); v.row != nil && v.row.row[v.at] != nil && c != defaultCollation && c != sql.Collation_binary {
			return &sqlparser.CollateExpr{Expr: argument, Collation: c.Name()}
		}
		return argument
	default:
		return argument
	}
	if cast.Length != nil && *cast.Length == 0 {
		cast.Length = nil
	}
	return &sqlparser.CastExpr{Expr: argument, Type: cast}
}

// value computes an expression.
func (r *procedureRun) value(e dolt.Expr) (sqltypes.Value, error) {
	result, err := r.query("select " + dolt.String(e) + " from dual")
	if err != nil {
		return sqltypes.NULL, err
	}
	if len(result.Rows) != 1 || len(result.Rows[0]) != 1 {
		return sqltypes.NULL, mysqlError(1241, "21000", "Operand should contain 1 column(s)")
	}
	return result.Rows[0][0], nil
}

// holds computes a condition. NULL is false.
func (r *procedureRun) holds(e dolt.Expr) (yes bool, err error) {
	err = r.quietly(func() error {
		yes, err = r.isTrue(e)
		return err
	})
	return yes, err
}

func (r *procedureRun) isTrue(e dolt.Expr) (bool, error) {
	v, err := r.value(&dolt.FuncExpr{Name: dolt.NewColIdent("if"), Exprs: dolt.SelectExprs{&dolt.AliasedExpr{Expr: e},
		&dolt.AliasedExpr{Expr: dolt.NewIntVal([]byte("1"))}, &dolt.AliasedExpr{Expr: dolt.NewIntVal([]byte("0"))}}})
	return err == nil && v.ToString() == "1", err
}

// set runs SET: of local variables here, of others as a client's.
func (r *procedureRun) set(stmt *dolt.Set) error {
	for _, e := range stmt.Exprs {
		v := r.variable(e.Name.Name.String())
		if row := e.Name.Qualifier.Name.String(); row != "" {
			v = r.rowVariable(row, e.Name.Name.String())
		}
		if v == nil || e.Scope != dolt.SetScope_None {
			text := dolt.String(&dolt.Set{Exprs: dolt.SetVarExprs{e}})
			if e.Scope == dolt.SetScope_User {
				value, err := r.value(e.Expr)
				if err == nil {
					err = r.setUser(e.Name.Name.String(), value)
				}
				if err != nil {
					return err
				}
				continue
			}
			if _, err := r.query(text); err != nil {
				return err
			}
			continue
		}
		value, err := r.value(e.Expr)
		if err == nil {
			err = r.assign(v, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setUser sets @name.
func (r *procedureRun) setUser(name string, value sqltypes.Value) error {
	s := r.session.sql
	v, typ, err := s.bindValue(value.Type(), value.Raw())
	if err != nil {
		return err
	}
	return s.SetUserVariable(nil, strings.TrimPrefix(name, "@"), v, typ)
}

// assignNamed gives a value to a local variable, or to @name.
func (r *procedureRun) assignNamed(name string, value sqltypes.Value) error {
	if strings.HasPrefix(name, "@") {
		return r.setUser(name, value)
	}
	v := r.variable(name)
	if v == nil {
		return mysqlError(1327, "42000", "Undeclared variable: %s", name)
	}
	return r.assign(v, value)
}

// parameters makes the scope of a procedure's parameters. The arguments are the caller's.
func (r *procedureRun) parameters(procedure string, params []dolt.ProcedureParam, args []sqlparser.Expr, binds map[string]*querypb.BindVariable) (*procedureScope, error) {
	scope := &procedureScope{variables: make(map[string]*procedureVariable)}
	for i, p := range params {
		typ, err := variableType(p.Type)
		if err != nil {
			return nil, err
		}
		v := &procedureVariable{name: p.Name, typ: typ, value: sqltypes.NULL}
		scope.variables[strings.ToLower(p.Name)] = v
		if isOut(p) && r.place(args[i]) == nil {
			return nil, mysqlError(1414, "42000", "OUT or INOUT argument %d for routine %s.%s is not a variable or NEW pseudo-variable in BEFORE trigger", i+1, r.session.shard.keyspace, procedure)
		}
		if p.Direction == dolt.ProcedureParamDirection_Out {
			continue
		}
		value, err := r.argument(args[i], binds)
		if err == nil {
			err = r.assign(v, value)
		}
		if err != nil {
			return nil, err
		}
	}
	return scope, nil
}

func isOut(p dolt.ProcedureParam) bool {
	return p.Direction == dolt.ProcedureParamDirection_Out || p.Direction == dolt.ProcedureParamDirection_Inout
}

// argument computes an argument of a CALL.
func (r *procedureRun) argument(e sqlparser.Expr, binds map[string]*querypb.BindVariable) (sqltypes.Value, error) {
	all := make(map[string]*querypb.BindVariable, len(binds))
	for name, b := range binds {
		all[name] = b
	}
	node, err := r.bound(e, all)
	if err != nil {
		return sqltypes.NULL, err
	}
	e = node.(sqlparser.Expr)
	out := &emitter{}
	if err := r.session.execute(r.ctx, "select "+rewrittenText(e)+" from dual", all, out); err != nil {
		return sqltypes.NULL, err
	}
	return out.whole.Rows[0][0], nil
}

// place returns what gives an OUT argument its value: a variable, @name, or a column of NEW before it is written. It is nil for
// other arguments.
func (r *procedureRun) place(e sqlparser.Expr) func(sqltypes.Value) error {
	switch e := e.(type) {
	case *sqlparser.Variable:
		if e.Scope == sqlparser.VariableScope {
			return func(value sqltypes.Value) error { return r.setUser(e.Name.String(), value) }
		}
	case *sqlparser.ColName:
		if v := r.named(e); v != nil && (v.row == nil || v.row.settable) {
			return func(value sqltypes.Value) error { return r.assign(v, value) }
		}
	}
	return nil
}

// giveBack sets the caller's variables to what OUT and INOUT parameters hold.
func (r *procedureRun) giveBack(params []dolt.ProcedureParam, args []sqlparser.Expr, scope *procedureScope) error {
	for i, p := range params {
		if !isOut(p) {
			continue
		}
		if err := r.place(args[i])(scope.variables[strings.ToLower(p.Name)].value); err != nil {
			return err
		}
	}
	return nil
}
