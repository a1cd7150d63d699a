package planner

import (
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
)

// charsetTable is what MySQL 8 answers to SHOW CHARACTER SET, as far as Vitess knows them: name, description, default
// collation and the most bytes of a character.
const charsetTable = `
armscii8|ARMSCII-8 Armenian|armscii8_general_ci|1
ascii|US ASCII|ascii_general_ci|1
binary|Binary pseudo charset|binary|1
cp1250|Windows Central European|cp1250_general_ci|1
cp1251|Windows Cyrillic|cp1251_general_ci|1
cp1256|Windows Arabic|cp1256_general_ci|1
cp1257|Windows Baltic|cp1257_general_ci|1
cp850|DOS West European|cp850_general_ci|1
cp852|DOS Central European|cp852_general_ci|1
cp866|DOS Russian|cp866_general_ci|1
cp932|SJIS for Windows Japanese|cp932_japanese_ci|2
dec8|DEC West European|dec8_swedish_ci|1
eucjpms|UJIS for Windows Japanese|eucjpms_japanese_ci|3
euckr|EUC-KR Korean|euckr_korean_ci|2
gb2312|GB2312 Simplified Chinese|gb2312_chinese_ci|2
geostd8|GEOSTD8 Georgian|geostd8_general_ci|1
greek|ISO 8859-7 Greek|greek_general_ci|1
hebrew|ISO 8859-8 Hebrew|hebrew_general_ci|1
hp8|HP West European|hp8_english_ci|1
keybcs2|DOS Kamenicky Czech-Slovak|keybcs2_general_ci|1
koi8r|KOI8-R Relcom Russian|koi8r_general_ci|1
koi8u|KOI8-U Ukrainian|koi8u_general_ci|1
latin1|cp1252 West European|latin1_swedish_ci|1
latin2|ISO 8859-2 Central European|latin2_general_ci|1
latin5|ISO 8859-9 Turkish|latin5_turkish_ci|1
latin7|ISO 8859-13 Baltic|latin7_general_ci|1
macce|Mac Central European|macce_general_ci|1
macroman|Mac West European|macroman_general_ci|1
sjis|Shift-JIS Japanese|sjis_japanese_ci|2
swe7|7bit Swedish|swe7_swedish_ci|1
ucs2|UCS-2 Unicode|ucs2_general_ci|2
ujis|EUC-JP Japanese|ujis_japanese_ci|3
utf16|UTF-16 Unicode|utf16_general_ci|4
utf16le|UTF-16LE Unicode|utf16le_general_ci|4
utf32|UTF-32 Unicode|utf32_general_ci|4
utf8mb3|UTF-8 Unicode|utf8mb3_general_ci|3
utf8mb4|UTF-8 Unicode|utf8mb4_0900_ai_ci|4
`

func showCharsets(filter *sqlparser.ShowFilter) (engine.Primitive, error) {
	matches, err := charsetFilter(filter)
	if err != nil {
		return nil, err
	}
	var rows []sqltypes.Row
	for line := range strings.Lines(strings.TrimSpace(charsetTable)) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		if matches(parts[0]) {
			rows = append(rows, append(textRow(parts[:3]...), sqltypes.MakeTrusted(sqltypes.Uint32, []byte(parts[3]))))
		}
	}
	const number = querypb.MySqlFlag_NUM_FLAG | querypb.MySqlFlag_NOT_NULL_FLAG | querypb.MySqlFlag_UNSIGNED_FLAG |
		querypb.MySqlFlag_NO_DEFAULT_VALUE_FLAG
	fields := append(textFields("Charset", "Description", "Default collation"), &querypb.Field{
		Name: "Maxlen", Type: sqltypes.Uint32, Charset: collations.CollationBinaryID, Flags: uint32(number),
	})
	return engine.NewRowsPrimitive(rows, fields), nil
}

// charsetFilter understands LIKE 'x', and WHERE charset = 'x' or LIKE 'x'.
func charsetFilter(filter *sqlparser.ShowFilter) (func(name string) bool, error) {
	switch {
	case filter == nil:
		return func(string) bool { return true }, nil
	case filter.Like != "":
		return sqlparser.LikeToRegexp(filter.Like).MatchString, nil
	}
	cmp, ok := filter.Filter.(*sqlparser.ComparisonExpr)
	if !ok {
		return nil, vterrors.VT12001("expect a 'LIKE' or '=' expression")
	}
	col, ok := cmp.Left.(*sqlparser.ColName)
	if !ok {
		return nil, vterrors.VT12001("expect left side to be 'charset'")
	}
	if !col.Name.EqualString("charset") {
		return nil, vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.BadFieldError,
			"Unknown column '%s' in 'where clause'", col.Name.String())
	}
	text, ok := cmp.Right.(*sqlparser.Literal)
	if !ok {
		return nil, vterrors.VT12001("we expect the right side to be a string")
	}
	switch cmp.Operator {
	case sqlparser.EqualOp:
		return func(name string) bool { return name == text.Val }, nil
	case sqlparser.LikeOp:
		return sqlparser.LikeToRegexp(text.Val).MatchString, nil
	}
	return nil, vterrors.VT12001("SHOW CHARACTER SET with " + cmp.Operator.ToString())
}
