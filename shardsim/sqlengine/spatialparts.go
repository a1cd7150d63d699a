package sqlengine

import (
	"math"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/spatial"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// spatialParts are functions that give parts of geometries and compare their bounding boxes, for plane coordinates. What is
// asked of a geometry of another kind is NULL, as in MySQL.
var spatialParts = map[string]scalarFunction{
	"st_numpoints":        {min: 1, max: 1, typ: fixedType(types.Int64), eval: numPoints},
	"st_pointn":           {min: 2, max: 2, typ: anyGeometry, eval: nthPart(linePoints)},
	"st_numgeometries":    {min: 1, max: 1, typ: fixedType(types.Int64), eval: countParts(members)},
	"st_geometryn":        {min: 2, max: 2, typ: anyGeometry, eval: nthPart(members)},
	"st_numinteriorring":  {min: 1, max: 1, typ: fixedType(types.Int64), eval: countParts(holes)},
	"st_numinteriorrings": {min: 1, max: 1, typ: fixedType(types.Int64), eval: countParts(holes)},
	"st_interiorringn":    {min: 2, max: 2, typ: anyGeometry, eval: nthPart(holes)},
	"st_exteriorring":     {min: 1, max: 1, typ: anyGeometry, eval: exteriorRing},
	"st_isempty":          {min: 1, max: 1, typ: fixedType(types.Int64), eval: isEmptyGeometry},
	"st_envelope":         {min: 1, max: 1, typ: anyGeometry, eval: envelope},
	"st_makeenvelope":     {min: 2, max: 2, typ: anyGeometry, eval: makeEnvelope},
	"st_latitude":         {min: 1, max: 1, typ: fixedType(types.Float64), eval: geographic("st_latitude", func(p types.Point) float64 { return p.Y })},
	"st_longitude":        {min: 1, max: 1, typ: fixedType(types.Float64), eval: geographic("st_longitude", func(p types.Point) float64 { return p.X })},

	"mbrcontains":   {min: 2, max: 2, typ: fixedType(types.Int64), eval: compareBoxes(func(a, b box) bool { return a.contains(b) })},
	"mbrwithin":     {min: 2, max: 2, typ: fixedType(types.Int64), eval: compareBoxes(func(a, b box) bool { return b.contains(a) })},
	"mbrcovers":     {min: 2, max: 2, typ: fixedType(types.Int64), eval: compareBoxes(func(a, b box) bool { return a.covers(b) })},
	"mbrcoveredby":  {min: 2, max: 2, typ: fixedType(types.Int64), eval: compareBoxes(func(a, b box) bool { return b.covers(a) })},
	"mbrequals":     {min: 2, max: 2, typ: fixedType(types.Int64), eval: compareBoxes(func(a, b box) bool { return a == b })},
	"mbrdisjoint":   {min: 2, max: 2, typ: fixedType(types.Int64), eval: compareBoxes(func(a, b box) bool { return !a.meets(b) })},
	"mbrintersects": {min: 2, max: 2, typ: fixedType(types.Int64), eval: compareBoxes(func(a, b box) bool { return a.meets(b) })},
	"mbroverlaps":   {min: 2, max: 2, typ: fixedType(types.Int64), eval: compareBoxes(func(a, b box) bool { return a.overlaps(b) })},
	"mbrtouches":    {min: 2, max: 2, typ: fixedType(types.Int64), eval: compareBoxes(func(a, b box) bool { return a.touches(b) })},

	// Said with what the engine has.
	"st_contains": {min: 2, max: 2, typ: fixedType(types.Int64), eval: containsGeometry},
	"st_disjoint": {min: 2, max: 2, typ: fixedType(types.Int64), eval: disjointGeometries},

	"st_astext": {min: 1, max: 2, typ: fixedType(defaultTextType), eval: geometryText},
	"st_aswkt":  {min: 1, max: 2, typ: fixedType(defaultTextType), eval: geometryText},

	// The engine reads no points in brackets, and other kinds with the last four.
	"st_geomfromtext":               {min: 1, max: 3, typ: anyGeometry, eval: readText[types.GeometryValue]},
	"st_geometryfromtext":           {min: 1, max: 3, typ: anyGeometry, eval: readText[types.GeometryValue]},
	"st_multipointfromtext":         {min: 1, max: 3, typ: anyGeometry, eval: readText[types.MultiPoint]},
	"st_geometrycollectionfromtext": {min: 1, max: 3, typ: anyGeometry, eval: readText[types.GeomColl]},
	"st_multilinestringfromtext":    {min: 1, max: 3, typ: anyGeometry, eval: readText[types.MultiLineString]},
	"st_geometrycollectionfromwkb":  {min: 1, max: 3, typ: anyGeometry, eval: readBinary[types.GeomColl]},
	"st_multipolygonfromwkb":        {min: 1, max: 3, typ: anyGeometry, eval: readBinary[types.MultiPolygon]},
}

func anyGeometry([]sql.Expression) sql.Type { return types.GeometryType{} }

// linePoints, holes and members are the parts of a geometry that have a number: false for one that has none.
func linePoints(g any) ([]types.GeometryValue, bool) {
	line, ok := g.(types.LineString)
	return asGeometries(line.Points), ok
}

func holes(g any) ([]types.GeometryValue, bool) {
	area, ok := g.(types.Polygon)
	if !ok || len(area.Lines) == 0 {
		return nil, ok
	}
	return asGeometries(area.Lines[1:]), true
}

func members(g any) ([]types.GeometryValue, bool) {
	switch g := g.(type) {
	case types.GeomColl:
		return g.Geoms, true
	case types.MultiPoint:
		return asGeometries(g.Points), true
	case types.MultiLineString:
		return asGeometries(g.Lines), true
	case types.MultiPolygon:
		return asGeometries(g.Polygons), true
	}
	return nil, false
}

func asGeometries[G types.GeometryValue](all []G) []types.GeometryValue {
	out := make([]types.GeometryValue, len(all))
	for i, g := range all {
		out[i] = g
	}
	return out
}

func countParts(parts func(any) ([]types.GeometryValue, bool)) func(*sql.Context, *scalarCall, []any) (any, error) {
	return func(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
		all, ok := parts(args[0])
		if !ok {
			return nil, nil
		}
		return int64(len(all)), nil
	}
}

func numPoints(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	return countParts(linePoints)(ctx, call, args)
}

func nthPart(parts func(any) ([]types.GeometryValue, bool)) func(*sql.Context, *scalarCall, []any) (any, error) {
	return func(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
		all, ok := parts(args[0])
		n, err := integer(ctx, args[1])
		if !ok || err != nil || n < 1 || n > int64(len(all)) {
			return nil, err
		}
		return all[n-1], nil
	}
}

func exteriorRing(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	area, ok := args[0].(types.Polygon)
	if !ok || len(area.Lines) == 0 {
		return nil, nil
	}
	return area.Lines[0], nil
}

func isEmptyGeometry(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	if all, ok := args[0].(types.GeomColl); ok && boxOf(all).empty() {
		return int64(1), nil
	}
	return int64(0), nil
}

// geographic gives a coordinate of a point on the globe.
func geographic(name string, part func(types.Point) float64) func(*sql.Context, *scalarCall, []any) (any, error) {
	return func(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
		p, ok := args[0].(types.Point)
		if !ok {
			return nil, mysqlError(3516, "22S01", "%s value is a geometry of unexpected type in %s.", "POINT", name)
		}
		if p.SRID == 0 {
			return nil, mysqlError(3726, "22S00", "Function %s is only defined for geographic spatial reference systems, but one of its arguments is in SRID %d, which is not geographic.", name, p.SRID)
		}
		return part(p), nil
	}
}

// box is the bounding box of a geometry.
type box struct{ x1, y1, x2, y2 float64 }

var noBox = box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}

