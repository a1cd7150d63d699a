package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

// rewriteFunc looks at one operator whose inputs are done and returns what takes its place. done says in a few words what was
// changed; it is empty if nothing was.
type rewriteFunc func(op Operator) (out Operator, done string)

// visit calls f for every operator, parents first, until f returns false for a subtree.
func visit(root Operator, f func(Operator) bool) {
	if root == nil || !f(root) {
		return
	}
	for _, in := range root.Inputs() {
		visit(in, f)
	}
}

// aboveRoutes says not to go below a route: what is there will be SQL.
func aboveRoutes(op Operator) bool {
	_, isRoute := op.(*Route)
	return !isRoute
}

// bottomUp rewrites inputs before the operators over them. enter, if not nil, says which operators to touch at all.
func bottomUp(ctx *Context, root Operator, enter func(Operator) bool, rewrite rewriteFunc) (Operator, bool) {
	if enter != nil && !enter(root) {
		return root, false
	}
	changed := false
	in := root.Inputs()
	for i, op := range in {
		out, did := bottomUp(ctx, op, enter, rewrite)
		in[i] = out
		changed = changed || did
	}
	if changed {
		root.SetInputs(in)
	}
	out, done := rewrite(root)
	if done != "" {
		ctx.note(done)
		changed = true
	}
	return out, changed
}

// untilStable repeats a rewrite from the bottom up until it changes nothing.
func untilStable(ctx *Context, root Operator, rewrite rewriteFunc) Operator {
	for changed := true; changed; {
		root, changed = bottomUp(ctx, root, aboveRoutes, rewrite)
	}
	return root
}

// topDown rewrites operators before their inputs, and what took their place again.
func topDown(ctx *Context, root Operator, enter func(Operator) bool, rewrite rewriteFunc) Operator {
	out, done := rewrite(root)
	if done != "" {
		ctx.note(done)
	}
	if !enter(root) {
		return out
	}
	if done != "" && out != root {
		return topDown(ctx, out, enter, rewrite)
	}
	in := out.Inputs()
	for i, op := range in {
		in[i] = topDown(ctx, op, enter, rewrite)
	}
	if len(in) > 0 {
		out.SetInputs(in)
	}
	return out
}

// swap puts a parent below its only input.
func swap(parent, child Operator, done string) (Operator, string) {
	below := child.Inputs()
	if len(below) != 1 {
		panic(vterrors.VT13001("only operators with one input can be swapped"))
	}
	in := parent.Inputs()
	at := slices.Index(in, child)
	if at < 0 {
		panic(vterrors.VT13001("operator to swap with is not an input"))
	}
	in[at] = below[0]
	parent.SetInputs(in)
	child.SetInputs([]Operator{parent})
	return child, done
}

// cloneTree copies an operator and all below it.
func cloneTree[O Operator](op O) O {
	in := slices.Clone(op.Inputs())
	for i := range in {
		in[i] = cloneTree(in[i])
	}
	return op.Clone(in).(O)
}

// tablesOf is the set of tables that a tree reads.
func tablesOf(root Operator) semantics.TableSet {
	var ts semantics.TableSet
	visit(root, func(op Operator) bool {
		if t, ok := op.(tableIntroducer); ok {
			ts = ts.Merge(t.introducesTables())
		}
		return true
	})
	return ts
}

// costOf adds up what the routes of a tree cost.
func costOf(root Operator) int {
	cost := 0
	visit(root, func(op Operator) bool {
		if r, ok := op.(*Route); ok {
			cost += r.Routing.cost()
		}
		return true
	})
	return cost
}

// TablesUsed lists the tables of a plan as keyspace.table, sorted, each once.
func TablesUsed(root Operator) []string {
	var names []string
	visit(root, func(op Operator) bool {
		switch op := op.(type) {
		case *Table:
			if !op.Query.IsInfSchema {
				names = append(names, QualifiedName(op.VTable))
			}
		case *Vindex:
			names = append(names, op.Name)
		case *Insert:
			names = append(names, QualifiedName(op.VTable))
		case *Update:
			names = append(names, QualifiedName(op.Target.VTable))
		case *Delete:
			names = append(names, QualifiedName(op.Target.VTable))
		case *Route:
			for _, other := range op.MergedWith {
				names = append(names, TablesUsed(other)...)
			}
		}
		for _, beside := range plannedBeside(op) {
			names = append(names, TablesUsed(beside.Root)...)
		}
		return true
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// QualifiedName is keyspace.table.
func QualifiedName(t *vindexes.Table) string {
	return t.Keyspace.Name + "." + t.Name.String()
}
