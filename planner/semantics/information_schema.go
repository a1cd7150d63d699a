package semantics

import (
	_ "embed" // the tables
	"regexp"
	"strconv"
	"strings"
	"sync"

	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/vindexes"
)

// The tables of information_schema in MySQL 8.0 and 5.7 as MySQL describes them: a table's name, then its columns, indented:
//
//	NAME type(size,scale) not null 'value','value'
var (
	//go:embed information_schema_80.txt
	informationSchema80Text string
	//go:embed information_schema_57.txt
	informationSchema57Text string

	informationSchema80 = sync.OnceValue(func() systemTables { return parseSystemTables(informationSchema80Text) })
	informationSchema57 = sync.OnceValue(func() systemTables { return parseSystemTables(informationSchema57Text) })
)

// systemTables are columns by the table's name in capitals.
type systemTables map[string][]vindexes.Column

const informationSchemaCollation = "utf8mb3_general_ci"

// informationSchema returns the columns of the table that a name means in a MySQL version, nil for none: the shards will know.
func informationSchema(version string, name sqlparser.TableName) []vindexes.Column {
	if !strings.EqualFold(name.Qualifier.String(), "information_schema") {
		return nil
	}
	tables := informationSchema80
	if strings.HasPrefix(version, "5.7") {
		tables = informationSchema57
	}
	return tables()[strings.ToUpper(name.Name.String())]
}

var systemColumn = regexp.MustCompile(`^\t(\S+) (\w+)(?:\((\d+)(?:,(\d+))?\))?( not null)?(?: (.*))?$`)

func parseSystemTables(text string) systemTables {
	tables := systemTables{}
	table := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		m := systemColumn.FindStringSubmatch(line)
		if m == nil {
			table = line
			continue
		}
		size, _ := strconv.ParseInt(m[3], 10, 32)
		scale, _ := strconv.ParseInt(m[4], 10, 32)
		col := vindexes.Column{
			Name: sqlparser.NewIdentifierCI(m[1]), Type: querypb.Type(querypb.Type_value[strings.ToUpper(m[2])]),
			CollationName: informationSchemaCollation, Nullable: m[5] == "", Size: int32(size), Scale: int32(scale),
		}
		if m[6] != "" {
			col.Values = strings.Split(strings.Trim(m[6], "'"), "','")
		}
		tables[table] = append(tables[table], col)
	}
	return tables
}