func boxOf(g any) box {
	b := noBox
	switch g := g.(type) {
	case types.Point:
		return box{g.X, g.Y, g.X, g.Y}
	case types.LineString:
		for _, p := range g.Points {
			b = b.with(boxOf(p))
		}
	case types.Polygon:
		for _, l := range g.Lines {
			b = b.with(boxOf(l))
		}
	default:
		all, _ := members(g)
		for _, m := range all {
			b = b.with(boxOf(m))
		}
	}
	return b
}

func (b box) with(o box) box {
	return box{math.Min(b.x1, o.x1), math.Min(b.y1, o.y1), math.Max(b.x2, o.x2), math.Max(b.y2, o.y2)}
}

func (b box) empty() bool { return b.x1 > b.x2 }

// meets reports whether the boxes have a point in common.
func (b box) meets(o box) bool { return b.x1 <= o.x2 && o.x1 <= b.x2 && b.y1 <= o.y2 && o.y1 <= b.y2 }

// covers reports whether no point of o is outside.
func (b box) covers(o box) bool { return b.x1 <= o.x1 && o.x2 <= b.x2 && b.y1 <= o.y1 && o.y2 <= b.y2 }

// dimension is 0 for a point, 1 for a line and 2 for an area.
func (b box) dimension() int {
	n := 0
	if b.x1 < b.x2 {
		n++
	}
	if b.y1 < b.y2 {
		n++
	}
	return n
}

