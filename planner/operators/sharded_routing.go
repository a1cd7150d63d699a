package operators

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

type (
	// ShardedRouting is for tables that a vindex spreads over shards. It collects what predicates say of vindex columns and
	// goes by the cheapest vindex of which all columns are known, to all shards if there is none.
	ShardedRouting struct {
		keyspace *vindexes.Keyspace
		code     opcode.Opcode
		// Selected is nil for a scatter.
		Selected *VindexChoice
		usable   []*usableVindex
		seen     []sqlparser.Expr
	}

	// usableVindex is a vindex of one of the tables, with the ways found so far to give it values.
	usableVindex struct {
		table   semantics.TableSet
		column  *vindexes.ColumnVindex
		types   []querypb.Type // of the vindex's columns
		choices []*VindexChoice
	}

	// VindexChoice is one way to give a vindex its values.
	VindexChoice struct {
		Vindex vindexes.Vindex
		Opcode opcode.Opcode
		// Values and Predicates have one entry for each column of the vindex, nil for those not known yet.
		Values     []evalengine.Expr
		Predicates []sqlparser.Expr
		// ColumnTypes are the types of the vindex's columns, NULL_TYPE where not known.
		ColumnTypes []querypb.Type

		exprs    []sqlparser.Expr // the values as SQL
		columns  map[string]bool  // the columns known, in lower case
		complete bool
		cost     vindexCost
	}

	vindexCost struct {
		code   opcode.Opcode
		unique bool
		cost   int
	}

	// vindexUse says how a predicate would use a vindex: by which opcode, and through which vindex. Scatter or a nil vindex
	// mean not at all.
	vindexUse func(cv *vindexes.ColumnVindex) (opcode.Opcode, vindexes.Vindex)
)

func newShardedRouting(ctx *Context, vtable *vindexes.Table, id semantics.TableSet) *ShardedRouting {
	r := &ShardedRouting{keyspace: vtable.Keyspace, code: opcode.Scatter}
	if vtable.Pinned != nil {
		r.code = opcode.EqualUnique
		r.Selected = pinnedTo(vtable.Pinned)
	}
	var hint *sqlparser.IndexHint
	if info, err := ctx.Sem.Info(id); err == nil {
		hint = info.VindexHint
	}
	for _, cv := range vtable.ColumnVindexes {
		if cv.IsBackfilling() || !allowedByHint(hint, cv.Name) {
			continue
		}
		r.usable = append(r.usable, &usableVindex{table: id, column: cv, types: vtable.ColumnTypes(cv.Columns)})
	}
	return r
}

// pinnedTo chooses the one keyspace id that holds a whole table: "binary" takes values for keyspace ids as they are.
func pinnedTo(ksid []byte) *VindexChoice {
	return &VindexChoice{
		Vindex:   must(vindexes.Types().New("binary", "binary", nil)),
		Opcode:   opcode.EqualUnique,
		Values:   []evalengine.Expr{evalengine.NewLiteralString(ksid, collations.SystemCollation)},
		complete: true,
		cost:     vindexCost{code: opcode.EqualUnique},
	}
}

func allowedByHint(hint *sqlparser.IndexHint, name string) bool {
	if hint == nil {
		return true
	}
	named := slices.ContainsFunc(hint.Indexes, func(i sqlparser.IdentifierCI) bool { return i.EqualString(name) })
	if hint.Type == sqlparser.UseVindexOp {
		return named
	}
	return !named
}

// Opcode is how the shards are found.
func (r *ShardedRouting) Opcode() opcode.Opcode { return r.code }

// Keyspace is the keyspace of all tables of the route.
func (r *ShardedRouting) Keyspace() *vindexes.Keyspace { return r.keyspace }

func (r *ShardedRouting) cost() int {
	switch r.code {
	case opcode.EqualUnique:
		return 1
	case opcode.Equal, opcode.SubShard:
		return 5
	case opcode.IN, opcode.Between, opcode.MultiEqual:
		return 10
	}
	return 20
}

func (r *ShardedRouting) clone() Routing {
	c := *r
	c.seen = slices.Clone(r.seen)
	c.usable = make([]*usableVindex, len(r.usable))
	for i, u := range r.usable {
		copied := *u
		c.usable[i] = &copied
	}
	if r.Selected != nil {
		selected := *r.Selected
		c.Selected = &selected
	}
	return &c
}

func (r *ShardedRouting) narrow(ctx *Context, pred sqlparser.Expr) Routing {
	r.seen = append(r.seen, pred)
	if r.consider(ctx, currentForm(pred)) {
		r.choose()
	}
	return r
}

func (r *ShardedRouting) reset(ctx *Context) Routing {
	r.code, r.Selected = opcode.Scatter, nil
	for i, u := range r.usable {
		r.usable[i] = &usableVindex{table: u.table, column: u.column}
	}
	var routing Routing = r
	for _, pred := range slices.Clone(r.seen) {
		routing = narrowRouting(ctx, pred, routing)
	}
	return routing
}

// choose takes the cheapest complete choice of all vindexes.
func (r *ShardedRouting) choose() {
	for _, u := range r.usable {
		best := u.best()
		if best != nil && (r.Selected == nil || best.cost.less(r.Selected.cost)) {
			r.Selected, r.code = best, best.Opcode
		}
	}
}

