package planner

import (
	"fmt"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/sysvars"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine"
)

// setBuilder plans SET. Expressions that the gateway cannot evaluate become columns of one query to a shard.
type setBuilder struct {
	*builder
	asked []sqlparser.Expr
}

func (b *builder) set(stmt *sqlparser.Set) (planned, error) {
	sb := &setBuilder{builder: b}
	set := &engine.Set{Input: &engine.SingleRow{}}
	for _, expr := range stmt.Exprs {
		op, err := sb.op(expr)
		if err != nil {
			return planned{}, err
		}
		set.Ops = append(set.Ops, op)
	}
	if len(sb.asked) > 0 {
		p, err := b.pc.anywhere()
		if err != nil {
			return planned{}, err
		}
		columns := make([]string, len(sb.asked))
		for i, expr := range sb.asked {
			columns[i] = sqlparser.String(expr)
		}
		set.Input = p.send("select "+strings.Join(columns, ",")+" from dual", true)
	}
	return planned{primitive: set}, nil
}

// op plans one assignment.
func (sb *setBuilder) op(expr *sqlparser.SetExpr) (engine.SetOp, error) {
	name := expr.Var.Name.Lowered()
	switch expr.Var.Scope {
	case sqlparser.VariableScope:
		value, err := sb.translate(expr.Expr)
		return &engine.UserDefinedVariable{Name: name, Expr: value}, err
	case sqlparser.GlobalScope:
		return sb.checkAndIgnore(expr, true)
	case sqlparser.VitessMetadataScope:
		value, err := metadataValue(expr)
		return &engine.VitessMetadata{Name: name, Value: value}, err
	case sqlparser.NextTxScope:
		sb.warnings = append(sb.warnings, &querypb.QueryWarning{Message: "converted 'next transaction' scope to 'session' scope"})
	}
	return sb.systemVariable(name, expr)
}

// systemVariable plans a system variable by what Vitess does with it.
func (sb *setBuilder) systemVariable(name string, expr *sqlparser.SetExpr) (engine.SetOp, error) {
	for _, kind := range []struct {
		variables []sysvars.SystemVariable
		plan      func(*sqlparser.SetExpr, sysvars.SystemVariable) (engine.SetOp, error)
	}{
		{sysvars.ReadOnly, readOnly},
		{sysvars.IgnoreThese, ignore},
		{sysvars.UseReservedConn, sb.onShards},
		{sysvars.CheckAndIgnore, sb.checked},
		{sysvars.NotSupported, notSupported},
		{sysvars.VitessAware, sb.aware},
	} {
		for _, variable := range kind.variables {
			if variable.Name == name {
				return kind.plan(expr, variable)
			}
		}
	}
	return nil, vterrors.VT05006(sqlparser.String(expr))
}

func readOnly(expr *sqlparser.SetExpr, _ sysvars.SystemVariable) (engine.SetOp, error) {
	return nil, vterrors.VT03010(expr.Var.Name)
}

func notSupported(expr *sqlparser.SetExpr, _ sysvars.SystemVariable) (engine.SetOp, error) {
	return nil, vterrors.VT12001(fmt.Sprintf("system setting: %s", expr.Var.Name))
}

func ignore(expr *sqlparser.SetExpr, variable sysvars.SystemVariable) (engine.SetOp, error) {
	text, err := settingText(expr, variable.IsBoolean)
	return &engine.SysVarIgnore{Name: expr.Var.Name.Lowered(), Expr: text}, err
}

func (sb *setBuilder) checked(expr *sqlparser.SetExpr, variable sysvars.SystemVariable) (engine.SetOp, error) {
	return sb.checkAndIgnore(expr, variable.IsBoolean)
}

// checkAndIgnore compares a setting with what one shard has.
func (sb *setBuilder) checkAndIgnore(expr *sqlparser.SetExpr, boolean bool) (engine.SetOp, error) {
	one, err := sb.showAnywhere("")
	if err != nil {
		return nil, err
	}
	text, err := settingText(expr, boolean)
	send := one.(*engine.Send)
	return &engine.SysVarCheckAndIgnore{
		Name: expr.Var.Name.Lowered(), Keyspace: send.Keyspace, TargetDestination: send.TargetDestination, Expr: text,
	}, err
}

