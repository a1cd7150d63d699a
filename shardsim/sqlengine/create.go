package sqlengine

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// createTable prints a table as SHOW CREATE TABLE of MySQL 8 does. next is the next AUTO_INCREMENT value.
func (m *tableMeta) createTable(next uint64) string {
	var lines []string
	for _, c := range m.columns {
		lines = append(lines, "  "+m.columnText(c))
	}
	if len(m.pk) > 0 {
		cols := make([]string, len(m.pk))
		for i, at := range m.pk {
			cols[i] = m.columns[at].Name
		}
		lines = append(lines, "  PRIMARY KEY ("+keyParts(cols, m.pkPrefix, nil)+")")
	}
	for _, idx := range m.indexes {
		word := "KEY"
		if idx.unique {
			word = "UNIQUE KEY"
		}
		line := fmt.Sprintf("  %s %s (%s)", word, quoteName(idx.name), keyParts(idx.columns, idx.prefix, idx.descending))
		if idx.comment != "" {
			line += " COMMENT " + quoteText(idx.comment)
		}
		if idx.invisible {
			line += " /*!80000 INVISIBLE */"
		}
		lines = append(lines, line)
	}
	for _, x := range m.search {
		lines = append(lines, fmt.Sprintf("  %sKEY %s (%s)", x.kind, quoteName(x.name), x.parts))
	}
	for i := range m.foreignKeys {
		lines = append(lines, "  "+constraintText(&m.foreignKeys[i]))
	}
	for _, c := range m.checks {
		line := fmt.Sprintf("  CONSTRAINT %s CHECK (%s)", quoteName(c.Name), shownExpression(c.CheckExpression))
		if !c.Enforced {
			line += " /*!80016 NOT ENFORCED */"
		}
		lines = append(lines, line)
	}
	kind := "TABLE"
	if m.isTemporary() {
		kind = "TEMPORARY TABLE"
	}
	text := fmt.Sprintf("CREATE %s %s (\n%s\n) ENGINE=InnoDB", kind, quoteName(m.name), strings.Join(lines, ",\n"))
	if m.autoColumn() >= 0 && next > 1 {
		text += fmt.Sprintf(" AUTO_INCREMENT=%d", next)
	}
	text += " DEFAULT CHARSET=" + m.collation.CharacterSet().Name()
	text += " COLLATE=" + m.collation.Name()
	if m.comment != "" {
		text += " COMMENT=" + quoteText(m.comment)
	}
	if m.partitions != "" {
		text += "\n" + m.partitions
	}
	return text
}

func keyParts(cols []string, prefix []uint16, descending []bool) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = quoteName(c)
		if prefix != nil && prefix[i] > 0 {
			parts[i] += fmt.Sprintf("(%d)", prefix[i])
		}
		if len(descending) == len(cols) && descending[i] {
			parts[i] += " DESC"
		}
	}
	return strings.Join(parts, ",")
}

func quoteText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''", "\n", `\n`, "\r", `\r`, "\x00", `\0`).Replace(s) + "'"
}

// isBinaryColumn reports whether a type is BINARY or VARBINARY.
func isBinaryColumn(t sql.Type) bool {
	typ, ok := t.(sql.StringType)
	return ok && typ.Collation() == sql.Collation_binary && !types.IsTextBlob(t)
}

func (m *tableMeta) columnText(c *sql.Column) string {
	typ, collation := shownType(c)
	text := quoteName(c.Name) + " " + typ
	if collation != "" && collation != m.collation.Name() {
		id, err := sql.ParseCollation("", collation, false)
		if err == nil && id.CharacterSet() != m.collation.CharacterSet() {
			text += " CHARACTER SET " + id.CharacterSet().Name()
		}
		text += " COLLATE " + collation
	}
	if c.Generated != nil {
		kind := "STORED"
		if m.virtual[strings.ToLower(c.Name)] {
			kind = "VIRTUAL"
		}
		text += fmt.Sprintf(" GENERATED ALWAYS AS (%s) %s", shownExpression(unwrapped(defaultExpr(c.Generated))), kind)
	}
	if !c.Nullable {
		text += " NOT NULL"
	} else if _, isTime := c.Type.(sql.DatetimeType); isTime && types.IsTimestampType(c.Type) {
		text += " NULL"
	}
	switch {
	case c.AutoIncrement:
		text += " AUTO_INCREMENT"
	case c.Default != nil:
		text += " DEFAULT " + m.defaultText(c)
	case c.Nullable && c.Generated == nil && takesDefault(c.Type):
		text += " DEFAULT NULL"
	}
	if c.OnUpdate != nil {
		text += " ON UPDATE " + unwrapped(defaultExpr(c.OnUpdate))
	}
	if c.Comment != "" {
		text += " COMMENT " + quoteText(c.Comment)
	}
	return text
}

// takesDefault reports whether MySQL prints DEFAULT NULL: not for BLOB, TEXT, JSON and spatial types.
func takesDefault(t sql.Type) bool {
	return !types.IsTextBlob(t) && !types.IsJSON(t) && !types.IsGeometry(t)
}