// best is the cheapest complete choice; the other complete ones are dropped.
func (u *usableVindex) best() *VindexChoice {
	var best *VindexChoice
	var open []*VindexChoice
	for _, c := range u.choices {
		switch {
		case !c.complete:
			open = append(open, c)
		case best == nil || c.cost.less(best.cost):
			best = c
		}
	}
	if best != nil {
		open = append(open, best)
	}
	u.choices = open
	return best
}

// less orders by opcode, then by uniqueness, then by declared cost; of equals the later one wins.
func (c vindexCost) less(other vindexCost) bool {
	if c.code != other.code {
		return c.code < other.code
	}
	if c.unique != other.unique {
		return c.unique
	}
	return c.cost <= other.cost
}

// offer gives a value of a column to all vindexes that have the column, and tells whether one of them is complete by it.
func (r *ShardedRouting) offer(ctx *Context, pred, valueExpr sqlparser.Expr, col *sqlparser.ColName, value evalengine.Expr, use vindexUse) bool {
	deps := ctx.Sem.DirectDeps(col)
	completed := false
	for _, u := range r.usable {
		if !deps.IsSolvedBy(u.table) {
			continue
		}
		at := slices.IndexFunc(u.column.Columns, col.Name.Equal)
		if at < 0 {
			continue
		}
		if _, isMulti := u.column.Vindex.(vindexes.MultiColumn); !isMulti && at > 0 {
			continue
		}
		code, vindex := use(u.column)
		if vindex == nil || code == opcode.Scatter {
			continue
		}
		if u.extend(at, pred, valueExpr, value, code, vindex) {
			completed = true
		}
	}
	return completed
}

// extend adds a value to every choice that lacks the column, and starts a new choice with it.
func (u *usableVindex) extend(at int, pred, valueExpr sqlparser.Expr, value evalengine.Expr, code opcode.Opcode, vindex vindexes.Vindex) bool {
	size := len(u.column.Columns)
	if _, isMulti := u.column.Vindex.(vindexes.MultiColumn); !isMulti {
		size = 1
	}
	name := u.column.Columns[at].Lowered()
	fresh := &VindexChoice{
		Vindex: vindex, Opcode: code, columns: map[string]bool{},
		Values: make([]evalengine.Expr, size), Predicates: make([]sqlparser.Expr, size),
		ColumnTypes: u.types,
		cost:        costOfVindex(u.column, code),
	}
	var grown []*VindexChoice
	for _, c := range u.choices {
		if !c.complete && !c.columns[name] {
			grown = append(grown, c.copied())
		}
	}
	grown = append(grown, fresh)
	completed := false
	for _, c := range grown {
		c.columns[name] = true
		c.Values[at], c.Predicates[at] = value, pred
		if valueExpr != nil {
			c.exprs = append(c.exprs, valueExpr)
		}
		if c.Opcode < code {
			c.Opcode, c.cost = code, costOfVindex(u.column, code)
		}
		c.complete = len(c.columns) == size
		completed = completed || c.complete
	}
	u.choices = append(u.choices, grown...)
	return completed
}

func (c *VindexChoice) copied() *VindexChoice {
	n := *c
	n.Values = slices.Clone(c.Values)
	n.Predicates = slices.Clone(c.Predicates)
	n.exprs = slices.Clone(c.exprs)
	n.columns = map[string]bool{}
	for name := range c.columns {
		n.columns[name] = true
	}
	return &n
}

func costOfVindex(cv *vindexes.ColumnVindex, code opcode.Opcode) vindexCost {
	return vindexCost{code: code, unique: cv.IsUnique(), cost: cv.Cost()}
}

// sameVindex tells whether both routings go by one and the same vindex.
func (r *ShardedRouting) sameVindex(other *ShardedRouting) bool {
	var a, b vindexes.Vindex
	if r.Selected != nil {
		a = r.Selected.Vindex
	}
	if other.Selected != nil {
		b = other.Selected.Vindex
	}
	return a == b
}

func (r *ShardedRouting) values() []sqlparser.Expr {
	if r.Selected == nil {
		return nil
	}
	return r.Selected.exprs
}

// improve looks for a way to avoid a scatter: predicates are normalised, and a column compared by OR becomes an IN.
func (r *ShardedRouting) improve(ctx *Context, qt *QueryTable) Routing {
	preds := qt.Predicates
	qt.Predicates, r.seen = nil, nil
	var routing Routing = r
	for _, pred := range preds {
		normal := sqlparser.RewritePredicate(pred).(sqlparser.Expr)
		for _, p := range sqlparser.SplitAndExpression(nil, normal) {
			qt.Predicates = append(qt.Predicates, p)
			routing = narrowRouting(ctx, p, routing)
		}
	}
	if sharded, ok := routing.(*ShardedRouting); !ok || sharded.code != opcode.Scatter {
		return routing
	}
	for _, p := range qt.Predicates {
		or, ok := p.(*sqlparser.OrExpr)
		if !ok {
			continue
		}
		for _, in := range sqlparser.ExtractINFromOR(or) {
			routing = narrowRouting(ctx, in, routing)
		}
	}
	return routing
}

func (c *VindexChoice) String() string {
	var names []string
	for name := range c.columns {
		names = append(names, name)
	}
	slices.Sort(names)
	return c.Vindex.String() + "(" + strings.Join(names, ",") + ")"
}
