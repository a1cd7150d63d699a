package sqlengine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "time/tzdata"
)

// TestLocalTimesFindTheirWayBack walks over the changes of clocks of a year.
func TestLocalTimesFindTheirWayBack(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		end := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
		for at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC); at.Before(end); at = at.Add(10 * time.Minute) {
			local := localTime(at, zone)
			require.Equal(t, at.In(zone).Format(time.DateTime), local.Format(time.DateTime), name)
			require.True(t, utcTime(local, zone).Equal(at), "%s: %s", name, at)
		}
	}
}
