package sqlengine

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
)

// The times and events of triggers.
const (
	beforeTime  = "before"
	insertEvent = "insert"
	updateEvent = "update"
	deleteEvent = "delete"
)

// triggerHead is a CREATE TRIGGER up to its statement. The engine's grammar takes some of it and some statements after it only;
// those of a procedure's body are all that MySQL takes.
var triggerHead = regexp.MustCompile("(?is)^\\s*create\\s+(?:definer\\s*=\\s*(\\S+)\\s+)?(trigger\\s+(if\\s+not\\s+exists\\s+)?" + namePattern +
	"\\s+(before|after)\\s+(insert|update|delete)\\s+on\\s+)" + namePattern +
	"(\\s+for\\s+each\\s+row\\s+(?:(follows|precedes)\\s+" + namePattern + "\\s+)?)(.*)$")

// namePattern is a name that may be quoted and have a database's before it.
const namePattern = "((?:`(?:[^`]|``)+`|[\\w$]+)(?:\\s*\\.\\s*(?:`(?:[^`]|``)+`|[\\w$]+))?)"

var namePart = regexp.MustCompile("`(?:[^`]|``)+`|[\\w$]+")

// triggerDrop is a DROP TRIGGER.
var triggerDrop = regexp.MustCompile("(?is)^\\s*drop\\s+trigger\\s+(if\\s+exists\\s+)?" + namePattern + "\\s*;?\\s*$")

// versioned is what tools write for servers from a version on, which this one is.
var versioned = regexp.MustCompile(`(?s)/\*!\d*\s?(.*?)\*/`)

// nameIn reads a name that may be quoted, which has to be of the shard's database.
func (s *Session) nameIn(text string) (string, error) {
	parts := namePart.FindAllString(text, -1)
	for i, p := range parts {
		if strings.HasPrefix(p, "`") {
			parts[i] = strings.ReplaceAll(p[1:len(p)-1], "``", "`")
		}
	}
	if len(parts) == 2 && !strings.EqualFold(parts[0], s.shard.keyspace) {
		return "", mysqlError(1435, "HY000", "Trigger in wrong schema")
	}
	return parts[len(parts)-1], nil
}

// createTrigger runs CREATE TRIGGER, as triggerHead found it.
func (s *Session) createTrigger(ctx context.Context, found []string, out *emitter) error {
	sctx := sql.NewContext(ctx, sql.WithSession(s.sql))
	t := &trigger{definer: found[1], head: found[2], time: strings.ToLower(found[5]), event: strings.ToLower(found[6]), tableWritten: found[7],
		tail: found[8] + found[11], statement: strings.TrimSpace(found[11]), created: sctx.QueryTime(), sqlMode: s.sql.mode()}
	if t.definer == "" {
		t.definer = "`root`@`localhost`"
	}
	var err error
	if t.name, err = s.nameIn(found[4]); err != nil {
		return err
	}
	if t.table, err = s.nameIn(found[7]); err != nil {
		return err
	}
	if t.body, err = parseBody(sctx, found[11]); err != nil {
		return err
	}
	if err := s.checkTrigger(t); err != nil {
		return err
	}
	beside := ""
	if found[9] != "" {
		if beside, err = s.nameIn(found[10]); err != nil {
			return err
		}
	}
	err = (&database{shard: s.shard}).editMeta(func(m *shardMeta) error {
		if slices.ContainsFunc(m.triggers, func(o *trigger) bool { return strings.EqualFold(o.name, t.name) }) {
			return errTriggerExists
		}
		return m.addTrigger(t, strings.ToLower(found[9]), beside)
	})
	return s.routineDone(err, found[3] != "" && errors.Is(err, errTriggerExists), out)
}

var errTriggerExists error = mysqlError(1359, "HY000", "Trigger already exists")

// addTrigger puts a trigger where it runs: last, or beside another one of its kind.
func (m *shardMeta) addTrigger(t *trigger, order, beside string) error {
	if order == "" {
		m.triggers = append(m.triggers, t)
		return nil
	}
	at := slices.IndexFunc(m.triggers, func(o *trigger) bool { return t.sameKind(o) && strings.EqualFold(o.name, beside) })
	if at < 0 {
		return mysqlError(3011, "HY000", "Referenced trigger '%s' for the given action time and event type does not exist.", beside)
	}
	if order == "follows" {
		at++
	}
	m.triggers = slices.Insert(m.triggers, at, t)
	return nil
}