// onShards plans a variable that the session's connections to shards must have.
func (sb *setBuilder) onShards(expr *sqlparser.SetExpr, variable sysvars.SystemVariable) (engine.SetOp, error) {
	if sb.pc.SysVarSetDisabled {
		return sb.checkAndIgnore(expr, variable.IsBoolean)
	}
	ks, err := sb.pc.AnyKeyspace()
	if err != nil {
		return nil, err
	}
	text, err := settingText(expr, variable.IsBoolean)
	switch variable.Case {
	case sysvars.SCUpper:
		text = strings.ToUpper(text)
	case sysvars.SCLower:
		text = strings.ToLower(text)
	}
	return &engine.SysVarReservedConn{
		Name: expr.Var.Name.Lowered(), Keyspace: ks, TargetDestination: sb.pc.Destination, Expr: text, SupportSetVar: variable.SupportSetVar,
	}, err
}

// aware plans a variable that the gateway itself acts on.
func (sb *setBuilder) aware(expr *sqlparser.SetExpr, variable sysvars.SystemVariable) (op engine.SetOp, err error) {
	source := expr.Expr
	if _, isDefault := source.(*sqlparser.Default); isDefault {
		if variable.Default == "" {
			return nil, defaultOf(expr)
		}
		if source, err = sb.pc.Env.Parser().ParseExpr(variable.Default); err != nil {
			return nil, err
		}
	}
	value, ok := word(source, variable)
	if !ok {
		if value, err = sb.translate(source); err != nil {
			return nil, err
		}
	}
	return &engine.SysVarSetAware{Name: expr.Var.Name.Lowered(), Expr: value}, nil
}

// word reads on and off of a switch, and the bare words that some variables take.
func word(expr sqlparser.Expr, variable sysvars.SystemVariable) (evalengine.Expr, bool) {
	if on, ok := onOrOff(expr); ok && variable.IsBoolean {
		if on {
			return evalengine.NewLiteralInt(1), true
		}
		return evalengine.NewLiteralInt(0), true
	}
	col, ok := expr.(*sqlparser.ColName)
	if !ok || !variable.IdentifierAsString {
		return nil, false
	}
	return evalengine.NewLiteralString([]byte(col.Name.Lowered()), collations.SystemCollation), true
}

// onOrOff reads the words that stand for 1 and 0, bare or as a text.
func onOrOff(expr sqlparser.Expr) (on, ok bool) {
	text := ""
	switch expr := expr.(type) {
	case *sqlparser.Literal:
		if expr.Type == sqlparser.StrVal {
			text = strings.ToLower(expr.Val)
		}
	case *sqlparser.ColName:
		text = expr.Name.Lowered()
	}
	return text == "on", text == "on" || text == "off"
}

// translate makes an expression of the gateway, or a column of the query to a shard where it can not.
func (sb *setBuilder) translate(expr sqlparser.Expr) (evalengine.Expr, error) {
	value, err := evalengine.Translate(expr, &evalengine.Config{Collation: sb.pc.ConnCollation(), Environment: sb.pc.Env})
	if err == nil || !strings.Contains(err.Error(), evalengine.ErrTranslateExprNotSupported) {
		return value, err
	}
	sb.asked = append(sb.asked, expr)
	return evalengine.NewColumn(len(sb.asked)-1, evalengine.Type{}, nil), nil
}

// settingText is a setting as SQL for a shard. Bare words become texts, but for on and off.
func settingText(expr *sqlparser.SetExpr, boolean bool) (string, error) {
	on, isSwitch := onOrOff(expr.Expr)
	switch node := expr.Expr.(type) {
	case *sqlparser.Default:
		return "", defaultOf(expr)
	case *sqlparser.ColName:
		if !isSwitch {
			return "'" + sqlparser.String(node) + "'", nil
		}
	default:
		if !isSwitch || !boolean {
			return sqlparser.String(node), nil
		}
	}
	if on {
		return "1", nil
	}
	return "0", nil
}

func defaultOf(expr *sqlparser.SetExpr) error {
	return vterrors.VT12001(fmt.Sprintf("DEFAULT for @@%s", expr.Var.Name))
}

// metadataValue is the text a metadata variable is set to. VT03009 for what is none, VT03011 and VT03012 for what has no value here.
func metadataValue(expr *sqlparser.SetExpr) (string, error) {
	switch node := expr.Expr.(type) {
	case *sqlparser.Literal:
		if node.Type == sqlparser.StrVal {
			return strings.ToLower(node.Val), nil
		}
		if node.Type != sqlparser.IntVal && node.Type != sqlparser.FloatVal && node.Type != sqlparser.DecimalVal {
			return "", vterrors.VT03011(sqlparser.String(node))
		}
		return "", vterrors.VT03009(expr.Var.Name, node.Val)
	case *sqlparser.ColName:
		return node.Name.String(), nil
	case *sqlparser.Default:
		return "default", nil
	case sqlparser.BoolVal, *sqlparser.NullVal:
		return "", vterrors.VT03009(expr.Var.Name, sqlparser.String(node))
	default:
		return "", vterrors.VT03012(sqlparser.String(node))
	}
}
