package sqlengine

import (
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// JSON_SCHEMA_VALID and JSON_SCHEMA_VALIDATION_REPORT check a document by a schema of draft 4, which MySQL supports. Keywords
// are checked in the order of MySQL's library, as the report names the first that fails.

// schemaFailure is what the report says of the first failure. Locations are JSON pointers after '#'.
type schemaFailure struct {
	keyword, document, schema string
}

// schemaCheck checks one document.
type schemaCheck struct {
	root any
	err  error // a schema that cannot be used
}

func jsonSchemaValid(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	failure, err := checkSchema(ctx, call.name, args)
	if err != nil {
		return nil, err
	}
	if failure != nil {
		return int64(0), nil
	}
	return int64(1), nil
}

func jsonSchemaReport(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	failure, err := checkSchema(ctx, call.name, args)
	if err != nil {
		return nil, err
	}
	if failure == nil {
		return types.JSONDocument{Val: map[string]any{"valid": true}}, nil
	}
	reason := "The JSON document location '#" + failure.document + "' failed requirement '" + failure.keyword +
		"' at JSON Schema location '#" + failure.schema + "'"
	return types.JSONDocument{Val: map[string]any{"valid": false, "reason": reason, "schema-location": "#" + failure.schema,
		"document-location": "#" + failure.document, "schema-failed-keyword": failure.keyword}}, nil
}

func checkSchema(ctx *sql.Context, name string, args []any) (*schemaFailure, error) {
	var parsed [2]any
	for i, arg := range args {
		v, err := jsonArgument(ctx, name, i+1, arg)
		if err != nil {
			return nil, err
		}
		parsed[i] = v
	}
	if _, isObject := parsed[0].(map[string]any); !isObject {
		return nil, mysqlError(3853, "22032", "Invalid JSON type in argument 1 to function %s; an object is required.", name)
	}
	c := &schemaCheck{root: parsed[0]}
	failure := c.value(parsed[1], parsed[0], "", "")
	return failure, c.err
}

// jsonArgument reads an argument as a JSON value. Numbers are json.Number: whether one is an integer shows in its text alone.
func jsonArgument(ctx *sql.Context, name string, at int, arg any) (any, error) {
	text := string(bytesOf(arg))
	if doc, ok := arg.(sql.JSONWrapper); ok {
		var err error
		if text, err = types.JsonToMySqlString(doc); err != nil {
			return nil, err
		}
	}
	var value any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return nil, jsonTextError(at, name, text)
	}
	return value, nil
}

// value checks a value by a schema: nil if it passes.
func (c *schemaCheck) value(doc, schema any, at, in string) *schemaFailure {
	s, isObject := schema.(map[string]any)
	if !isObject || c.err != nil {
		return nil
	}
	if ref, ok := s["$ref"].(string); ok {
		target, found := c.resolve(ref)
		if !found {
			c.err = errUnsupported("references in JSON Schema")
			return nil
		}
		return c.value(doc, target, at, ref[1:])
	}
	fail := func(keyword string) *schemaFailure { return &schemaFailure{keyword, at, in} }
	if wanted, ok := s["type"]; ok && !hasType(doc, wanted) {
		return fail("type")
	}
	var failure *schemaFailure
	switch v := doc.(type) {
	case string:
		if word := textKeyword(v, s); word != "" {
			failure = fail(word)
		}
	case []any:
		failure = c.array(v, s, at, in)
	case map[string]any:
		failure = c.object(v, s, at, in)
	default:
		if n, ok := jsonNumber(doc); ok {
			if word := numberKeyword(n, s); word != "" {
				failure = fail(word)
			}
		}
	}
	if failure != nil {
		return failure
	}
	if word := c.combined(doc, s, at, in); word != "" {
		return fail(word)
	}
	return nil
}

// resolve finds what a reference into the same schema points at.
func (c *schemaCheck) resolve(ref string) (any, bool) {
	if !strings.HasPrefix(ref, "#") {
		return nil, false
	}
	at := c.root
	for _, part := range strings.Split(strings.TrimPrefix(ref[1:], "/"), "/") {
		if part == "" {
			continue
		}
		object, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]; !ok {
			return nil, false
		}
	}
	return at, true
}

func hasType(doc, wanted any) bool {
	switch w := wanted.(type) {
	case string:
		return isOfType(doc, w)
	case []any:
		return slices.ContainsFunc(w, func(t any) bool { return hasType(doc, t) })
	}
	return true
}

func isOfType(doc any, name string) bool {
	switch doc.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	n, _ := doc.(json.Number)
	return name == "number" || name == "integer" && !strings.ContainsAny(n.String(), ".eE")
}

