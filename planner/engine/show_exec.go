package engine

import "vitess.io/vitess/go/vt/sqlparser"

var _ Primitive = (*ShowExec)(nil)

// ShowExec answers a SHOW about the cluster itself.
type ShowExec struct {
	leaf
	reads

	Command    sqlparser.ShowCommandType
	ShowFilter *sqlparser.ShowFilter
}

// Description implements Primitive.
func (se *ShowExec) Description() Description {
	d := describe("ShowExec", se.Command.ToString())
	if se.ShowFilter != nil {
		d.set("Filter", sqlparser.String(se.ShowFilter))
	}
	return d
}
