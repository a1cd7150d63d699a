package sqlengine

import (
	"vitess.io/vitess/go/mysql/collations/charset"
	"vitess.io/vitess/go/mysql/collations/colldata"
)

// recoded is a collation of another character set than UTF-8, in which the engine keeps all texts: they are recoded to be
// compared and weighed. It is for texts in UTF-8 what the collation is for those in its character set.
type recoded struct {
	colldata.Collation
}

func (r recoded) Collate(left, right []byte, isPrefix bool) int {
	return r.Collation.Collate(r.encode(left), r.encode(right), isPrefix)
}

func (r recoded) WeightString(dst, src []byte, codepoints int) []byte {
	return r.Collation.WeightString(dst, r.encode(src), codepoints)
}

// encode gives a text its character set. A character that is not in it becomes '?', as in MySQL.
func (r recoded) encode(text []byte) []byte {
	out, err := charset.ConvertFromUTF8(nil, r.Charset(), text)
	if err == nil {
		return out
	}
	out = nil
	for _, c := range string(text) {
		one, err := charset.ConvertFromUTF8(nil, r.Charset(), []byte(string(c)))
		if err != nil {
			one = []byte{'?'}
		}
		out = append(out, one...)
	}
	return out
}