// dropTrigger runs DROP TRIGGER, as triggerDrop found it.
func (s *Session) dropTrigger(found []string, out *emitter) error {
	name, err := s.nameIn(found[2])
	if err != nil {
		return err
	}
	err = (&database{shard: s.shard}).editMeta(func(m *shardMeta) error {
		before := len(m.triggers)
		m.triggers = slices.DeleteFunc(m.triggers, func(t *trigger) bool { return strings.EqualFold(t.name, name) })
		if len(m.triggers) == before {
			return mysqlError(1360, "HY000", "Trigger does not exist")
		}
		return nil
	})
	return s.routineDone(err, found[1] != "", out)
}

// checkTrigger refuses a trigger that could not run.
func (s *Session) checkTrigger(t *trigger) error {
	if s.sql.temps[strings.ToLower(t.table)] != "" {
		return mysqlError(1361, "HY000", "Trigger's '%s' is view or temporary table", t.table)
	}
	if s.isView(t.table) {
		return mysqlError(1347, "HY000", "'%s.%s' is not BASE TABLE", s.shard.keyspace, t.table)
	}
	m, err := s.meta(t.table)
	if err != nil {
		return err
	}
	if err := eachStatement(t.body, checkTriggerStatement); err != nil {
		return err
	}
	sets := make(map[*dolt.ColName]bool)
	return dolt.Walk(func(node dolt.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *dolt.SetVarExpr:
			sets[node.Name] = true
		case *dolt.ColName:
			return true, t.checkColumn(m, node, sets[node])
		}
		return true, nil
	}, t.body)
}

// checkTriggerStatement refuses statements that no trigger may have.
func checkTriggerStatement(stmt dolt.Statement) error {
	switch stmt := stmt.(type) {
	case *dolt.Select:
		if stmt.Into == nil {
			return errResultInTrigger()
		}
	case *dolt.SetOp, *dolt.Show, *dolt.Explain:
		return errResultInTrigger()
	case *dolt.Begin, *dolt.Commit, *dolt.Rollback:
		return errCommitInTrigger()
	case *dolt.DDL:
		if !stmt.Temporary {
			return errCommitInTrigger()
		}
	case *dolt.Prepare, *dolt.Execute, *dolt.Deallocate:
		return errDynamicInTrigger()
	}
	return nil
}

func errDynamicInTrigger() error {
	return mysqlError(1336, "0A000", "Dynamic SQL is not allowed in stored function or trigger")
}

func errResultInTrigger() error {
	return mysqlError(1415, "0A000", "Not allowed to return a result set from a trigger")
}

// checkColumn refuses columns of NEW and OLD that are not there or may not be set.
func (t *trigger) checkColumn(m *tableMeta, col *dolt.ColName, isSet bool) error {
	row := strings.ToUpper(col.Qualifier.Name.String())
	if row != "NEW" && row != "OLD" || !col.Qualifier.DbQualifier.IsEmpty() {
		return nil
	}
	if row == "NEW" && t.event == deleteEvent || row == "OLD" && t.event == insertEvent {
		return mysqlError(1363, "HY000", "There is no %s row in on %s trigger", row, strings.ToUpper(t.event))
	}
	at := m.columns.IndexOfColName(col.Name.Lowered())
	switch {
	case at < 0:
		return mysqlError(1054, "42S22", "Unknown column '%s' in '%s'", col.Name.String(), row)
	case !isSet:
		return nil
	case row == "OLD":
		return mysqlError(1362, "HY000", "Updating of OLD row is not allowed in trigger")
	case t.time != beforeTime:
		return mysqlError(1362, "HY000", "Updating of NEW row is not allowed in after trigger")
	case m.columns[at].Generated != nil:
		return mysqlError(3105, "HY000", "The value specified for generated column '%s' in table '%s' is not allowed.", m.columns[at].Name, m.name)
	}
	return nil
}

// forgetTriggers drops the triggers of a table that is dropped.
func (d *database) forgetTriggers(table string) error {
	if !d.shard.hasTriggers(table) {
		return nil
	}
	return d.editMeta(func(m *shardMeta) error {
		m.triggers = slices.DeleteFunc(m.triggers, func(t *trigger) bool { return strings.EqualFold(t.table, table) })
		return nil
	})
}

// renameInTriggers lets triggers follow their table.
func (d *database) renameInTriggers(from, to string) error {
	if !d.shard.hasTriggers(from) {
		return nil
	}
	return d.editMeta(func(m *shardMeta) error {
		for i, t := range m.triggers {
			if strings.EqualFold(t.table, from) {
				moved := *t
				moved.table, moved.tableWritten = to, quoteName(to)
				m.triggers[i] = &moved
			}
		}
		return nil
	})
}
