package plantest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// Case is one query with what is expected of it.
type Case struct {
	Comment string `json:"comment,omitempty"`
	Query   string `json:"query"`
	// Plan is the plan as an object, or the text of the error as a string. Empty in a new case: updating fills it in.
	Plan json.RawMessage `json:"plan,omitempty"`
	// SkipE2E is Vitess's own mark and kept as it is.
	SkipE2E bool `json:"skip_e2e,omitempty"`
}

// ReadCases reads a case file. Errors name the file, and the line of a fault in the JSON.
func ReadCases(file string) ([]Case, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var cases []Case
	if err := decode(file, data, &cases); err != nil {
		return nil, err
	}
	for i, c := range cases {
		if c.Query == "" {
			return nil, fmt.Errorf("%s: case %d has no \"query\"", file, i+1)
		}
	}
	return cases, nil
}

// decode reads JSON and says on which line it is broken.
func decode(file string, data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(into); err != nil {
		at := dec.InputOffset()
		switch e := err.(type) {
		case *json.SyntaxError:
			at = e.Offset
		case *json.UnmarshalTypeError:
			at = e.Offset
		}
		line := 1 + bytes.Count(data[:min(int(at), len(data))], []byte("\n"))
		return fmt.Errorf("%s:%d: %w", file, line, err)
	}
	return nil
}

// WriteCases writes a case file with an indent of two, as Vitess does.
func WriteCases(file string, cases []Case) error {
	text, err := encode(cases)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// encode writes indented JSON and leaves <, > and & readable.
func encode(v any) ([]byte, error) { return encodeWith(v, "  ") }

// encodeLine is encode on one line.
func encodeLine(v any) ([]byte, error) {
	text, err := encodeWith(v, "")
	return bytes.TrimRight(text, "\n"), err
}

func encodeWith(v any, indent string) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