// defaultText is what follows DEFAULT in SHOW CREATE TABLE.
func (m *tableMeta) defaultText(c *sql.Column) string {
	text := columnDefault(c)
	if strings.EqualFold(text, "NULL") {
		return "NULL"
	}
	if isTimeDefault(text) {
		return strings.ToUpper(unwrapped(text))
	}
	if strings.HasPrefix(text, "(") {
		return "(" + shownExpression(unwrapped(text)) + ")"
	}
	shown := m.shownDefault(c)
	if s, ok := shown.(string); ok && isBinaryColumn(c.Type) {
		if b, err := hex.DecodeString(strings.TrimPrefix(s, "0x")); err == nil && strings.HasPrefix(s, "0x") {
			return quoteText(string(b))
		}
	}
	_, isBit := bitColumn(c.Type)
	if s, ok := shown.(string); ok && isBit {
		return s
	} else if ok {
		return quoteText(s)
	}
	return text
}

// defaultExpr is the text of a default as it was kept: with brackets if it is an expression.
func defaultExpr(d *sql.ColumnDefaultValue) string { return d.Expr.String() }

// columnDefault is the text of a column's default. A literal one of TEXT, BLOB or JSON is an expression, as no other is allowed.
func columnDefault(c *sql.Column) string {
	text := defaultExpr(c.Default)
	if !takesDefault(c.Type) && strings.HasPrefix(text, "'") {
		return "(" + text + ")"
	}
	return text
}

func isTimeDefault(text string) bool {
	upper := strings.ToUpper(unwrapped(text))
	return strings.HasPrefix(upper, "CURRENT_TIMESTAMP") || strings.HasPrefix(upper, "NOW(")
}

// shownDefault is the Default column of SHOW COLUMNS: nil if there is none.
func (m *tableMeta) shownDefault(c *sql.Column) any {
	if c.Default == nil {
		return nil
	}
	text := columnDefault(c)
	switch {
	case strings.EqualFold(text, "NULL"):
		return nil
	case isTimeDefault(text):
		return strings.ToUpper(unwrapped(text))
	case strings.HasPrefix(text, "("):
		return shownExpression(unwrapped(text))
	}
	if n := len(text); n >= 2 && text[0] == '\'' && text[n-1] == '\'' {
		text = strings.NewReplacer("''", "'", `\'`, "'", `\\`, `\`).Replace(text[1 : n-1])
	}
	if typ, ok := bitColumn(c.Type); ok {
		return shownBits(typ, text)
	}
	if _, isDecimal := c.Type.(sql.DecimalType); isDecimal || isTime(c.Type) || types.IsDatetimeType(c.Type) || types.IsTimestampType(c.Type) {
		return shownAs(c.Type, text)
	}
	return text
}

// shownAs is a constant as a column of the type shows it, or as it is if it is none.
func shownAs(typ sql.Type, text string) string {
	v, _, err := typ.Convert(context.Background(), text)
	if err != nil || v == nil {
		return text
	}
	if span, ok := v.(types.Timespan); ok {
		v = roundTimespan(span, timeDigits(typ))
	}
	conv := newConverter(typ)
	shown, err := conv.text(nil, v)
	if err != nil {
		return text
	}
	return string(shown)
}

// shownBits is a BIT column's default: b'101' for 5.
func shownBits(typ types.BitType, text string) string {
	var given any = text
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		given = n
	}
	v, _, err := typ.Convert(context.Background(), given)
	n, isNumber := v.(uint64)
	if err != nil || !isNumber {
		return text
	}
	return "b'" + strconv.FormatUint(n, 2) + "'"
}

// unwrapped takes one pair of enclosing brackets off.
func unwrapped(text string) string {
	if !strings.HasPrefix(text, "(") || !strings.HasSuffix(text, ")") {
		return text
	}
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(text)-1 {
			return text
		}
	}
	return text[1 : len(text)-1]
}

// shownType is columnTypeText of a column, with its shape.
func shownType(c *sql.Column) (text, collation string) {
	if c.Extra != "" {
		return c.Extra, ""
	}
	return columnTypeText(c.Type)
}

// columnTypeText returns a type as MySQL prints it, and the collation of text types.
func columnTypeText(t sql.Type) (text, collation string) {
	switch t := t.(type) {
	case sql.EnumType:
		return "enum(" + quotedValues(t.Values()) + ")", t.Collation().Name()
	case sql.SetType:
		return "set(" + quotedValues(t.Values()) + ")", t.Collation().Name()
	case preciseTime:
		return fmt.Sprintf("time(%d)", t.digits), ""
	case types.TimeType:
		return "time", ""
	case sql.StringType:
		text = t.String()
		if at := strings.Index(text, " CHARACTER SET"); at >= 0 {
			text = text[:at]
		}
		if at := strings.Index(text, " COLLATE"); at >= 0 {
			text = text[:at]
		}
		if t.Collation() != sql.Collation_binary {
			collation = t.Collation().Name()
		}
		return text, collation
	}
	return t.String(), ""
}

func quotedValues(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return strings.Join(quoted, ",")
}
