package sqlengine

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Triggers and stored procedures are parsed by the engine and run by procedure.go and trigger.go. The gateway's grammar has no
// triggers: they come with a shard's schema.

// engineDDL is a statement about triggers or procedures that the gateway's grammar lacks.
type engineDDL struct {
	sqlparser.DDLStatement
	createsProcedure string   // its text
	ifNotExists      bool     // of a procedure
	createsTrigger   []string // see triggerHead
	dropsTrigger     []string // see triggerDrop
}

// procedureHead begins a CREATE PROCEDURE. The engine's grammar has no IF NOT EXISTS.
var procedureHead = regexp.MustCompile("(?is)^\\s*(create\\s+(?:definer\\s*=\\s*\\S+\\s+)?procedure\\s+)(if\\s+not\\s+exists\\s+)?(.*)$")

// parseRoutine returns a statement about triggers or procedures, nil for others.
func parseRoutine(text string) sqlparser.Statement {
	if strings.HasPrefix(strings.TrimSpace(text), "/*!") {
		text = versioned.ReplaceAllString(text, "$1")
	}
	ddl := engineDDL{DDLStatement: &sqlparser.DropView{}}
	if found := procedureHead.FindStringSubmatch(text); found != nil {
		ddl.createsProcedure, ddl.ifNotExists = found[1]+found[3], found[2] != ""
		return ddl
	}
	if ddl.createsTrigger = triggerHead.FindStringSubmatch(text); ddl.createsTrigger != nil {
		return ddl
	}
	if ddl.dropsTrigger = triggerDrop.FindStringSubmatch(text); ddl.dropsTrigger != nil {
		return ddl
	}
	return nil
}

// runRoutineDDL makes and drops triggers and procedures. done is false for other statements.
func (s *Session) runRoutineDDL(ctx context.Context, ast sqlparser.Statement, out *emitter) (done bool, err error) {
	switch ast := ast.(type) {
	case *sqlparser.DropProcedure:
		return true, s.dropProcedure(ast, out)
	case engineDDL:
		switch {
		case ast.createsTrigger != nil:
			return true, s.createTrigger(ctx, ast.createsTrigger, out)
		case ast.dropsTrigger != nil:
			return true, s.dropTrigger(ast.dropsTrigger, out)
		}
		return true, s.createProcedure(ctx, ast.createsProcedure, ast.ifNotExists, out)
	}
	return false, nil
}

// procedure is a stored procedure. It is immutable.
type procedure struct {
	name, text string
	parsed     *dolt.DDL // of the text, see hideStatements
	created    time.Time
	sqlMode    string
}

// procedures returns the shard's procedures in the order of their names.
func (s *Shard) procedures() []*procedure {
	all := slices.Collect(maps.Values(s.meta().procedures))
	slices.SortFunc(all, func(a, b *procedure) int { return strings.Compare(a.name, b.name) })
	return all
}

// createProcedure runs CREATE PROCEDURE.
func (s *Session) createProcedure(ctx context.Context, text string, ifNotExists bool, out *emitter) error {
	sctx := sql.NewContext(ctx, sql.WithSession(s.sql))
	if err := checkRoutineText(text); err != nil {
		return err
	}
	stmt, err := parseEngine(sctx, hideStatements(text))
	if err != nil {
		return syntaxError(text, err)
	}
	ddl, ok := stmt.(*dolt.DDL)
	if !ok || ddl.ProcedureSpec == nil {
		return errUnsupported("this kind of routine")
	}
	if err := checkBody(ddl.ProcedureSpec.Body, text); err != nil {
		return err
	}
	names := make(map[string]bool)
	for _, p := range ddl.ProcedureSpec.Params {
		if _, err := variableType(p.Type); err != nil {
			return err
		}
		if names[strings.ToLower(p.Name)] {
			return mysqlError(1330, "42000", "Duplicate parameter: %s", p.Name)
		}
		names[strings.ToLower(p.Name)] = true
	}
	p := &procedure{name: ddl.ProcedureSpec.ProcName.Name.String(), text: text, parsed: ddl, created: sctx.QueryTime(), sqlMode: s.sql.mode()}
	err = (&database{shard: s.shard}).editMeta(func(m *shardMeta) error {
		if _, ok := m.procedures[strings.ToLower(p.name)]; ok {
			return mysqlError(1304, "42000", "PROCEDURE %s already exists", p.name)
		}
		m.procedures[strings.ToLower(p.name)] = p
		return nil
	})
	return s.routineDone(err, ifNotExists, out)
}

// dropProcedure runs DROP PROCEDURE.
func (s *Session) dropProcedure(drop *sqlparser.DropProcedure, out *emitter) error {
	name := drop.Name.Name.String()
	err := (&database{shard: s.shard}).editMeta(func(m *shardMeta) error {
		if _, ok := m.procedures[strings.ToLower(name)]; !ok {
			return s.noProcedure(name)
		}
		delete(m.procedures, strings.ToLower(name))
		return nil
	})
	return s.routineDone(err, drop.IfExists, out)
}

func (s *Session) noProcedure(name string) error {
	return mysqlError(1305, "42000", "PROCEDURE %s.%s does not exist", s.shard.keyspace, name)
}

// routineDone ends a statement about a routine, whose error is a note if the routine need not, or need, be there.
func (s *Session) routineDone(err error, lenient bool, out *emitter) error {
	if err != nil && !lenient {
		return err
	}
	s.sql.warnError("Note", err)
	return out.send(&sqltypes.Result{})
}
