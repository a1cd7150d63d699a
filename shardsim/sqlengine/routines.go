package sqlengine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Triggers and stored procedures are parsed by the engine and run by procedure.go and trigger.go. The gateway's grammar has no
// triggers: they come with a shard's schema.

var _ sql.StoredProcedureDatabase = (*database)(nil)

// engineDDL is a statement about triggers or procedures: as the text it is, or as what was found in it.
type engineDDL struct {
	sqlparser.DDLStatement
	createsProcedure bool
	createsTrigger   []string // see triggerHead
	dropsTrigger     []string // see triggerDrop
}

// isCreateProcedure reports whether a statement makes a procedure, which procedure.go runs.
func isCreateProcedure(ast sqlparser.Statement) bool {
	if ddl, ok := ast.(engineDDL); ok {
		return ddl.createsProcedure
	}
	_, ok := ast.(*sqlparser.CreateProcedure)
	return ok
}

// parseRoutine returns a statement about triggers or procedures, which the gateway's parser may refuse; nil for others.
func parseRoutine(text string) sqlparser.Statement {
	if strings.HasPrefix(strings.TrimSpace(text), "/*!") {
		text = versioned.ReplaceAllString(text, "$1")
	}
	if found := triggerHead.FindStringSubmatch(text); found != nil {
		return engineDDL{DDLStatement: &sqlparser.DropView{}, createsTrigger: found}
	}
	if found := triggerDrop.FindStringSubmatch(text); found != nil {
		return engineDDL{DDLStatement: &sqlparser.DropView{}, dropsTrigger: found}
	}
	words := strings.Fields(strings.ToLower(text))
	if len(words) < 3 || words[0] != "create" && words[0] != "drop" {
		return nil
	}
	at := 1
	for strings.HasPrefix(words[1], "definer") && at < len(words)-1 && words[at] != "procedure" {
		at++
	}
	if words[at] != "procedure" {
		return nil
	}
	return engineDDL{DDLStatement: &sqlparser.DropView{}, createsProcedure: words[0] == "create"}
}

func (d *database) GetStoredProcedure(_ *sql.Context, name string) (sql.StoredProcedureDetails, bool, error) {
	p, ok := d.shard.meta().procedures[strings.ToLower(name)]
	return p, ok, nil
}

func (d *database) GetStoredProcedures(*sql.Context) ([]sql.StoredProcedureDetails, error) {
	var all []sql.StoredProcedureDetails
	for _, p := range d.shard.meta().procedures {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b sql.StoredProcedureDetails) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func (d *database) SaveStoredProcedure(_ *sql.Context, p sql.StoredProcedureDetails) error {
	return d.editMeta(func(m *shardMeta) error {
		if _, ok := m.procedures[strings.ToLower(p.Name)]; ok {
			return mysqlError(1304, "42000", "PROCEDURE %s already exists", p.Name)
		}
		m.procedures[strings.ToLower(p.Name)] = p
		return nil
	})
}

func (d *database) DropStoredProcedure(_ *sql.Context, name string) error {
	return d.editMeta(func(m *shardMeta) error {
		if _, ok := m.procedures[strings.ToLower(name)]; !ok {
			return sql.ErrStoredProcedureDoesNotExist.New(name)
		}
		delete(m.procedures, strings.ToLower(name))
		return nil
	})
}
