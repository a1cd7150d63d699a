package sqlengine

import (
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

// bindExpressions turns bind variables into literals for the engine's binder. List bind variables become one literal per
// value, named as engineText names them.
func (s *sqlSession) bindExpressions(binds map[string]*querypb.BindVariable) (map[string]sql.Expression, error) {
	exprs := make(map[string]sql.Expression, len(binds))
	for name, bv := range binds {
		if bv.Type == querypb.Type_TUPLE {
			for i, v := range bv.Values {
				if err := s.bindItem(exprs, listItem(name, i), sqltypes.ProtoToValue(v)); err != nil {
					return nil, err
				}
			}
			continue
		}
		e, err := s.literal(bv.Type, bv.Value)
		if err != nil {
			return nil, err
		}
		exprs[name] = e
	}
	return exprs, nil
}

// bindItem binds a value of a list, which may be a tuple.
func (s *sqlSession) bindItem(exprs map[string]sql.Expression, name string, v sqltypes.Value) error {
	if v.Type() == querypb.Type_TUPLE {
		var failed error
		n := 0
		err := v.ForEachValue(func(part sqltypes.Value) {
			if err := s.bindItem(exprs, listItem(name, n), part); err != nil {
				failed = err
			}
			n++
		})
		return errors.Join(failed, err)
	}
	e, err := s.literal(v.Type(), v.Raw())
	exprs[name] = e
	return err
}

// arity returns how many values a list's values have, 0 if they are no tuples.
func arity(bv *querypb.BindVariable) int {
	n := 0
	if v := sqltypes.ProtoToValue(bv.Values[0]); v.Type() == querypb.Type_TUPLE {
		_ = v.ForEachValue(func(sqltypes.Value) { n++ })
	}
	return n
}

// literal makes the expression that the value would be if it stood in the text.
func (s *sqlSession) literal(typ querypb.Type, value []byte) (sql.Expression, error) {
	v, t, err := s.bindValue(typ, value)
	if err != nil {
		return nil, err
	}
	lit := expression.NewLiteral(v, t)
	if typ == querypb.Type_DECIMAL {
		return exactLiteral{lit}, nil
	}
	return lit, nil
}

// exactLiteral is a decimal until it is settled: the binder would round one that a decimal column is compared with to the column's
// digits.
type exactLiteral struct{ *expression.Literal }

// bareLiteral returns the literal that an expression is.
func bareLiteral(e sql.Expression) (*expression.Literal, bool) {
	if exact, ok := e.(exactLiteral); ok {
		return exact.Literal, true
	}
	lit, ok := e.(*expression.Literal)
	return lit, ok
}

// bindValue returns the Go value and the type of a bind variable. Quoted types are strings in the connection's collation,
// whatever they are called: a text protocol sends them so.
func (s *sqlSession) bindValue(typ querypb.Type, value []byte) (any, sql.Type, error) {
	text := string(value)
	switch {
	case typ == querypb.Type_NULL_TYPE:
		return nil, types.Null, nil
	case sqltypes.IsSigned(typ) || typ == querypb.Type_YEAR:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, nil, badBind(typ, text)
		}
		return n, types.Int64, nil
	case sqltypes.IsUnsigned(typ):
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, nil, badBind(typ, text)
		}
		return n, types.Uint64, nil
	case sqltypes.IsFloat(typ):
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, nil, badBind(typ, text)
		}
		return f, types.Float64, nil
	case typ == querypb.Type_DECIMAL:
		return decimalLiteral(text)
	case typ == querypb.Type_HEXNUM, typ == querypb.Type_HEXVAL, typ == querypb.Type_BITNUM:
		return bitsLiteral(typ, text)
	}
	return text, s.textLiteralType(len(text)), nil
}

func badBind(typ querypb.Type, text string) error {
	return mysqlError(1105, "HY000", "bind variable of type %s has the value %q", typ, text)
}

func (s *sqlSession) textLiteralType(length int) sql.Type {
	coll := s.GetCollation()
	if coll == defaultCollation {
		return defaultTextType
	}
	return types.CreateLongText(coll)
}

var defaultTextType = types.CreateLongText(defaultCollation)

func decimalLiteral(text string) (any, sql.Type, error) {
	d, err := decimal.NewFromString(text)
	if err != nil {
		return nil, nil, badBind(querypb.Type_DECIMAL, text)
	}
	scale := 0
	digits := strings.TrimLeft(text, "+-0")
	if _, fraction, ok := strings.Cut(text, "."); ok {
		scale = len(fraction)
	}
	precision := len(strings.Replace(digits, ".", "", 1))
	if precision < scale {
		precision = scale
	}
	t, err := types.CreateDecimalType(uint8(min(max(precision, 1), decimalDigitsMax)), uint8(min(scale, decimalScaleMax)))
	return d, t, err
}

// bitsLiteral is a hexadecimal or bit literal: 0x41, x'41' or 0b101.
func bitsLiteral(typ querypb.Type, text string) (any, sql.Type, error) {
	var raw []byte
	switch typ {
	case querypb.Type_BITNUM:
		if strings.Trim(strings.TrimPrefix(text, "0b"), "01") != "" {
			return nil, nil, badBind(typ, text)
		}
		raw = bitBytes(text)
	default:
		digits := strings.TrimPrefix(strings.TrimPrefix(text, "0x"), "0X")
		digits = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(digits, "x'"), "X'"), "'")
		if len(digits)%2 == 1 {
			digits = "0" + digits
		}
		var err error
		if raw, err = hex.DecodeString(digits); err != nil {
			return nil, nil, badBind(typ, text)
		}
	}
	return raw, types.LongBlob, nil
}

// literalDecimalType is the type of decimal_literal('1.25'), which stands for 1.25 until it is settled, see exactLiteral.
func literalDecimalType(args []sql.Expression) sql.Type {
	text, err := args[0].Eval(nil, nil)
	if err == nil {
		if _, typ, err := decimalLiteral(shownText(text)); err == nil {
			return typ
		}
	}
	return types.InternalDecimalType
}

func exactDecimalOf(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	v, _, err := decimalLiteral(shownText(args[0]))
	return v, err
}
