package sqlengine

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// spatialFunctions are functions of points that the engine lacks. Those of lines and areas are not there.
var spatialFunctions = map[string]scalarFunction{
	"st_distance_sphere": {min: 2, max: 3, typ: fixedType(types.Float64), eval: distanceSphere},
	"st_geometrytype":    {min: 1, max: 1, typ: fixedType(defaultTextType), eval: geometryType},
}

// earthRadius is MySQL's default, in metres.
const earthRadius = 6370986

// distanceSphere is the distance of two points (longitude, latitude in degrees) on a sphere, in metres.
func distanceSphere(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	a, okA := args[0].(types.Point)
	b, okB := args[1].(types.Point)
	if !okA || !okB {
		return nil, errUnsupported("ST_Distance_Sphere of what is no point")
	}
	radius := float64(earthRadius)
	if len(args) > 2 {
		r, err := floatOf(ctx, args[2])
		if err != nil {
			return nil, err
		}
		if r <= 0 {
			return nil, mysqlError(1690, "22003", "Sphere radius value is out of range in 'st_distance_sphere'")
		}
		radius = r
	}
	radians := func(degrees float64) float64 { return degrees * math.Pi / 180 }
	lat1, lat2 := radians(a.Y), radians(b.Y)
	dLat, dLon := math.Sin((lat2-lat1)/2), math.Sin((radians(b.X)-radians(a.X))/2)
	h := dLat*dLat + math.Cos(lat1)*math.Cos(lat2)*dLon*dLon
	return 2 * radius * math.Asin(math.Min(1, math.Sqrt(h))), nil
}

func geometryType(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	switch args[0].(type) {
	case types.Point:
		return "POINT", nil
	case types.LineString:
		return "LINESTRING", nil
	case types.Polygon:
		return "POLYGON", nil
	case types.MultiPoint:
		return "MULTIPOINT", nil
	case types.MultiLineString:
		return "MULTILINESTRING", nil
	case types.MultiPolygon:
		return "MULTIPOLYGON", nil
	case types.GeomColl:
		return "GEOMCOLLECTION", nil
	}
	return nil, nil
}
