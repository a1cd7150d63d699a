package plantest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// nodeHead are the keys that make up the first line of a node; Inputs follow it, indented.
var nodeHead = []string{"InputName", "OperatorType", "Variant", "Keyspace", "TargetDestination", "Inputs"}

// Outline draws a plan as an indented tree, one line per node and one per attribute; an error as its text.
//
//	Limit
//	  Count: 10
//	  Route Scatter [customer]
//	    Query: select id from customer limit 10
func Outline(plan json.RawMessage) string {
	var value any
	if err := json.Unmarshal(plan, &value); err != nil {
		return "not a plan: " + err.Error()
	}
	var b strings.Builder
	switch v := value.(type) {
	case map[string]any:
		writeAttributes(&b, v, "", []string{"Instructions"})
		if root, ok := v["Instructions"].(map[string]any); ok {
			writeNode(&b, root, "")
		}
	default:
		fmt.Fprintf(&b, "error: %v\n", value)
	}
	return b.String()
}

func writeNode(b *strings.Builder, node map[string]any, indent string) {
	b.WriteString(indent)
	if name, ok := node["InputName"]; ok {
		fmt.Fprintf(b, "%v: ", name)
	}
	b.WriteString(fmt.Sprint(node["OperatorType"]))
	if variant, ok := node["Variant"]; ok {
		fmt.Fprintf(b, " %v", variant)
	}
	if keyspace, ok := node["Keyspace"].(map[string]any); ok {
		fmt.Fprintf(b, " [%v]", keyspace["Name"])
	}
	if dest, ok := node["TargetDestination"]; ok {
		fmt.Fprintf(b, " to %v", dest)
	}
	b.WriteByte('\n')
	indent += "  "
	writeAttributes(b, node, indent, nodeHead)
	inputs, _ := node["Inputs"].([]any)
	for _, input := range inputs {
		if child, ok := input.(map[string]any); ok {
			writeNode(b, child, indent)
		}
	}
}

// writeAttributes writes a line per key, in the order of the keys.
func writeAttributes(b *strings.Builder, node map[string]any, indent string, except []string) {
	for _, key := range slices.Sorted(maps.Keys(node)) {
		if slices.Contains(except, key) {
			continue
		}
		text, ok := node[key].(string)
		if !ok {
			raw, _ := encodeLine(node[key])
			text = string(raw)
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, key, text)
	}
}

// Diff shows how two plans differ: the whole tree, with - before lines that were expected and + before those that came.
func Diff(want, got json.RawMessage) string {
	a, b := difflib.SplitLines(Outline(want)), difflib.SplitLines(Outline(got))
	var out strings.Builder
	for _, op := range difflib.NewMatcher(a, b).GetOpCodes() {
		if op.Tag == 'e' {
			mark(&out, "  ", a[op.I1:op.I2])
			continue
		}
		mark(&out, "- ", a[op.I1:op.I2])
		mark(&out, "+ ", b[op.J1:op.J2])
	}
	return out.String()
}

func mark(out *strings.Builder, prefix string, lines []string) {
	for _, line := range lines {
		if line = strings.TrimRight(line, "\n"); line != "" {
			fmt.Fprintf(out, "%s%s\n", prefix, line)
		}
	}
}

// indent moves a text four columns to the right.
func indent(text string) string {
	var b strings.Builder
	mark(&b, "    ", strings.Split(text, "\n"))
	return b.String()
}
