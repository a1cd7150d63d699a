package engine

import (
	"bytes"
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// Description is one node of a plan as VEXPLAIN and golden plans show it. Its JSON has the node's attributes beside
// the fixed keys, in this order: InputName, OperatorType, Variant, Keyspace, TargetDestination, the attributes by name, Inputs.
type Description struct {
	OperatorType      string
	Variant           string
	Keyspace          *vindexes.Keyspace
	TargetDestination key.Destination
	// InputName is what the parent calls this node ("SubQuery", "Outer"); empty where inputs have no names.
	InputName string
	// Attributes never holds an empty text, a zero int, false or nil: such attributes are left out of plans.
	Attributes map[string]any
	Inputs     []Description
}

// Describe returns the description of a whole tree.
func Describe(p Primitive) Description {
	d := p.Description()
	if d.Attributes == nil {
		d.Attributes = map[string]any{}
	}
	for _, input := range p.Inputs() {
		child := Describe(input.Primitive)
		child.InputName = input.Name
		for name, value := range input.Attributes {
			child.set(name, value)
		}
		d.Inputs = append(d.Inputs, child)
	}
	return d
}

// describe starts a description of a node without keyspace.
func describe(operator, variant string) Description {
	return Description{OperatorType: operator, Variant: variant, Attributes: map[string]any{}}
}

// set adds an attribute unless it is empty.
func (d Description) set(name string, value any) {
	switch v := value.(type) {
	case nil:
		return
	case string:
		if v == "" {
			return
		}
	case int:
		if v == 0 {
			return
		}
	case bool:
		if !v {
			return
		}
	case []string:
		if v == nil {
			return
		}
	}
	d.Attributes[name] = value
}

// MarshalJSON writes the node and its inputs. SQL stays readable: <, > and & are not escaped.
func (d Description) MarshalJSON() ([]byte, error) {
	w := objectWriter{}
	if d.InputName != "" {
		w.add("InputName", d.InputName)
	}
	w.add("OperatorType", d.OperatorType)
	if d.Variant != "" {
		w.add("Variant", d.Variant)
	}
	if d.Keyspace != nil {
		w.add("Keyspace", describedKeyspace{Name: d.Keyspace.Name, Sharded: d.Keyspace.Sharded})
	}
	if d.TargetDestination != nil {
		w.add("TargetDestination", strings.TrimPrefix(d.TargetDestination.String(), "Destination"))
	}
	names := make([]string, 0, len(d.Attributes))
	for name := range d.Attributes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		w.add(name, d.Attributes[name])
	}
	if len(d.Inputs) > 0 {
		w.add("Inputs", d.Inputs)
	}
	return w.finish()
}

// describedKeyspace fixes what a plan tells of a keyspace, whatever else the VSchema knows.
type describedKeyspace struct {
	Name    string
	Sharded bool
}

// objectWriter writes a JSON object key by key; the first error sticks.
type objectWriter struct {
	buf bytes.Buffer
	err error
}

func (w *objectWriter) add(name string, value any) {
	if w.err != nil {
		return
	}
	if w.buf.Len() > 0 {
		w.buf.WriteByte(',')
	}
	w.encode(name)
	w.buf.WriteByte(':')
	w.encode(value)
}

func (w *objectWriter) encode(value any) {
	if w.err != nil {
		return
	}
	enc := json.NewEncoder(&w.buf)
	enc.SetEscapeHTML(false)
	if w.err = enc.Encode(value); w.err == nil {
		w.buf.Truncate(w.buf.Len() - 1) // Encode ends with a newline.
	}
}

func (w *objectWriter) finish() ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	return slices.Concat([]byte{'{'}, w.buf.Bytes(), []byte{'}'}), nil
}

// joined prints items with commas between them, as plans print column lists.
func joined[T any](items []T, print func(T) string) string {
	parts := make([]string, len(items))
	for i, item := range items {
		parts[i] = print(item)
	}
	return strings.Join(parts, ", ")
}

// sortedNames returns a map's keys in order.
func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
