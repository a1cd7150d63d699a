package topo_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	topodatapb "vitess.io/vitess/go/vt/proto/topodata"

	"github.com/vitrodb/vitro/combo/topo"
	"github.com/vitrodb/vitro/vindexes/key"
)

const (
	primary = topodatapb.TabletType_PRIMARY
	replica = topodatapb.TabletType_REPLICA
)

func shards(t *testing.T, names ...string) []key.Shard {
	parsed, err := key.ParseShards(names)
	require.NoError(t, err)
	return parsed
}

func TestServingGraph(t *testing.T) {
	now := time.Unix(1, 0)
	tp := topo.New("zone1")
	require.NoError(t, tp.AddKeyspace("user", shards(t, "-80", "80-")))
	require.NoError(t, tp.AddKeyspace("main", shards(t, "0")))
	require.Equal(t, []string{"main", "user"}, tp.Keyspaces())
	require.ErrorContains(t, tp.AddKeyspace("main", nil), "VT06001")

	for i, want := range []struct {
		keyspace, shard, alias string
		tabletType             topodatapb.TabletType
	}{
		{"user", "-80", "zone1-0000000100", primary},
		{"user", "80-", "zone1-0000000200", primary},
		{"user", "-80", "zone1-0000000101", replica},
		{"main", "0", "zone1-0000000300", primary},
	} {
		tablet, err := tp.AddTablet(want.keyspace, want.shard, want.tabletType, now)
		require.NoError(t, err)
		require.Equal(t, want.alias, tablet.Alias.String(), i)
	}
	_, err := tp.AddTablet("user", "0", primary, now)
	require.ErrorContains(t, err, "no such shard")

	tablet, err := tp.Serving("user", "80-", primary)
	require.NoError(t, err)
	require.Equal(t, "zone1-0000000200", tablet.Alias.String())
	_, err = tp.Serving("user", "80-", replica)
	require.ErrorContains(t, err, "target: user.80-.replica: no healthy tablet")

	require.NoError(t, tp.SetServing(tablet.Alias, false))
	_, err = tp.Serving("user", "80-", primary)
	require.Error(t, err)
	require.Error(t, tp.SetServing(key.TabletAlias{Cell: "x"}, true))

	require.NoError(t, tp.RemoveKeyspace("user"))
	require.ErrorContains(t, tp.RemoveKeyspace("user"), "VT05001")
	_, err = tp.Shards("user")
	require.ErrorContains(t, err, "VT05003: unknown database 'user' in vschema")
	require.Len(t, tp.Tablets(), 1)
}

func TestWatch(t *testing.T) {
	tp := topo.New("zone1")
	before, changed := tp.Watch()
	select {
	case <-changed:
		t.Fatal("nothing has changed yet")
	default:
	}
	require.NoError(t, tp.AddKeyspace("ks", shards(t, "0")))
	<-changed
	after, _ := tp.Watch()
	require.Equal(t, before+1, after)
}

func TestConcurrentUse(t *testing.T) {
	tp := topo.New("zone1")
	var group sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d"} {
		group.Go(func() {
			for range 50 {
				require.NoError(t, tp.AddKeyspace(name, shards(t, "0")))
				_, err := tp.AddTablet(name, "0", primary, time.Unix(1, 0))
				require.NoError(t, err)
				_, err = tp.Serving(name, "0", primary)
				require.NoError(t, err)
				require.NoError(t, tp.RemoveKeyspace(name))
			}
		})
	}
	group.Wait()
	require.Empty(t, tp.Keyspaces())
}
