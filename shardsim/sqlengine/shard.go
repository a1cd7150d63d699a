package sqlengine

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/vitrodb/vitro/shardsim/store"
)

// Shard is one shard's data: a database named as its keyspace. It is safe for concurrent use.
type Shard struct {
	engine   *Engine
	keyspace string
	name     string
	db       *store.DB

	lockers atomic.Int64 // how many table locks sessions hold or want, see sessionLocks

	mu   sync.Mutex
	free []*Session // closed sessions, to be used again

	schemaMu sync.Mutex
	schema   []TableSchema // as of schemaAt
	schemaAt uint64
}

// shardMeta is what a shard's root holds besides tables.
type shardMeta struct {
	views      map[string]sql.ViewDefinition // by lower-case name
	triggers   []*trigger                    // those of one kind in the order they run
	procedures map[string]*procedure         // by lower-case name
}

func (s *Shard) meta() shardMeta {
	m, _ := s.db.Root().Meta.(shardMeta)
	return m
}

// LockWaits returns the owners of transactions that wait for locks, each with an owner it waits for.
func (s *Shard) LockWaits() [][2]uint64 { return s.db.LockWaits() }

// Check verifies every index against its table.
func (s *Shard) Check() error { return s.db.Check() }

// SchemaVersion returns a number that changes with each DDL.
func (s *Shard) SchemaVersion() uint64 { return s.db.Root().SchemaVersion }

// provider gives each session the one database of its shard.
type provider struct{ engine *Engine }

var (
	_ sql.DatabaseProvider = (*provider)(nil)
	_ sql.FunctionProvider = (*provider)(nil)
)

// Database returns the session's database, or one of the system's.
func (p *provider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	if schema, ok := systemSchemas[strings.ToLower(name)]; ok {
		return schema, nil
	}
	shard := fromContext(ctx).database(name)
	if shard == nil {
		return nil, sql.ErrDatabaseNotFound.New(name)
	}
	return &database{shard: shard}, nil
}

// database returns the shard behind a database's name, nil if there is none. Only information_schema may look into those of
// other keyspaces.
func (s *sqlSession) database(name string) *Shard {
	if s.describes {
		return s.shard.describedAs(name)
	}
	if strings.EqualFold(name, s.shard.keyspace) {
		return s.shard
	}
	return nil
}

// HasDatabase reports whether name is the session's database or one of the system's.
func (p *provider) HasDatabase(ctx *sql.Context, name string) bool {
	_, system := systemSchemas[strings.ToLower(name)]
	return system || fromContext(ctx).database(name) != nil
}

// AllDatabases returns the databases that information_schema describes. No statement reads or writes but the session's.
func (p *provider) AllDatabases(ctx *sql.Context) []sql.Database {
	var all []sql.Database
	for _, shard := range fromContext(ctx).shard.described() {
		all = append(all, &database{shard: shard})
	}
	return all
}

// Function returns our own version of a function, which comes before the engine's.
func (p *provider) Function(_ *sql.Context, name string) (sql.Function, bool) {
	return ownFunction(strings.ToLower(name))
}

// database is a shard's database in the engine's terms.
type database struct{ shard *Shard }

var (
	_ sql.Database            = (*database)(nil)
	_ sql.TableCreator        = (*database)(nil)
	_ sql.IndexedTableCreator = (*database)(nil)
	_ sql.TableDropper        = (*database)(nil)
	_ sql.TableRenamer        = (*database)(nil)
	_ sql.ViewDatabase        = (*database)(nil)
	_ sql.CollatedDatabase    = (*database)(nil)
)

func (d *database) Name() string { return d.shard.keyspace }

func (d *database) GetCollation(*sql.Context) sql.CollationID { return defaultCollation }

func (d *database) SetCollation(*sql.Context, sql.CollationID) error {
	return errUnsupported("ALTER DATABASE")
}

func (d *database) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	now := d.shard.db.Root().Table(name)
	if s := fromContext(ctx); s.shard == d.shard {
		now = s.tableNamed(name)
	}
	if now == nil {
		return nil, false, nil
	}
	t := newTable(d.shard, now.Def)
	if fromContext(ctx).stmt.recollates {
		for _, c := range t.schema {
			c.Type = ownMembers(c.Type)
		}
	}
	return t, true, nil
}

func (d *database) GetTableNames(*sql.Context) ([]string, error) {
	var names []string
	for _, t := range permanent(d.shard.db.Root()) {
		names = append(names, t.Def.Name)
	}
	return names, nil
}

func (d *database) CreateTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, collation sql.CollationID, comment string) error {
	return d.create(ctx, name, schema, collation, comment, nil)
}

func (d *database) CreateIndexedTable(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, idx sql.IndexDef, collation sql.CollationID) error {
	return d.create(ctx, name, schema, collation, "", prefixLengths(idx.Columns))
}

