package engine

import (
	"encoding/binary"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Hexadecimal and bit literals are numbers where a column is one, else bytes: 0x20 finds the row with id 32. Evaluated alone
// they are bytes like those of any binary string, which is read as the number it spells; so the literal itself is looked at.

// literalNumber returns the number that a literal of bytes is for a column of the type, and the value itself for all else.
func literalNumber(typ querypb.Type, expr evalengine.IR, bindVars BindVars, value sqltypes.Value) sqltypes.Value {
	if value.Type() != sqltypes.VarBinary || !sqltypes.IsIntegral(typ) {
		return value
	}
	if variable, ok := expr.(*evalengine.BindVariable); ok {
		if given := bindVars[variable.Key]; given != nil && isLiteralBytes(given.Type) {
			return numberOfBytes(value)
		}
	}
	return value
}

// literalNumbers is literalNumber for the values of a tuple. The input is not changed.
func literalNumbers(typ querypb.Type, expr evalengine.IR, bindVars BindVars, values []sqltypes.Value) []sqltypes.Value {
	if !sqltypes.IsIntegral(typ) {
		return values
	}
	out := values
	for i, value := range values {
		if value.Type() != sqltypes.VarBinary {
			continue
		}
		number := value
		switch expr := expr.(type) {
		case evalengine.TupleExpr:
			number = literalNumber(typ, expr[i], bindVars, value)
		case *evalengine.BindVariable:
			if list := bindVars[expr.Key]; list != nil && isLiteralBytes(list.Values[i].Type) {
				number = numberOfBytes(value)
			}
		}
		if number.Type() == value.Type() {
			continue
		}
		if &out[0] == &values[0] {
			out = append([]sqltypes.Value(nil), values...)
		}
		out[i] = number
	}
	return out
}

// isLiteralBytes tells whether a bind variable of the type is a hexadecimal or bit literal.
func isLiteralBytes(typ querypb.Type) bool {
	return typ == sqltypes.HexNum || typ == sqltypes.HexVal || typ == sqltypes.BitNum
}

// numberOfBytes reads up to eight bytes as a number; what is longer stays as it is.
func numberOfBytes(value sqltypes.Value) sqltypes.Value {
	raw := value.Raw()
	if len(raw) > 8 {
		return value
	}
	var number [8]byte
	copy(number[8-len(raw):], raw)
	return sqltypes.NewUint64(binary.BigEndian.Uint64(number[:]))
}
