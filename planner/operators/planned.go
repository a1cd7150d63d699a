package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

// Planned is a statement of its own inside of another one's plan: it was analysed and planned by itself, with tables and
// columns that mean nothing outside of it. The rewrites of the plan around it leave it alone.
type Planned struct {
	Ctx  *Context
	Root Operator
}

// planApart plans a statement that the plan needs beside the one it is for. It must hold nothing that the analysis around it
// knows: columns are bound anew.
func planApart(ctx *Context, stmt sqlparser.Statement, keys keptKeys) Planned {
	currentDB := ""
	if ks := ctx.Schema.SelectedKeyspace(); ks != nil {
		currentDB = ks.Name
	}
	sem := must(semantics.Analyze(stmt, currentDB, ctx.Schema))
	if ks, _ := sem.SingleUnshardedKeyspace(); ks == nil && sem.NotUnshardedErr != nil {
		refuse(sem.NotUnshardedErr)
	}
	apart := NewContext(sem, ctx.Schema, ctx.Reserved, stmt)
	if apart.depth = ctx.depth + 1; apart.depth > plannedDepthMax {
		refuse(vterrors.VT12001("foreign keys that cascade over more than 32 levels"))
	}
	apart.LeftToRight, apart.keepsAllKeys = ctx.LeftToRight, keys.all
	all := must(apart.managedForeignKeys())
	for id, of := range all {
		child := sem.Tables[id.TableOffset()].VTable
		of.Parents = slices.DeleteFunc(slices.Clone(of.Parents), func(fk vindexes.ParentFKInfo) bool {
			return fk.String(child) == keys.except
		})
		all[id] = of
	}
	apart.keepKeys(stmt, all)
	root := must(Plan(apart, stmt))
	ctx.Trace = append(ctx.Trace, apart.Trace...)
	return Planned{apart, root}
}

// plannedDepthMax bounds the statements that are planned for one another. MySQL's cascades end at 15 levels.
const plannedDepthMax = 32

// keptKeys says which foreign keys the gateway keeps for a statement beside another one: by itself, also those that shards
// could keep, if all is set; not the one by which the statement follows, which except names.
type keptKeys struct {
	all    bool
	except string
}

// comment puts comments into all routes of a planned statement.
func (p Planned) comment(comments *sqlparser.ParsedComments) {
	visit(p.Root, func(op Operator) bool {
		if route, ok := op.(*Route); ok {
			route.Comments = comments
		}
		for _, beside := range plannedBeside(op) {
			beside.comment(comments)
		}
		return aboveRoutes(op)
	})
}

// plannedBeside are the statements that an operator holds beside its inputs.
func plannedBeside(op Operator) []Planned {
	if holder, ok := op.(interface{ plannedBeside() []Planned }); ok {
		return holder.plannedBeside()
	}
	return nil
}
