package store

import (
	"fmt"
	"math/rand"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomKey gives keys with and without a common beginning, some of them each other's beginning.
func randomKey(r *rand.Rand) string {
	switch r.Intn(4) {
	case 0:
		return string(AppendInt(nil, int64(r.Intn(2000))))
	case 1:
		return string(AppendInt(AppendInt(nil, int64(r.Intn(20))), int64(r.Intn(50))))
	case 2:
		return "long common beginning " + fmt.Sprint(r.Intn(300))
	}
	return string([]byte{1, byte(r.Intn(3)), byte(r.Intn(3)), byte(r.Intn(3))}[:1+r.Intn(4)])
}

// TestTreeIsAMap compares a tree with a map through changes, and its forks with what it was when they were taken.
func TestTreeIsAMap(t *testing.T) {
	r := newRand(t)
	var own tree[int]
	want := map[string]int{}
	type fork struct {
		tree tree[int]
		want map[string]int
	}
	var forks []fork
	growing := true
	for n := range 40_000 {
		if n%4000 == 0 {
			growing = !growing || n == 0
		}
		key := randomKey(r)
		if growing && r.Intn(10) > 0 || !growing && r.Intn(10) == 0 {
			own.Set(key, n)
			want[key] = n
		} else {
			if !growing && len(want) > 0 {
				var c treeCursor[int]
				if !c.seek(&own, key) {
					c.first(&own)
				}
				key = c.key()
			}
			own.Delete(key)
			delete(want, key)
		}
		require.Equal(t, len(want), own.Len())
		if n%2500 == 7 {
			forks = append(forks, fork{own, clone(want)})
			own = own.fork()
		}
		if n%1000 == 0 {
			requireTree(t, r, &own, want)
		}
	}
	for i := range forks {
		requireTree(t, r, &forks[i].tree, forks[i].want)
	}
}

func clone(m map[string]int) map[string]int {
	c := make(map[string]int, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

func requireTree(t *testing.T, r *rand.Rand, own *tree[int], want map[string]int) {
	t.Helper()
	keys := make([]string, 0, len(want))
	for k, v := range want {
		keys = append(keys, k)
		got, ok := own.Get(k)
		require.True(t, ok, "%x", k)
		require.Equal(t, v, got)
	}
	sort.Strings(keys)
	require.Equal(t, len(keys), own.Len())
	var got []string
	own.Scan(func(k string, v int) bool {
		require.Equal(t, want[k], v)
		got = append(got, k)
		return true
	})
	require.True(t, slices.Equal(keys, got))
	var near treeCursor[int]
	for range 200 {
		requireSeek(t, own, &near, keys, want, randomKey(r))
	}
}

// requireSeek looks a key up that may be there or not, and walks both ways from it.
func requireSeek(t *testing.T, own *tree[int], near *treeCursor[int], keys []string, want map[string]int, key string) {
	t.Helper()
	value, ok := near.near(own, key)
	wanted, there := want[key]
	require.Equal(t, there, ok)
	require.Equal(t, wanted, value)
	at := sort.SearchStrings(keys, key)
	var up, down treeCursor[int]
	ok = up.seek(own, key)
	for i := at; i < min(at+50, len(keys)); i++ {
		require.True(t, ok)
		require.Equal(t, keys[i], up.key())
		ok = up.next()
	}
	require.Equal(t, at+50 < len(keys), ok)
	ok = down.seekBelow(own, key)
	for i := at - 1; i >= max(at-50, 0); i-- {
		require.True(t, ok)
		require.Equal(t, keys[i], down.key())
		ok = down.prev()
	}
	require.Equal(t, at-50 > 0, ok)
}