// insidesMeet reports whether the boxes have inner points in common. A flat side's inside is what it is along the other.
func (b box) insidesMeet(o box) bool {
	along := func(a1, a2, b1, b2 float64) bool {
		if a1 == a2 && b1 == b2 {
			return a1 == b1
		}
		if a1 == a2 {
			return b1 < a1 && a1 < b2
		}
		if b1 == b2 {
			return a1 < b1 && b1 < a2
		}
		return a1 < b2 && b1 < a2
	}
	return along(b.x1, b.x2, o.x1, o.x2) && along(b.y1, b.y2, o.y1, o.y2)
}

func (b box) contains(o box) bool { return b.covers(o) && b.insidesMeet(o) }
func (b box) touches(o box) bool  { return b.meets(o) && !b.insidesMeet(o) }

func (b box) overlaps(o box) bool {
	return b.dimension() == o.dimension() && b.insidesMeet(o) && !b.covers(o) && !o.covers(b)
}

// compareBoxes compares the bounding boxes of two geometries; an empty one has none, which is NULL.
func compareBoxes(holds func(a, b box) bool) func(*sql.Context, *scalarCall, []any) (any, error) {
	return func(_ *sql.Context, call *scalarCall, args []any) (any, error) {
		a, b := boxOf(args[0]), boxOf(args[1])
		if a.empty() || b.empty() {
			return nil, nil
		}
		for _, arg := range args {
			if g, ok := arg.(types.GeometryValue); ok && g.GetSRID() != 0 {
				return nil, errUnsupported(call.name + " of geographic coordinates")
			}
		}
		if holds(a, b) {
			return int64(1), nil
		}
		return int64(0), nil
	}
}

// geometry is the box as ST_Envelope gives it: a point, a line or an area.
func (b box) geometry(srid uint32) any {
	corner := func(x, y float64) types.Point { return types.Point{SRID: srid, X: x, Y: y} }
	switch {
	case b.empty():
		return types.GeomColl{SRID: srid}
	case b.dimension() == 0:
		return corner(b.x1, b.y1)
	case b.dimension() == 1:
		return types.LineString{SRID: srid, Points: []types.Point{corner(b.x1, b.y1), corner(b.x2, b.y2)}}
	}
	ring := types.LineString{SRID: srid, Points: []types.Point{corner(b.x1, b.y1), corner(b.x2, b.y1), corner(b.x2, b.y2), corner(b.x1, b.y2), corner(b.x1, b.y1)}}
	return types.Polygon{SRID: srid, Lines: []types.LineString{ring}}
}

