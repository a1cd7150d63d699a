package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Distinct drops rows that are there already.
type Distinct struct {
	unary
	truncated
	// required is false for one that only saves rows: another one above makes the result right.
	required bool
	// helped is set once inputs have been told to drop duplicates too.
	helped bool
	// Checks are the columns compared, set once offsets are planned.
	Checks []DistinctColumn
}

// DistinctColumn is a column that Distinct compares. WeightString is nil for none.
type DistinctColumn struct {
	Offset       int
	WeightString *int
	Type         evalengine.Type
}

func newDistinct(src Operator, required bool) *Distinct {
	return &Distinct{unary: unary{src}, required: required}
}

// Clone copies the distinct.
func (d *Distinct) Clone(in []Operator) Operator {
	c := *d
	c.Source, c.Checks = in[0], slices.Clone(d.Checks)
	return &c
}

// Columns are the source's.
func (d *Distinct) Columns(ctx *Context) []*sqlparser.AliasedExpr {
	return keep(&d.truncated, d.Source.Columns(ctx))
}

// SelectExprs are the source's.
func (d *Distinct) SelectExprs(ctx *Context) []sqlparser.SelectExpr {
	return keep(&d.truncated, d.Source.SelectExprs(ctx))
}

func (d *Distinct) planOffsets(ctx *Context) Operator {
	d.Checks = distinctColumns(ctx, d.Source)
	return nil
}

// distinctColumns compares all columns of an operator.
func distinctColumns(ctx *Context, op Operator) []DistinctColumn {
	var checks []DistinctColumn
	for i, col := range op.Columns(ctx) {
		check := DistinctColumn{Offset: i}
		if ctx.needsWeightString(col.Expr) {
			ws := op.AddWeightString(ctx, i, false)
			check.WeightString = &ws
		}
		check.Type, _ = ctx.TypeOf(col.Expr)
		checks = append(checks, check)
	}
	return checks
}

// Describe says whether it is required.
func (d *Distinct) Describe() string {
	if d.required {
		return "Distinct"
	}
	return "Distinct (to save rows)"
}

// pushDistinct moves a distinct into a route that needs no other, or lets inputs drop duplicates early.
func pushDistinct(d *Distinct) (Operator, string) {
	if d.required && d.helped {
		return d, ""
	}
	switch src := d.Source.(type) {
	case *Route:
		switch {
		case isDistinct(src.Source) && src.IsSingleShard():
			return src, "distinct not needed"
		case src.IsSingleShard() || !d.required:
			return swap(d, src, "push distinct under route")
		case isDistinct(src.Source):
			return d, ""
		}
		src.Source = newDistinct(src.Source, false)
		d.helped = true
		return d, "added distinct under route, kept original"
	case *Distinct:
		src.required, src.helped = d.required || src.required, false
		return src, "remove double distinct"
	case *Union:
		for i := range src.Sources {
			src.Sources[i] = newDistinct(src.Sources[i], false)
		}
		d.helped = true
		return d, "push down distinct under union"
	case joinOperator:
		lhs, rhs := src.sides()
		src.setSides(newDistinct(lhs, false), newDistinct(rhs, false))
		d.helped = true
		if d.required {
			return d, "push distinct under join, kept original"
		}
		return src, "push distinct under join"
	case *Ordering:
		d.Source = src.Source
		return d, "remove ordering under distinct"
	}
	return d, ""
}

// isDistinct tells whether an operator returns no row twice.
func isDistinct(op Operator) bool {
	switch op := op.(type) {
	case *Distinct:
		return true
	case *Union:
		return op.distinct
	case *Horizon:
		return isDistinctQuery(op.Query)
	case *Limit:
		return isDistinct(op.Source)
	}
	return false
}

func isDistinctQuery(stmt sqlparser.Statement) bool {
	d, ok := stmt.(sqlparser.Distinctable)
	return ok && d.IsDistinct()
}
