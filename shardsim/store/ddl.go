package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Every DDL here takes effect at once, for all transactions, and is not undone by a rollback.

// publishSchema makes a new root by edit, under the mutex, with a new schema version and its own name map.
func (db *DB) publishSchema(edit func(*Root) error) error {
	db.writer.Lock()
	defer db.writer.Unlock()
	now := db.root.Load()
	next := now.clone(now.generation + 1)
	next.SchemaVersion++
	names := make(map[string]int, len(next.names)+1)
	for k, v := range next.names {
		names[k] = v
	}
	next.names = names
	if err := edit(next); err != nil {
		return err
	}
	db.root.Store(next)
	return nil
}

// CreateTable adds an empty table. It takes ownership of def and sets its ID.
func (db *DB) CreateTable(def *TableDef) error {
	def.ID = db.lastID.Add(1)
	return db.publishSchema(func(r *Root) error {
		name := strings.ToLower(def.Name)
		if _, ok := r.names[name]; ok {
			return fmt.Errorf("create table %s: %w", def.Name, ErrTableExists)
		}
		r.names[name] = len(r.tables)
		r.tables = append(r.tables, newTable(def, &counters{}, r.generation))
		return nil
	})
}

// DropTable removes a table, waiting for transactions that have written to it.
func (db *DB) DropTable(ctx context.Context, name string, wait time.Duration) error {
	return db.changeTable(ctx, "drop", name, wait, func(r *Root, slot int) error {
		r.tables[slot] = nil
		delete(r.names, strings.ToLower(name))
		return nil
	})
}

// Truncate empties a table and restarts its sequences.
func (db *DB) Truncate(ctx context.Context, name string, wait time.Duration) error {
	return db.changeTable(ctx, "truncate", name, wait, func(r *Root, slot int) error {
		def := *r.tables[slot].Def
		def.ID = db.lastID.Add(1)
		r.tables[slot] = newTable(&def, &counters{}, r.generation)
		return nil
	})
}

// changeTable publishes a root in which the table, which nobody writes to, is changed. verb is for the error of a missing one.
func (db *DB) changeTable(ctx context.Context, verb, name string, wait time.Duration, change func(r *Root, slot int) error) error {
	return db.exclusively(ctx, name, wait, func() error {
		return db.publishSchema(func(r *Root) error {
			slot, ok := r.names[strings.ToLower(name)]
			if !ok {
				return fmt.Errorf("%s table %s: %w", verb, name, ErrNoTable)
			}
			return change(r, slot)
		})
	})
}

// Rebuild replaces a table's definition, which may give it another name. convert makes a row of the new definition from
// each old one; nil keeps them. A key that is not unique any more is a *DuplicateError and changes nothing.
func (db *DB) Rebuild(ctx context.Context, name string, def *TableDef, convert func(row []any) ([]any, error), wait time.Duration) error {
	def.ID = db.lastID.Add(1)
	return db.changeTable(ctx, "alter", name, wait, func(r *Root, slot int) error {
		to := strings.ToLower(def.Name)
		if other, taken := r.names[to]; taken && other != slot {
			return fmt.Errorf("rename table %s to %s: %w", name, def.Name, ErrTableExists)
		}
		built, err := rebuild(r.tables[slot], def, r.generation, convert)
		if err != nil {
			return err
		}
		delete(r.names, strings.ToLower(name))
		r.names[to] = slot
		r.tables[slot] = built
		return nil
	})
}

func rebuild(old *Table, def *TableDef, generation uint64, convert func([]any) ([]any, error)) (*Table, error) {
	t := newTable(def, old.shared, generation)
	var failed error
	old.rows.Scan(func(pk string, rec Record) bool {
		row := rec.Row()
		if convert != nil {
			row, failed = convert(row)
		}
		if failed == nil {
			failed = t.load(pk, row)
		}
		return failed == nil
	})
	if failed != nil {
		return nil, failed
	}
	return t, nil
}

// ReplaceRows gives a table a new definition and new rows: an ALTER TABLE that rewrites.
func (db *DB) ReplaceRows(ctx context.Context, name string, def *TableDef, rows [][]any, wait time.Duration) error {
	def.ID = db.lastID.Add(1)
	return db.changeTable(ctx, "alter", name, wait, func(r *Root, slot int) error {
		t := newTable(def, r.tables[slot].shared, r.generation)
		for _, row := range rows {
			if err := t.load("", row); err != nil {
				return err
			}
		}
		t.shared.rows.Store(int64(t.rows.Len()))
		r.tables[slot] = t
		return nil
	})
}

// load adds a row while a table is rebuilt. rowID is its hidden row id, if it has one already.
func (t *Table) load(rowID string, row []any) error {
	pk := rowID
	if t.Def.Primary != nil {
		key, _, err := t.Def.Primary.AppendKey(nil, row)
		if err != nil {
			return err
		}
		pk = string(key)
	} else if len(pk) != rowIDLen {
		pk = t.nextRowID()
	}
	if there, ok := t.rows.Get(pk); ok {
		return duplicate(t.Def, Primary, row, there.Row())
	}
	for i := range t.Def.Indexes {
		key, unique, err := t.Def.Indexes[i].indexKey(row, pk)
		if err != nil {
			return err
		}
		if owner, taken := t.indexes[i].Get(key); unique && taken {
			there, _ := t.rows.Get(owner)
			return duplicate(t.Def, i, row, there.Row())
		}
		t.indexes[i].Set(key, pk)
	}
	t.rows.Set(pk, NewRecord(row))
	return nil
}

// EditMeta replaces Root.Meta by what edit returns and counts as DDL.
func (db *DB) EditMeta(edit func(meta any) (any, error)) error {
	return db.publishSchema(func(r *Root) error {
		meta, err := edit(r.Meta)
		r.Meta = meta
		return err
	})
}

// exclusively runs f while no transaction that wrote to the table is open.
func (db *DB) exclusively(ctx context.Context, name string, wait time.Duration, f func() error) error {
	tx := db.Begin(TxOptions{LockWait: wait, PassBy: passedBy(ctx)})
	defer tx.Rollback()
	err := tx.lock(ctx, tableLock(name), Exclusive, Wait)
	if errors.Is(err, ErrDeadlock) {
		err = ErrLockTimeout
	}
	if err != nil {
		return fmt.Errorf("table %s: %w", name, err)
	}
	return f()
}
