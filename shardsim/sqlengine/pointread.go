package sqlengine

import (
	"context"
	"sort"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// compileSelect takes a select list of plain columns or a star.
func (p *pointPlan) compileSelect(s *Session, st *statement, sel *sqlparser.Select) bool {
	if sel.Limit != nil {
		if p.list != "" {
			return false
		}
		lit, ok := sel.Limit.Rowcount.(*sqlparser.Literal)
		if !ok || lit.Type != sqlparser.IntVal || lit.Val == "0" {
			return false
		}
	}
	alias := sel.From[0].(*sqlparser.AliasedTableExpr).As.String()
	if alias == "" {
		alias = p.meta.name
	}
	var schema sql.Schema
	for _, e := range sel.SelectExprs.Exprs {
		switch e := e.(type) {
		case *sqlparser.StarExpr:
			if len(sel.SelectExprs.Exprs) != 1 || e.TableName.Name.NotEmpty() {
				return false
			}
			for i := range p.meta.columns {
				p.output = append(p.output, i)
			}
		case *sqlparser.AliasedExpr:
			at := p.column(e.Expr, alias)
			if at < 0 {
				return false
			}
			p.output = append(p.output, at)
		default:
			return false
		}
	}
	for _, at := range p.output {
		col := *p.meta.columns[at]
		col.Source = alias
		schema = append(schema, &col)
	}
	p.shape = s.shape(st, nil, schema)
	return true
}

func runPointSelect(ctx context.Context, s *Session, p *pointPlan, st *statement, binds binds) (*sqltypes.Result, bool, error) {
	keys, ok := p.keys(binds)
	if !ok {
		return nil, false, nil
	}
	s.sql.warnings = nil
	res := &sqltypes.Result{Fields: p.shape.fields}
	if st.scan.lock != store.NoLock {
		err := s.inStatement(ctx, st, func() error { return p.read(ctx, s.sql.tx, st, keys, res) })
		return res, true, err
	}
	if s.tx != nil {
		s.tx.StatementBegins()
		err := p.read(ctx, s.tx, st, keys, res)
		return res, true, s.sql.mysqlError(storeError(err, p.meta.name))
	}
	t := s.shard.db.Root().Table(p.meta.name)
	if t == nil || t.Def != p.def {
		return nil, false, nil
	}
	for _, pk := range keys {
		if rec, ok := t.Get(pk); ok {
			if err := p.addRow(res, rec.Row); err != nil {
				return nil, true, s.sql.mysqlError(err)
			}
		}
	}
	return res, true, nil
}

// keys returns the primary keys to read, in their order: a list's without duplicates.
func (p *pointPlan) keys(binds binds) ([]string, bool) {
	if p.list == "" {
		pk, none, ok := p.primaryKey(binds)
		if !ok || none {
			return nil, ok
		}
		return []string{pk}, true
	}
	bv := binds[p.list]
	if bv == nil || len(bv.Values) == 0 {
		return nil, false
	}
	keys := make([]string, 0, len(bv.Values))
	var buf [96]byte
	for _, v := range bv.Values {
		key, none, ok := p.key[0].keyer.appendText(buf[:0], v.Type, v.Value)
		if !ok {
			return nil, false
		}
		if !none {
			keys = append(keys, string(key))
		}
	}
	sort.Strings(keys)
	unique := keys[:0]
	for i, k := range keys {
		if i == 0 || k != keys[i-1] {
			unique = append(unique, k)
		}
	}
	return unique, true
}

func (p *pointPlan) read(ctx context.Context, tx *store.Tx, st *statement, keys []string, res *sqltypes.Result) error {
	for _, pk := range keys {
		var rec *store.Record
		var err error
		if st.scan.lock == store.NoLock {
			rec, err = tx.Read(p.def, pk)
		} else {
			rec, err = tx.ReadLocked(ctx, p.def, pk, st.scan.lock, st.scan.policy)
			if err == store.ErrLocked && st.scan.policy == store.SkipLocked {
				continue
			}
		}
		if err != nil {
			return storeError(err, p.meta.name)
		}
		if rec == nil {
			continue
		}
		if err := p.addRow(res, rec.Row); err != nil {
			return err
		}
	}
	return nil
}

func (p *pointPlan) addRow(res *sqltypes.Result, row []any) error {
	values := make(sqltypes.Row, len(p.output))
	for i, at := range p.output {
		v, err := p.shape.converters[i].value(nil, row[at])
		if err != nil {
			return err
		}
		values[i] = v
	}
	res.Rows = append(res.Rows, values)
	return nil
}