func envelope(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	g, ok := args[0].(types.GeometryValue)
	if !ok {
		return nil, nil
	}
	if g.GetSRID() != 0 {
		return nil, mysqlError(3618, "22S00", "st_envelope(%s) has not been implemented for geographic spatial reference systems.", strings.ToUpper(kindOf(g)))
	}
	return boxOf(g).geometry(0), nil
}

func makeEnvelope(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	a, okA := args[0].(types.Point)
	b, okB := args[1].(types.Point)
	if !okA || !okB {
		return nil, mysqlError(1210, "HY000", "Incorrect arguments to st_makeenvelope")
	}
	return boxOf(a).with(boxOf(b)).geometry(a.SRID), nil
}

func kindOf(g any) string {
	kind, _ := geometryType(nil, nil, []any{g})
	text, _ := kind.(string)
	return text
}

// multiPoints finds MULTIPOINT(1 1,2 2), which MySQL writes MULTIPOINT((1 1),(2 2)).
var multiPoints = regexp.MustCompile(`MULTIPOINT\(([^()]+)\)`)

// bracketed finds points in brackets.
var bracketed = regexp.MustCompile(`(?i)MULTIPOINT\s*\((\s*\([^()]*\)\s*,?)+\s*\)`)

func geometryText(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	if len(args) > 1 {
		return nil, errUnsupported("options of " + call.name)
	}
	text, err := spatial.NewAsWKT(expression.NewLiteral(args[0], call.args[0].Type())).Eval(ctx, nil)
	plain, ok := text.(string)
	if err != nil || !ok {
		return text, err
	}
	return multiPoints.ReplaceAllStringFunc(plain, func(found string) string {
		points := strings.Split(strings.TrimSuffix(strings.TrimPrefix(found, "MULTIPOINT("), ")"), ",")
		return "MULTIPOINT((" + strings.Join(points, "),(") + "))"
	}), nil
}

// readText reads a geometry of one kind from a text, readBinary from its binary form.
func readText[G types.GeometryValue](ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	plain := append([]any(nil), args...)
	plain[0] = bracketed.ReplaceAllStringFunc(shownText(args[0]), func(found string) string {
		return "MULTIPOINT(" + strings.NewReplacer("(", "", ")", "").Replace(found[len("MULTIPOINT"):]) + ")"
	})
	return readGeometry[G](ctx, call, plain, spatial.NewGeomFromText)
}

func readBinary[G types.GeometryValue](ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	return readGeometry[G](ctx, call, args, spatial.NewGeomFromWKB)
}

func readGeometry[G types.GeometryValue](ctx *sql.Context, call *scalarCall, args []any, read func(...sql.Expression) (sql.Expression, error)) (any, error) {
	literals := make([]sql.Expression, len(args))
	for i, a := range args {
		literals[i] = expression.NewLiteral(a, call.args[i].Type())
	}
	e, err := read(literals...)
	if err != nil {
		return nil, err
	}
	g, err := e.Eval(ctx, nil)
	if _, ok := g.(G); err == nil && !ok {
		err = mysqlError(3037, "22023", "Invalid GIS data provided to function %s.", call.name)
	}
	return g, err
}

// containsGeometry is ST_Contains(a, b): whether b is within a.
func containsGeometry(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	a, b := expression.NewLiteral(args[0], call.args[0].Type()), expression.NewLiteral(args[1], call.args[1].Type())
	return spatial.NewWithin(b, a).Eval(ctx, nil)
}

// disjointGeometries is ST_Disjoint(a, b): whether they have no point in common.
func disjointGeometries(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	a, b := expression.NewLiteral(args[0], call.args[0].Type()), expression.NewLiteral(args[1], call.args[1].Type())
	meet, err := spatial.NewIntersects(a, b).Eval(ctx, nil)
	if met, ok := meet.(bool); ok {
		return !met, err
	}
	return meet, err
}
