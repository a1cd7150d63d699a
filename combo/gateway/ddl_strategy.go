package gateway

import (
	"slices"
	"strings"

	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// ddlStrategy is @@ddl_strategy: a name and options, as in `vitess --postpone-completion`.
type ddlStrategy struct {
	name    string // direct, vitess, online or mysql
	options []string
}

// ddlOptions are the options there are, by whether they take a value. Those that choose how Vitess copies rows, or which
// migrations may run beside others, change nothing where migrations run at once.
var ddlOptions = map[string]bool{
	"declarative": false, "singleton": false, "singleton-context": false, "singleton-table": false, "allow-zero-in-date": false,
	"postpone-launch": false, "postpone-completion": false, "in-order-completion": false, "allow-concurrent": false,
	"prefer-instant-ddl": false, "fast-range-rotation": false, "cut-over-threshold": true, "force-cut-over-after": true,
	"retain-artifacts": true, "unsafe-allow-foreign-keys": false, "analyze-table": false,
}

// parseDDLStrategy reads the variable's text. Error 1231 for what is no strategy.
func parseDDLStrategy(text string) (ddlStrategy, error) {
	wrong := vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.WrongValueForVar, "invalid DDL strategy: %s", text)
	words := strings.Fields(text)
	if len(words) == 0 {
		return ddlStrategy{name: "direct"}, nil
	}
	if !slices.Contains([]string{"direct", "vitess", "online", "mysql"}, words[0]) {
		return ddlStrategy{}, wrong
	}
	for _, word := range words[1:] {
		name, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if wantsValue, known := ddlOptions[name]; !known || hasValue != wantsValue || word[0] != '-' {
			return ddlStrategy{}, wrong
		}
	}
	return ddlStrategy{name: words[0], options: words[1:]}, nil
}

func (d ddlStrategy) has(option string) bool {
	return slices.ContainsFunc(d.options, func(word string) bool { return strings.TrimLeft(word, "-") == option })
}

// onlineAction is the ddl_action of a schema change that an online strategy makes a migration of, empty for others: these run
// directly, as in Vitess.
func onlineAction(stmt sqlparser.DDLStatement) string {
	switch stmt.(type) {
	case *sqlparser.CreateTable, *sqlparser.CreateView:
		return "create"
	case *sqlparser.AlterTable, *sqlparser.AlterView:
		return "alter"
	case *sqlparser.DropTable, *sqlparser.DropView:
		return "drop"
	}
	return ""
}
