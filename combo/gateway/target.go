package gateway

import (
	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes/key"
)

// primaryType is what writes go to.
const primaryType = topodatapb.TabletType_PRIMARY

// use changes what the session's statements go to: `ks`, `ks:-80`, `ks@replica`, `ks[40-80]`, `@replica`.
func (s *Session) use(text string) error {
	target, err := key.ParseTarget(text, primaryType)
	if err != nil {
		return err
	}
	if target.Keyspace != "" && !s.knows(target.Keyspace) {
		return vterrors.VT05003(target.Keyspace)
	}
	if _, ok := target.Destination.(key.DestinationShard); ok {
		if _, err := s.shardsOf(target.Keyspace, target.Destination); err != nil {
			return err
		}
	}
	s.target, s.targetText = target, text
	s.planKeyText = ""
	return nil
}

// keyspace returns the selected keyspace, or the only one there is, else "".
func (s *Session) keyspace() string {
	if s.target.Keyspace != "" {
		return s.target.Keyspace
	}
	vs := s.gateway.VSchema()
	if len(vs.Keyspaces) != 1 {
		return ""
	}
	return vs.KeyspaceNames()[0]
}

// knows reports whether there is such a keyspace or system schema.
func (s *Session) knows(keyspace string) bool {
	if sqlparser.SystemSchema(keyspace) {
		return true
	}
	if _, ok := s.gateway.VSchema().Keyspaces[keyspace]; ok {
		return true
	}
	_, err := s.gateway.cfg.Topology.Shards(keyspace)
	return err == nil
}

// shardsOf resolves a destination and checks that its shards exist.
func (s *Session) shardsOf(keyspace string, dest key.Destination) ([]string, error) {
	shards, err := s.gateway.cfg.Topology.Shards(keyspace)
	if err != nil {
		return nil, err
	}
	names, err := key.Resolve(dest, shards)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, err := s.gateway.cfg.Topology.Tablet(keyspace, name, s.target.TabletType); err != nil {
			return nil, err
		}
	}
	return names, nil
}
