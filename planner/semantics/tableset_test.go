package semantics

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTableSetIsASet compares with maps, also beyond one word.
func TestTableSetIsASet(t *testing.T) {
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		a, b := map[int]bool{}, map[int]bool{}
		var x, y TableSet
		for range random.IntN(20) {
			i, j := random.IntN(MaxTables), random.IntN(MaxTables)
			a[i], b[j] = true, true
			x, y = x.Merge(SingleTable(i)), y.Merge(SingleTable(j))
		}
		overlap, solved := false, true
		for i := range a {
			overlap = overlap || b[i]
			solved = solved && b[i]
			require.True(t, SingleTable(i).IsSolvedBy(x), "seed %d", seed)
		}
		require.Equal(t, overlap, x.IsOverlapping(y), "seed %d", seed)
		require.Equal(t, solved, x.IsSolvedBy(y), "seed %d", seed)
		require.Equal(t, len(a), x.NumberOfTables(), "seed %d", seed)
		require.Equal(t, len(a) == 0, x.IsEmpty(), "seed %d", seed)
		require.Equal(t, x, x.Remove(y).Merge(x.KeepOnly(y)), "seed %d", seed)
		require.False(t, x.Remove(y).IsOverlapping(y), "seed %d", seed)
	}
}

func TestTableOffset(t *testing.T) {
	require.Equal(t, 130, SingleTable(130).TableOffset())
	require.Less(t, TableSet{}.TableOffset(), 0, "the empty set")
	require.Less(t, SingleTable(1).Merge(SingleTable(2)).TableOffset(), 0, "more than one")
}
