package engine

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// summandOf returns what gives SUM the number of a value of a type, nil where the value is one: dates and times are those they are
// written with, '-01:30:00.5' is -13000.5; bits are an integer, and members of ENUM and SET their places.
func summandOf(source querypb.Type, members *evalengine.EnumSetValues) func(sqltypes.Value) (sqltypes.Value, error) {
	switch source {
	case sqltypes.Date, sqltypes.Time, sqltypes.Datetime, sqltypes.Timestamp:
		return numberOfTime
	case sqltypes.Bit:
		return numberOfBits
	case sqltypes.Enum, sqltypes.Set:
		return func(value sqltypes.Value) (sqltypes.Value, error) { return numberOfMember(value, source, members) }
	}
	return nil
}

func numberOfTime(value sqltypes.Value) (sqltypes.Value, error) {
	text := value.ToString()
	digits := strings.NewReplacer("-", "", ":", "", " ", "").Replace(text)
	if strings.HasPrefix(text, "-") {
		digits = "-" + digits
	}
	return sqltypes.NewDecimal(digits), nil
}

func numberOfBits(value sqltypes.Value) (sqltypes.Value, error) {
	n := uint64(0)
	for _, b := range value.Raw() {
		n = n<<8 | uint64(b)
	}
	return sqltypes.NewDecimal(strconv.FormatUint(n, 10)), nil
}

func numberOfMember(value sqltypes.Value, source querypb.Type, members *evalengine.EnumSetValues) (sqltypes.Value, error) {
	if members == nil {
		return sqltypes.NULL, vterrors.VT12001("sum of " + strings.ToLower(source.String()) + " whose members are not known, over shards")
	}
	place := func(name string) int {
		for i, m := range *members {
			if strings.EqualFold(strings.Trim(m, "'"), name) {
				return i + 1
			}
		}
		return 0
	}
	text := value.ToString()
	if source == sqltypes.Enum {
		return sqltypes.NewFloat64(float64(place(text))), nil
	}
	bits := uint64(0)
	if text != "" {
		for name := range strings.SplitSeq(text, ",") {
			if at := place(name); at > 0 {
				bits |= 1 << (at - 1)
			}
		}
	}
	return sqltypes.NewFloat64(float64(bits)), nil
}
