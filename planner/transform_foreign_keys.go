package planner

import (
	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/planner/operators"
)

// planned makes the primitive of a statement beside another one. Its names are its own, and so is its context.
func (b *builder) planned(p operators.Planned) (engine.Primitive, error) {
	return b.transform(p.Ctx, p.Root)
}

func (b *builder) fkCascade(ctx *operators.Context, op *operators.FkCascade) (engine.Primitive, error) {
	parent, err := b.transform(ctx, op.Parent)
	if err != nil {
		return nil, err
	}
	out := &engine.FkCascade{Parent: parent}
	if out.Selection, err = b.planned(op.Selection); err != nil {
		return nil, err
	}
	for _, child := range op.Children {
		exec, err := b.planned(child.Planned)
		if err != nil {
			return nil, err
		}
		made := &engine.FkChild{BVName: child.BindVar, Cols: child.Cols, Exec: exec}
		for _, value := range child.Computed {
			made.NonLiteralInfo = append(made.NonLiteralInfo, engine.NonLiteralUpdateInfo{
				CompExprCol: value.Same, UpdateExprCol: value.Value, UpdateExprBvName: value.BindVar, At: value.At,
			})
		}
		out.Children = append(out.Children, made)
	}
	return out, nil
}

func (b *builder) fkVerify(ctx *operators.Context, op *operators.FkVerify) (engine.Primitive, error) {
	change, err := b.transform(ctx, op.Change)
	if err != nil {
		return nil, err
	}
	out := &engine.FkVerify{Exec: change}
	for _, check := range op.Checks {
		exec, err := b.planned(check.Planned)
		if err != nil {
			return nil, err
		}
		kind := engine.ChildVerify
		if check.OfParent {
			kind = engine.ParentVerify
		}
		out.Verify = append(out.Verify, &engine.Verify{Exec: exec, Typ: kind})
	}
	return out, nil
}

func (b *builder) upsert(op *operators.Upsert) (engine.Primitive, error) {
	out := &engine.Upsert{}
	for _, row := range op.Rows {
		insert, err := b.step(row.Insert)
		if err != nil {
			return nil, err
		}
		update, err := b.planned(row.Update)
		if err != nil {
			return nil, err
		}
		out.AddUpsert(insert, update)
	}
	return out, nil
}

func (b *builder) sequential(op *operators.Sequential) (engine.Primitive, error) {
	var sources []engine.Primitive
	for _, step := range op.Steps {
		source, err := b.step(step)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source)
	}
	return engine.NewSequential(sources), nil
}

// step makes the primitive of one of several statements that run as one. An INSERT says that it must not commit by itself.
func (b *builder) step(p operators.Planned) (engine.Primitive, error) {
	out, err := b.planned(p)
	if ins, ok := out.(*engine.Insert); ok {
		ins.PreventAutoCommit = true
	}
	return out, err
}
