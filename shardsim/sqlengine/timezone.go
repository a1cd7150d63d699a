package sqlengine

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/mysql/datetime"
)

// TIMESTAMP columns hold points in time: the store has them in UTC, and statements see them in the session's time zone.
// Rows are converted where they leave a table and where they are written back, so the engine, to which a TIMESTAMP is a
// date and time of no zone, computes in local time as MySQL does. A local time that comes twice, when clocks go back,
// has a nanosecond more the second time, by which it finds its way back.

// zone returns the session's time zone, nil if it is UTC. SYSTEM is UTC.
func (s *sqlSession) zone() *time.Location {
	v, ok := s.vars["time_zone"]
	if !ok {
		return nil
	}
	name, _ := v.Val.(string)
	switch strings.ToUpper(name) {
	case "", "SYSTEM", "UTC", "+00:00", "-00:00":
		return nil
	}
	loc, err := datetime.ParseTimeZone(name)
	if err != nil {
		return nil
	}
	return loc
}

// checkZone refuses a time zone there is not.
func checkZone(value any) error {
	name, ok := value.(string)
	if !ok || strings.EqualFold(name, "SYSTEM") {
		return nil
	}
	if _, err := datetime.ParseTimeZone(name); err != nil {
		return mysqlError(1298, "HY000", "Unknown or incorrect time zone: '%s'", name)
	}
	return nil
}

// timestamps returns the positions of the TIMESTAMP columns.
func (m *tableMeta) timestamps() []int {
	var at []int
	for i, c := range m.columns {
		if types.IsTimestampType(c.Type) {
			at = append(at, i)
		}
	}
	return at
}

// localRow returns a row of the store as statements see it.
func localRow(row []any, timestamps []int, zone *time.Location) []any {
	local := append([]any(nil), row...)
	for _, at := range timestamps {
		if t, ok := local[at].(time.Time); ok {
			local[at] = localTime(t, zone)
		}
	}
	return local
}

// storedRow is the row localRow was made from, or one as the store keeps it.
func storedRow(row []any, timestamps []int, zone *time.Location) []any {
	stored := append([]any(nil), row...)
	for _, at := range timestamps {
		if t, ok := stored[at].(time.Time); ok {
			stored[at] = utcTime(t, zone)
		}
	}
	return stored
}

const secondTime = time.Nanosecond

func localTime(utc time.Time, zone *time.Location) time.Time {
	if utc.Equal(zeroTime) {
		return utc
	}
	l := utc.In(zone)
	wall := time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), l.Second(), l.Nanosecond(), time.UTC)
	if !utcTime(wall, zone).Equal(utc) {
		wall = wall.Add(secondTime)
	}
	return wall
}

func utcTime(wall time.Time, zone *time.Location) time.Time {
	if wall.Equal(zeroTime) {
		return wall
	}
	second := wall.Nanosecond()%int(time.Microsecond) == int(secondTime)
	wall = wall.Truncate(time.Microsecond)
	at := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
	_, before := at.Add(-zoneChange).Zone()
	_, after := at.Add(zoneChange).Zone()
	if before > after {
		// Clocks go back about now: the time comes twice if it is one under both offsets.
		first, again := wall.Add(-time.Duration(before)*time.Second), wall.Add(-time.Duration(after)*time.Second)
		if hasOffset(first, zone, before) && hasOffset(again, zone, after) {
			if second {
				return again
			}
			return first
		}
	}
	return at.UTC()
}

// zoneChange is longer than any change of clocks.
const zoneChange = 3 * time.Hour

func hasOffset(utc time.Time, zone *time.Location, offset int) bool {
	_, o := utc.In(zone).Zone()
	return o == offset
}

// zoned returns the TIMESTAMP columns to convert and the zone to convert to; none if the statement sees the store's times.
func (t *table) zoned(s *sqlSession) ([]int, *time.Location) {
	zone := s.zone()
	if zone == nil || s.stmt.copy {
		return nil, nil
	}
	return t.meta.timestamps(), zone
}
