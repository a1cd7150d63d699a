package vindexes

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
)

// LoadFile reads a VSchema file; see Load.
func LoadFile(keyspace, file string) (*vschemapb.SrvVSchema, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Load(keyspace, data, file)
}

// LoadRoutingRules reads a file of routing rules, {"rules": [{"from_table":
// ..., "to_tables": [...]}]}. Errors as Load's.
func LoadRoutingRules(file string) (*vschemapb.RoutingRules, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	rules := &vschemapb.RoutingRules{}
	root, wrong := parseJSON(data)
	if wrong == nil {
		wrong = checkMessage(root, rules.ProtoReflect().Descriptor(), "")
	}
	if wrong != nil {
		wrong.File = file
		return nil, wrong
	}
	return rules, unmarshal(data, rules)
}

// Load reads a VSchema in JSON, as Vitess's tools write it: that of one
// keyspace, {"sharded": ..., "vindexes": ..., "tables": ...}; of several,
// {"keyspaces": {...}, "routing_rules": {...}, ...}; or keyspaces by name,
// {"shop": {...}, "user": {...}}. The first form needs the keyspace's name and
// the last is only taken without one. Fields may be written snake_case or
// camelCase.
//
// It checks the form alone; Build checks the meaning. Errors are *Error with
// file, line, JSON path and, for a name that is not known, the nearest one.
func Load(keyspace string, data []byte, file string) (*vschemapb.SrvVSchema, error) {
	def, err := load(keyspace, data)
	var wrong *Error
	if errors.As(err, &wrong) {
		wrong.File = file
	}
	return def, err
}

func load(keyspace string, data []byte) (*vschemapb.SrvVSchema, error) {
	root, wrong := parseJSON(data)
	if wrong != nil {
		return nil, wrong
	}
	if root.kind != jsonObject {
		return nil, &Error{Line: root.line, Message: fmt.Sprintf("a VSchema is an object, not %s", root.kind)}
	}
	def := &vschemapb.SrvVSchema{}
	switch {
	case root.member("keyspaces") != nil:
		if wrong := checkMessage(root, def.ProtoReflect().Descriptor(), ""); wrong != nil {
			return nil, wrong
		}
		return def, unmarshal(data, def)
	case keyspace != "":
		ks, err := loadKeyspace(root, keyspace, data)
		if err != nil {
			return nil, err
		}
		def.Keyspaces = map[string]*vschemapb.Keyspace{keyspace: ks}
		return def, nil
	}
	if desc := (&vschemapb.Keyspace{}).ProtoReflect().Descriptor(); checkMessage(root, desc, "") == nil && len(root.members) > 0 {
		return nil, &Error{Line: root.line, Message: "this is the VSchema of one keyspace, and it is not known which: wrap it, as {\"keyspaces\": {\"NAME\": ...}}"}
	}
	var all struct {
		Keyspaces map[string]json.RawMessage
	}
	if err := json.Unmarshal(data, &all.Keyspaces); err != nil {
		return nil, &Error{Line: root.line, Message: err.Error()}
	}
	def.Keyspaces = map[string]*vschemapb.Keyspace{}
	for _, m := range root.members {
		ks, err := loadKeyspace(m.value, m.name, all.Keyspaces[m.name])
		if err != nil {
			var wrong *Error
			if errors.As(err, &wrong) {
				wrong.Path = join(m.name, wrong.Path)
			}
			return nil, err
		}
		def.Keyspaces[m.name] = ks
	}
	return def, nil
}

// loadKeyspace reads the VSchema of one keyspace. A keyspace wrapped in its
// own name, or in any one name, gets a hint.
func loadKeyspace(root *jsonNode, keyspace string, data []byte) (*vschemapb.Keyspace, error) {
	ks := &vschemapb.Keyspace{}
	desc := ks.ProtoReflect().Descriptor()
	if len(root.members) == 1 && fieldOf(desc, root.members[0].name) == nil {
		inner := root.members[0]
		if inner.value.kind == jsonObject && checkMessage(inner.value, desc, "") == nil && len(inner.value.members) > 0 {
			return nil, &Error{Line: root.line, Path: inner.name, Message: fmt.Sprintf(
				"the keyspace is wrapped one level too deep: the file must hold the value of %q itself, or {\"keyspaces\": {%q: ...}}", inner.name, keyspace)}
		}
	}
	if wrong := checkMessage(root, desc, ""); wrong != nil {
		return nil, wrong
	}
	return ks, unmarshal(data, ks)
}