// jsonNumber returns a number of a document.
func jsonNumber(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// limit returns a numeric keyword's value.
func limit(s map[string]any, keyword string) (float64, bool) { return jsonNumber(s[keyword]) }

func numberKeyword(n float64, s map[string]any) string {
	exclusive := func(keyword string) bool { on, _ := s[keyword].(bool); return on }
	if least, ok := limit(s, "minimum"); ok && (n < least || n == least && exclusive("exclusiveMinimum")) {
		return "minimum"
	}
	if most, ok := limit(s, "maximum"); ok && (n > most || n == most && exclusive("exclusiveMaximum")) {
		return "maximum"
	}
	if step, ok := limit(s, "multipleOf"); ok && step > 0 && n/step != math.Trunc(n/step) {
		return "multipleOf"
	}
	return ""
}

func textKeyword(text string, s map[string]any) string {
	n := float64(utf8.RuneCountInString(text))
	if least, ok := limit(s, "minLength"); ok && n < least {
		return "minLength"
	}
	if most, ok := limit(s, "maxLength"); ok && n > most {
		return "maxLength"
	}
	if pattern, ok := s["pattern"].(string); ok && !matchesPattern(pattern, text) {
		return "pattern"
	}
	return ""
}

// matchesPattern reports whether a text matches. A pattern that is none matches all.
func matchesPattern(pattern, text string) bool {
	re, err := regexp.Compile(pattern)
	return err != nil || re.MatchString(text)
}

func (c *schemaCheck) array(doc []any, s map[string]any, at, in string) *schemaFailure {
	for i, item := range doc {
		here := at + "/" + strconv.Itoa(i)
		switch items := s["items"].(type) {
		case map[string]any:
			if failure := c.value(item, items, here, in+"/items"); failure != nil {
				return failure
			}
		case []any:
			if i < len(items) {
				if failure := c.value(item, items[i], here, in+"/items/"+strconv.Itoa(i)); failure != nil {
					return failure
				}
				continue
			}
			if more, isBool := s["additionalItems"].(bool); isBool && !more {
				return &schemaFailure{"additionalItems", at, in}
			}
			if failure := c.value(item, s["additionalItems"], here, in+"/additionalItems"); failure != nil {
				return failure
			}
		}
	}
	if least, ok := limit(s, "minItems"); ok && float64(len(doc)) < least {
		return &schemaFailure{"minItems", at, in}
	}
	if most, ok := limit(s, "maxItems"); ok && float64(len(doc)) > most {
		return &schemaFailure{"maxItems", at, in}
	}
	if unique, _ := s["uniqueItems"].(bool); unique {
		for i := range doc {
			if slices.ContainsFunc(doc[:i], func(v any) bool { return sameJSON(v, doc[i]) }) {
				return &schemaFailure{"uniqueItems", at, in}
			}
		}
	}
	return nil
}

func sameJSON(a, b any) bool {
	x, isNumber := jsonNumber(a)
	y, too := jsonNumber(b)
	if isNumber && too {
		return x == y
	}
	return reflect.DeepEqual(a, b)
}

func (c *schemaCheck) object(doc, s map[string]any, at, in string) *schemaFailure {
	names := make([]string, 0, len(doc))
	for name := range doc {
		names = append(names, name)
	}
	// The order of a document's binary form.
	sort.Slice(names, func(i, j int) bool {
		return len(names[i]) < len(names[j]) || len(names[i]) == len(names[j]) && names[i] < names[j]
	})
	for _, name := range names {
		if failure := c.member(name, doc[name], s, at, in); failure != nil {
			return failure
		}
	}
	required, _ := s["required"].([]any)
	for _, r := range required {
		name, isText := r.(string)
		if _, there := doc[name]; isText && !there {
			return &schemaFailure{"required", at, in}
		}
	}
	if least, ok := limit(s, "minProperties"); ok && float64(len(doc)) < least {
		return &schemaFailure{"minProperties", at, in}
	}
	if most, ok := limit(s, "maxProperties"); ok && float64(len(doc)) > most {
		return &schemaFailure{"maxProperties", at, in}
	}
	return c.dependencies(doc, s, at, in)
}

// member checks a member of an object by its name.
func (c *schemaCheck) member(name string, v any, s map[string]any, at, in string) *schemaFailure {
	here := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	known := false
	if properties, ok := s["properties"].(map[string]any); ok {
		if schema, ok := properties[name]; ok {
			known = true
			if failure := c.value(v, schema, here, in+"/properties/"+name); failure != nil {
				return failure
			}
		}
	}
	patterns, _ := s["patternProperties"].(map[string]any)
	for _, pattern := range sortedNames(patterns) {
		if re, err := regexp.Compile(pattern); err == nil && re.MatchString(name) {
			known = true
			if failure := c.value(v, patterns[pattern], here, in+"/patternProperties/"+pattern); failure != nil {
				return failure
			}
		}
	}
	if known {
		return nil
	}
	if more, isBool := s["additionalProperties"].(bool); isBool && !more {
		return &schemaFailure{"additionalProperties", here, in}
	}
	return c.value(v, s["additionalProperties"], here, in+"/additionalProperties")
}

func sortedNames(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (c *schemaCheck) dependencies(doc, s map[string]any, at, in string) *schemaFailure {
	all, _ := s["dependencies"].(map[string]any)
	for _, name := range sortedNames(all) {
		if _, there := doc[name]; !there {
			continue
		}
		if needed, isList := all[name].([]any); isList {
			for _, n := range needed {
				other, _ := n.(string)
				if _, there := doc[other]; !there {
					return &schemaFailure{"dependencies", at, in}
				}
			}
		} else if c.value(doc, all[name], at, in) != nil {
			return &schemaFailure{"dependencies", at, in}
		}
	}
	return nil
}

// combined checks the keywords that apply to values of all kinds, and names the one that fails.
func (c *schemaCheck) combined(doc any, s map[string]any, at, in string) string {
	if allowed, ok := s["enum"].([]any); ok && !slices.ContainsFunc(allowed, func(v any) bool { return sameJSON(v, doc) }) {
		return "enum"
	}
	passes := func(keyword string) (n, of int) {
		schemas, _ := s[keyword].([]any)
		for _, schema := range schemas {
			if c.value(doc, schema, at, in) == nil {
				n++
			}
		}
		return n, len(schemas)
	}
	if n, of := passes("allOf"); n < of {
		return "allOf"
	}
	if n, of := passes("anyOf"); of > 0 && n == 0 {
		return "anyOf"
	}
	if n, of := passes("oneOf"); of > 0 && n != 1 {
		return "oneOf"
	}
	if not, ok := s["not"]; ok && c.value(doc, not, at, in) == nil {
		return "not"
	}
	return ""
}
