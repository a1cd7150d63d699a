package gateway

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// loadReader takes the rows out of a file, one at a time (MySQL manual, "LOAD DATA Statement": field and line handling).
type loadReader struct {
	in     *bufio.Reader
	format loadFormat
}

// loadField is one field of a line.
type loadField struct {
	text []byte
	null bool
}

// loadBuffer is how much of a file is held; an end of line or field must fit.
const loadBuffer = 64 << 10

func newLoadReader(in io.Reader, format loadFormat) *loadReader {
	return &loadReader{in: bufio.NewReaderSize(in, loadBuffer), format: format}
}

// at reports whether a text comes next, and passes it.
func (r *loadReader) at(text string) bool {
	if text == "" {
		return false
	}
	ahead, _ := r.in.Peek(len(text)) // less at the end of the file
	if string(ahead) != text {
		return false
	}
	_, _ = r.in.Discard(len(text)) // it is in the buffer
	return true
}

// skipLine passes the rest of a line. io.EOF where the file ends before it does.
func (r *loadReader) skipLine() error {
	for {
		if r.at(r.format.lineEnd) {
			return nil
		}
		if _, err := r.in.ReadByte(); err != nil {
			return err
		}
	}
}

// row returns the fields of the next line, all of them. io.EOF when there is none.
func (r *loadReader) row() ([]loadField, error) {
	if err := r.findStart(); err != nil {
		return nil, err
	}
	if _, err := r.in.Peek(1); err != nil {
		return nil, err
	}
	var fields []loadField
	for {
		field, last, err := r.field()
		if err != nil {
			return nil, err
		}
		fields = append(fields, field)
		if last {
			return fields, nil
		}
	}
}

// findStart passes all up to LINES STARTING BY. Lines without it are passed over.
func (r *loadReader) findStart() error {
	if r.format.lineStart == "" {
		return nil
	}
	for !r.at(r.format.lineStart) {
		if _, err := r.in.ReadByte(); err != nil {
			return err
		}
	}
	return nil
}

// field reads one field. last: the line or the file ends with it.
func (r *loadReader) field() (field loadField, last bool, err error) {
	enclosed := r.format.enclosedBy != 0 && r.at(string(r.format.enclosedBy))
	var text []byte
	escapedN := false // the field is \N
	for {
		if !enclosed {
			if ended, isLast := r.atEnd(); ended {
				return r.finished(text, false, escapedN), isLast, nil
			}
		}
		c, err := r.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return r.finished(text, enclosed, escapedN), true, nil
		}
		if err != nil {
			return loadField{}, false, err
		}
		switch {
		case c == r.format.escapedBy && c != 0 && c != r.format.enclosedBy:
			next, err := r.in.ReadByte()
			if errors.Is(err, io.EOF) {
				next = c
			} else if err != nil {
				return loadField{}, false, err
			}
			escapedN = next == 'N' && text == nil && !enclosed
			text = append(text, unescaped(next))
		case enclosed && c == r.format.enclosedBy:
			if r.at(string(c)) {
				text = append(text, c) // doubled
				continue
			}
			if ended, isLast := r.atEnd(); ended {
				return r.finished(text, true, false), isLast, nil
			}
			if _, err := r.in.Peek(1); errors.Is(err, io.EOF) {
				return r.finished(text, true, false), true, nil
			}
			text = append(text, c)
		default:
			text = append(text, c)
		}
	}
}

// atEnd reports whether a field ends here, and whether its line does, and passes what ends it.
func (r *loadReader) atEnd() (ended, isLast bool) {
	// The longer one first, for one may begin with the other.
	if len(r.format.lineEnd) >= len(r.format.fieldEnd) {
		if r.at(r.format.lineEnd) {
			return true, true
		}
		return r.at(r.format.fieldEnd), false
	}
	if r.at(r.format.fieldEnd) {
		return true, false
	}
	line := r.at(r.format.lineEnd)
	return line, line
}

// finished tells NULL from a text: it is \N, or the word NULL outside of quotes where there may be some or nothing escapes.
func (r *loadReader) finished(text []byte, enclosed, escapedN bool) loadField {
	word := (r.format.enclosedBy != 0 || r.format.escapedBy == 0) && !enclosed && bytes.Equal(text, []byte("NULL"))
	if word || escapedN && len(text) == 1 {
		return loadField{null: true}
	}
	return loadField{text: text}
}

// unescaped is what an escaped character means.
func unescaped(c byte) byte {
	switch c {
	case '0':
		return 0
	case 'b':
		return '\b'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'Z':
		return 26
	}
	return c
}