// unmarshal fills a message whose form has been checked. Members that stand
// for comments are left out.
func unmarshal(data []byte, message protoreflect.ProtoMessage) error {
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(data, message); err != nil {
		text := err.Error()
		if _, after, ok := strings.Cut(text, "): "); ok { // "proto: (line 1:2): what is wrong"
			text = after
		}
		return &Error{Message: text}
	}
	return nil
}

// fieldOf finds a message's field by its snake_case or camelCase name.
func fieldOf(desc protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	if field := desc.Fields().ByName(protoreflect.Name(name)); field != nil {
		return field
	}
	return desc.Fields().ByJSONName(name)
}

// checkMessage checks an object against the fields of a message. A name that
// begins with "_", "$" or "/" is a comment, and so is a table's "name", which
// some of Vitess's own VSchemas have. A field whose name is none and near none
// is passed over, as Vitess does, beside one that is known: else the object may
// be something else altogether.
func checkMessage(node *jsonNode, desc protoreflect.MessageDescriptor, path string) *Error {
	if node.kind == jsonNull {
		return nil
	}
	if node.kind != jsonObject {
		return wrongKind(node, path, jsonObject)
	}
	for _, m := range node.members {
		if strings.ContainsAny(m.name[:min(1, len(m.name))], "_$/") || m.name == "name" && desc.Name() == "Table" {
			continue
		}
		field := fieldOf(desc, m.name)
		if field == nil {
			var names []string
			for i := range desc.Fields().Len() {
				names = append(names, string(desc.Fields().Get(i).Name()))
			}
			slices.Sort(names)
			if nearest(m.name, names) == "" && knowsSome(node, desc) {
				continue // Vitess passes over fields that it does not know
			}
			return &Error{Line: m.value.line, Path: join(path, m.name), Message: fmt.Sprintf("there is no field %q here%s", m.name, DidYouMean(m.name, names))}
		}
		if wrong := checkField(m.value, field, join(path, m.name)); wrong != nil {
			return wrong
		}
	}
	return nil
}

// knowsSome tells whether an object has one of a message's fields.
func knowsSome(node *jsonNode, desc protoreflect.MessageDescriptor) bool {
	return slices.ContainsFunc(node.members, func(m jsonMember) bool { return fieldOf(desc, m.name) != nil })
}

// checkField checks a value against a field: a map, a list or a single value.
func checkField(node *jsonNode, field protoreflect.FieldDescriptor, path string) *Error {
	switch {
	case node.kind == jsonNull:
		return nil
	case field.IsMap():
		if node.kind != jsonObject {
			return wrongKind(node, path, jsonObject)
		}
		for _, m := range node.members {
			if wrong := checkSingle(m.value, field.MapValue(), join(path, m.name)); wrong != nil {
				return wrong
			}
		}
		return nil
	case field.IsList():
		if node.kind != jsonArray {
			return wrongKind(node, path, jsonArray)
		}
		for i, element := range node.elements {
			if wrong := checkSingle(element, field, fmt.Sprintf("%s[%d]", path, i)); wrong != nil {
				return wrong
			}
		}
		return nil
	}
	return checkSingle(node, field, path)
}

// checkSingle checks one value against a field's type.
func checkSingle(node *jsonNode, field protoreflect.FieldDescriptor, path string) *Error {
	want := jsonKind("")
	switch field.Kind() {
	case protoreflect.MessageKind:
		return checkMessage(node, field.Message(), path)
	case protoreflect.EnumKind:
		return checkEnum(node, field.Enum(), path)
	case protoreflect.BoolKind:
		want = jsonBool
	case protoreflect.StringKind:
		want = jsonString
	default:
		if node.kind == jsonString { // protojson takes numbers in quotes
			return nil
		}
		want = jsonNumber
	}
	if node.kind != want {
		return wrongKind(node, path, want)
	}
	return nil
}

// checkEnum checks the name of an enumeration's value.
func checkEnum(node *jsonNode, enum protoreflect.EnumDescriptor, path string) *Error {
	if node.kind == jsonNumber {
		return nil
	}
	if node.kind != jsonString {
		return wrongKind(node, path, jsonString)
	}
	name := node.scalar.(string)
	if enum.Values().ByName(protoreflect.Name(name)) != nil {
		return nil
	}
	var names []string
	for i := range enum.Values().Len() {
		names = append(names, string(enum.Values().Get(i).Name()))
	}
	return &Error{Line: node.line, Path: path, Message: fmt.Sprintf("%q is not one of the values%s", name, DidYouMean(name, names))}
}

func wrongKind(node *jsonNode, path string, want jsonKind) *Error {
	return &Error{Line: node.line, Path: path, Message: fmt.Sprintf("must be %s, not %s", want, node.kind)}
}