func (d *database) create(ctx *sql.Context, name string, schema sql.PrimaryKeySchema, collation sql.CollationID, comment string, prefix []uint16) error {
	s := fromContext(ctx)
	if _, ok := d.shard.meta().views[strings.ToLower(name)]; ok && !s.temporary {
		return sql.ErrTableAlreadyExists.New(name)
	}
	m := &tableMeta{name: name, collation: collation, comment: comment, pkPrefix: prefix}
	m.setSchema(schema)
	m.setShapes(s.st)
	if s.temporary {
		if s.temps[strings.ToLower(name)] != "" {
			return sql.ErrTableAlreadyExists.New(name)
		}
		m.stored = s.hidden(name)
	}
	def, err := m.definition()
	if err == nil {
		err = storeError(d.shard.db.CreateTable(def), name)
	}
	if err == nil && s.temporary {
		s.hide(name, m.stored)
	}
	return err
}

func (d *database) DropTable(ctx *sql.Context, name string) error {
	s := fromContext(ctx)
	if s.temps[strings.ToLower(name)] != "" {
		return storeError(s.uncover(ctx, name), name)
	}
	if err := d.shard.db.DropTable(ctx, name, s.lockWait()); err != nil {
		return storeError(err, name)
	}
	return d.forgetTriggers(name)
}

func (d *database) RenameTable(ctx *sql.Context, from, to string) error {
	t := fromContext(ctx).tableNamed(from)
	if t == nil {
		return sql.ErrTableNotFound.New(from)
	}
	if metaOf(t.Def).isTemporary() {
		return errUnsupported("RENAME of a temporary table")
	}
	old := metaOf(t.Def)
	if !strings.EqualFold(old.name, to) && (d.shard.db.Root().Table(to) != nil || d.shard.meta().views[strings.ToLower(to)].Name != "") {
		return sql.ErrTableAlreadyExists.New(to)
	}
	if err := newTable(d.shard, t.Def).alter(ctx, func(m *tableMeta) error {
		m.rename(to)
		return nil
	}, nil); err != nil {
		return err
	}
	if err := d.renameInTriggers(old.name, to); err != nil {
		return err
	}
	return d.renameInForeignKeys(ctx, old.name, to)
}

// renameInForeignKeys lets foreign keys of other tables follow a table that was renamed.
func (d *database) renameInForeignKeys(ctx *sql.Context, from, to string) error {
	for _, t := range d.shard.db.Root().Tables() {
		refers := false
		for _, fk := range metaOf(t.Def).foreignKeys {
			refers = refers || strings.EqualFold(fk.ParentTable, from)
		}
		if !refers {
			continue
		}
		err := newTable(d.shard, t.Def).alter(ctx, func(m *tableMeta) error {
			for i := range m.foreignKeys {
				if strings.EqualFold(m.foreignKeys[i].ParentTable, from) {
					m.foreignKeys[i].ParentTable = to
				}
			}
			return nil
		}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// editMeta has edit change a copy of what the shard holds besides tables.
func (d *database) editMeta(edit func(m *shardMeta) error) error {
	return d.shard.db.EditMeta(func(meta any) (any, error) {
		old, _ := meta.(shardMeta)
		fresh := shardMeta{views: maps.Clone(old.views), triggers: slices.Clone(old.triggers), procedures: maps.Clone(old.procedures)}
		if fresh.views == nil {
			fresh.views = make(map[string]sql.ViewDefinition)
		}
		if fresh.procedures == nil {
			fresh.procedures = make(map[string]*procedure)
		}
		if err := edit(&fresh); err != nil {
			return meta, err
		}
		return fresh, nil
	})
}

func (d *database) editViews(edit func(views map[string]sql.ViewDefinition) error) error {
	return d.editMeta(func(m *shardMeta) error { return edit(m.views) })
}

func (d *database) CreateView(_ *sql.Context, name, selectText, createText string) error {
	if d.shard.db.Root().Table(name) != nil {
		return sql.ErrTableAlreadyExists.New(name)
	}
	return d.editViews(func(views map[string]sql.ViewDefinition) error {
		if _, ok := views[strings.ToLower(name)]; ok {
			return sql.ErrExistingView.New(d.Name(), name)
		}
		views[strings.ToLower(name)] = sql.ViewDefinition{Name: name, TextDefinition: selectText, CreateViewStatement: createText}
		return nil
	})
}

func (d *database) DropView(_ *sql.Context, name string) error {
	return d.editViews(func(views map[string]sql.ViewDefinition) error {
		if _, ok := views[strings.ToLower(name)]; !ok {
			return sql.ErrViewDoesNotExist.New(d.Name(), name)
		}
		delete(views, strings.ToLower(name))
		return nil
	})
}

func (d *database) GetViewDefinition(_ *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	v, ok := d.shard.meta().views[strings.ToLower(name)]
	return v, ok, nil
}

func (d *database) AllViews(*sql.Context) ([]sql.ViewDefinition, error) {
	var all []sql.ViewDefinition
	for _, v := range d.shard.meta().views {
		all = append(all, v)
	}
	sortViews(all)
	return all, nil
}
