package sqlengine

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Triggers and stored procedures are kept as texts. The engine parses both and runs triggers; procedure.go runs procedures. The
// gateway's grammar has no triggers: they come with a shard's schema.

var (
	_ sql.TriggerDatabase         = (*database)(nil)
	_ sql.StoredProcedureDatabase = (*database)(nil)
)

// engineDDL is a statement that the gateway's grammar lacks and the engine's has. It is run as the text it is.
type engineDDL struct {
	sqlparser.DDLStatement
	createsProcedure bool
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
	words := strings.Fields(strings.ToLower(text))
	if len(words) < 3 || words[0] != "create" && words[0] != "drop" {
		return nil
	}
	at := 1
	for strings.HasPrefix(words[1], "definer") && at < len(words)-1 && words[at] != "trigger" && words[at] != "procedure" {
		at++
	}
	if words[at] != "trigger" && words[at] != "procedure" {
		return nil
	}
	return engineDDL{&sqlparser.DropView{}, words[0] == "create" && words[at] == "procedure"}
}

// GetTriggers returns the triggers of tables that no temporary table hides.
func (d *database) GetTriggers(ctx *sql.Context) ([]sql.TriggerDefinition, error) {
	s := fromContext(ctx)
	var all []sql.TriggerDefinition
	for _, t := range d.shard.meta().triggers {
		if len(s.temps) == 0 || s.temps[strings.ToLower(triggerTable(t.CreateStatement))] == "" {
			all = append(all, t)
		}
	}
	return all, nil
}

// triggerOn finds the table of a trigger.
var triggerOn = regexp.MustCompile("(?is)\\b(?:insert|update|delete)\\s+on\\s+(?:`?\\w+`?\\.)?`?(\\w+)`?")

func triggerTable(statement string) string {
	if found := triggerOn.FindStringSubmatch(statement); found != nil {
		return found[1]
	}
	return ""
}

func (d *database) CreateTrigger(ctx *sql.Context, def sql.TriggerDefinition) error {
	if err := checkHandlers(def.CreateStatement); err != nil {
		return err
	}
	if table, ok := changedBefore(def.CreateStatement); ok {
		if t := d.shard.db.Root().Table(table); t != nil && metaOf(t.Def).hasGenerated() {
			return errUnsupported("BEFORE trigger that sets columns of a table with generated columns")
		}
	}
	return d.editMeta(func(m *shardMeta) error {
		for _, t := range m.triggers {
			if strings.EqualFold(t.Name, def.Name) {
				return mysqlError(1359, "HY000", "Trigger already exists")
			}
		}
		m.triggers = append(m.triggers, def)
		return nil
	})
}

// beforeTrigger finds a trigger that may change the row before it is written, and its table.
var beforeTrigger = regexp.MustCompile("(?is)\\bbefore\\s+(?:insert|update)\\s+on\\s+(?:`?\\w+`?\\.)?`?(\\w+)`?\\b.*\\bset\\s+(?:[^;]*,\\s*)?new\\s*\\.")

// changedBefore returns the table whose rows a BEFORE trigger sets columns of. The engine has generated columns computed by then.
func changedBefore(statement string) (table string, ok bool) {
	found := beforeTrigger.FindStringSubmatch(statement)
	if found == nil {
		return "", false
	}
	return found[1], true
}

func (m *tableMeta) hasGenerated() bool {
	for _, c := range m.columns {
		if c.Generated != nil {
			return true
		}
	}
	return false
}

func (d *database) DropTrigger(_ *sql.Context, name string) error {
	return d.editMeta(func(m *shardMeta) error {
		for i, t := range m.triggers {
			if strings.EqualFold(t.Name, name) {
				m.triggers = slices.Delete(m.triggers, i, i+1)
				return nil
			}
		}
		return mysqlError(1360, "HY000", "Trigger does not exist")
	})
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

// errorHandler finds a handler of errors in a trigger: in the engine, the statement that failed runs again and again.
var errorHandler = regexp.MustCompile(`(?i)\bhandler\s+for\s+(sqlexception|sqlwarning|sqlstate|[0-9])`)

// checkHandlers refuses a trigger that handles errors.
func checkHandlers(statement string) error {
	if errorHandler.MatchString(statement) {
		return errUnsupported("DECLARE ... HANDLER for other conditions than NOT FOUND")
	}
	return nil
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

// hasTriggers reports whether the shard has any: they make every write more than it looks.
func (s *Shard) hasTriggers() bool { return len(s.meta().triggers) > 0 }
