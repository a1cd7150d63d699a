package sqlengine

import (
	"vitess.io/vitess/go/vt/sqlparser"
)

// setsDefaults reports whether an UPDATE of one table sets a column to DEFAULT.
func setsDefaults(stmt sqlparser.Statement) bool {
	upd, ok := stmt.(*sqlparser.Update)
	if !ok || isJoined(upd.TableExprs) {
		return false
	}
	for _, e := range upd.Exprs {
		if def, isDefault := e.Expr.(*sqlparser.Default); isDefault && def.ColName == "" {
			return true
		}
	}
	return false
}

// completedUpdate is an UPDATE without what the engine does not take: DEFAULT of a generated column, which changes nothing, and of
// a column without one, which has a zero where SQL mode or IGNORE let it; else it is
// error 1364.
//
//	update t set generated = default, a = 1   ->   update t set a = 1
func (s *Session) completedUpdate(upd *sqlparser.Update) (*sqlparser.Update, error) {
	name, isTable := upd.TableExprs[0].(*sqlparser.AliasedTableExpr).Expr.(sqlparser.TableName)
	if !isTable {
		return upd, nil
	}
	t := s.sql.tableNamed(name.Name.String())
	if t == nil {
		return upd, nil
	}
	c := &completion{session: s, meta: metaOf(t.Def), missing: make(map[string]bool)}
	lenient := !s.sql.strict() || bool(upd.Ignore)
	out := *upd
	out.Exprs = nil
	for _, e := range upd.Exprs {
		def, isDefault := e.Expr.(*sqlparser.Default)
		at := c.meta.columns.IndexOfColName(e.Name.Name.String())
		if !isDefault || def.ColName != "" || at < 0 {
			out.Exprs = append(out.Exprs, e)
			continue
		}
		column := c.meta.columns[at]
		switch {
		case column.Generated != nil:
		case lacksDefault(column) && !lenient:
			return nil, mysqlError(1364, "HY000", "Field '%s' doesn't have a default value", column.Name)
		case lacksDefault(column):
			out.Exprs = append(out.Exprs, &sqlparser.UpdateExpr{Name: e.Name, Expr: zeroOf(column)})
			c.warn(column)
		default:
			out.Exprs = append(out.Exprs, e)
		}
	}
	if len(out.Exprs) == 0 {
		first := c.meta.columns[0]
		for _, column := range c.meta.columns {
			if column.Generated == nil {
				first = column
				break
			}
		}
		same := sqlparser.NewColName(first.Name)
		out.Exprs = sqlparser.UpdateExprs{{Name: same, Expr: same}}
	}
	return &out, nil
}
