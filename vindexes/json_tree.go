package vindexes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// jsonNode is one value of a JSON document with the place it stands at.
type jsonNode struct {
	line     int
	kind     jsonKind
	members  []jsonMember // of an object, in the document's order
	elements []*jsonNode  // of an array
	scalar   any          // string, json.Number or bool; nil: null
}

type jsonMember struct {
	name  string
	value *jsonNode
}

type jsonKind string

const (
	jsonObject jsonKind = "an object"
	jsonArray  jsonKind = "an array"
	jsonString jsonKind = "a string"
	jsonNumber jsonKind = "a number"
	jsonBool   jsonKind = "true or false"
	jsonNull   jsonKind = "null"
)

// member is the value of an object's member, or nil.
func (n *jsonNode) member(name string) *jsonNode {
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// jsonDepthMax limits how deep values may nest: far more than a VSchema needs.
const jsonDepthMax = 100

// jsonParser reads a document into nodes.
type jsonParser struct {
	data    []byte
	decoder *json.Decoder
	depth   int
	lineEnd int // offset up to which lines are counted
	line    int
}

// parseJSON reads one JSON document; what follows it is an error.
func parseJSON(data []byte) (*jsonNode, *Error) {
	p := &jsonParser{data: data, decoder: json.NewDecoder(bytes.NewReader(data)), line: 1}
	p.decoder.UseNumber()
	node, err := p.value("")
	if err != nil {
		return nil, err
	}
	if _, extra := p.decoder.Token(); !errors.Is(extra, io.EOF) {
		return nil, &Error{Line: p.lineAt(p.decoder.InputOffset()), Message: "there is text after the end of the JSON document"}
	}
	return node, nil
}

// lineAt is the line of an offset; offsets must not descend.
func (p *jsonParser) lineAt(offset int64) int {
	end := min(int(offset), len(p.data))
	if end > p.lineEnd {
		p.line += bytes.Count(p.data[p.lineEnd:end], []byte("\n"))
		p.lineEnd = end
	}
	return p.line
}

// token reads the next token; an error says which line is broken.
func (p *jsonParser) token() (json.Token, *Error) {
	token, err := p.decoder.Token()
	if err == nil {
		return token, nil
	}
	offset, message := p.decoder.InputOffset(), err.Error()
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		offset, message = int64(len(p.data)), "the document ends too early"
	}
	return nil, &Error{Line: p.lineAt(offset), Message: "broken JSON: " + message}
}

// value reads one value.
func (p *jsonParser) value(path string) (*jsonNode, *Error) {
	token, err := p.token()
	if err != nil {
		return nil, err
	}
	node := &jsonNode{line: p.lineAt(p.decoder.InputOffset())}
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > jsonDepthMax {
		return nil, &Error{Line: node.line, Path: path, Message: "the document is nested too deep"}
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			node.kind = jsonObject
			return node, p.object(node, path)
		}
		node.kind = jsonArray
		return node, p.array(node, path)
	case string:
		node.kind, node.scalar = jsonString, token
	case json.Number:
		node.kind, node.scalar = jsonNumber, token
	case bool:
		node.kind, node.scalar = jsonBool, token
	default:
		node.kind = jsonNull
	}
	return node, nil
}

// object reads an object's members up to its closing brace.
func (p *jsonParser) object(node *jsonNode, path string) *Error {
	seen := map[string]bool{}
	for p.decoder.More() {
		token, err := p.token()
		if err != nil {
			return err
		}
		name, ok := token.(string)
		line := p.lineAt(p.decoder.InputOffset())
		if !ok {
			return &Error{Line: line, Path: path, Message: "broken JSON: an object's member has no name"}
		}
		if seen[name] {
			return &Error{Line: line, Path: join(path, name), Message: "the name stands twice in one object"}
		}
		seen[name] = true
		value, err := p.value(join(path, name))
		if err != nil {
			return err
		}
		node.members = append(node.members, jsonMember{name, value})
	}
	_, err := p.token()
	return err
}

// array reads an array's elements up to its closing bracket.
func (p *jsonParser) array(node *jsonNode, path string) *Error {
	for p.decoder.More() {
		element, err := p.value(fmt.Sprintf("%s[%d]", path, len(node.elements)))
		if err != nil {
			return err
		}
		node.elements = append(node.elements, element)
	}
	_, err := p.token()
	return err
}

// join appends a name to a path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
