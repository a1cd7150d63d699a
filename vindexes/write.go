package vindexes

import (
	"bytes"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
)

// Write writes a VSchema as JSON that Load reads: {"keyspaces": {...}, "routing_rules": {...}, ...}, or with a keyspace's name
// that keyspace alone. Keys stand in a fixed order, names sorted. It
// fails for a keyspace that is not there.
func Write(def *vschemapb.SrvVSchema, keyspace string) ([]byte, error) {
	var message proto.Message = def
	if keyspace != "" {
		ks, ok := def.GetKeyspaces()[keyspace]
		if !ok {
			var names []string
			for name := range def.GetKeyspaces() {
				names = append(names, name)
			}
			return nil, fmt.Errorf("there is no keyspace %s%s", keyspace, DidYouMean(keyspace, names))
		}
		message = ks
	}
	text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("write the VSchema: %w", err)
	}
	// protojson puts blanks where it likes, so that nobody relies on them.
	var compact, out bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, fmt.Errorf("write the VSchema: %w", err)
	}
	if err := json.Indent(&out, compact.Bytes(), "", "  "); err != nil {
		return nil, fmt.Errorf("write the VSchema: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
