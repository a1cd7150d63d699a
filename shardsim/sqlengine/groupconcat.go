package sqlengine

import (
	"reflect"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
)

// concatBuffer is GROUP_CONCAT of one group. Texts are equal and sorted under their collations: the engine compares them byte
// by byte.
type concatBuffer struct {
	args      []sql.Expression
	texts     []converter   // of args
	distinct  []columnKeyer // of args, nil without DISTINCT
	seen      map[string]bool
	sorter    *sortKeyer // nil without ORDER BY
	separator string
	binary    bool
	items     []concatItem
}

// concatItem is one text to concatenate.
type concatItem struct{ key, text string }

// newConcatBuffer reads what the engine keeps of a call. Its struct alone tells apart what Children mixes.
func newConcatBuffer(agg *aggregation.GroupConcat) *concatBuffer {
	fields := reflect.ValueOf(agg).Elem()
	order := fields.FieldByName("sf")
	children := agg.Children()
	b := &concatBuffer{args: children[order.Len():], separator: fields.FieldByName("separator").String(), binary: true}
	if order.Len() > 0 {
		sorted := make(sql.SortFields, order.Len())
		for i := range sorted {
			sorted[i] = sql.SortField{Column: children[i], Order: sql.SortOrder(order.Index(i).FieldByName("Order").Uint())}
		}
		b.sorter = newSortKeyer(sorted)
	}
	if fields.FieldByName("distinct").String() != "" {
		b.seen = make(map[string]bool)
		for i, a := range b.args {
			b.distinct = append(b.distinct, newColumnKeyer(i, a.Type()))
		}
	}
	for _, a := range b.args {
		b.texts = append(b.texts, newConverter(a.Type()))
		typ, isText := a.Type().(sql.StringType)
		b.binary = b.binary && isText && typ.Collation() == sql.Collation_binary
	}
	return b
}

// Update adds the row's text, unless one of its parts is NULL.
func (b *concatBuffer) Update(ctx *sql.Context, row sql.Row) error {
	var text strings.Builder
	var same []byte
	for i, a := range b.args {
		v, err := a.Eval(ctx, row)
		if err != nil || v == nil {
			return err
		}
		if b.distinct != nil {
			if same, err = b.distinct[i].appendAny(ctx, same, v); err != nil {
				return err
			}
		}
		part, err := b.texts[i].text(ctx, v)
		if err != nil {
			return err
		}
		text.Write(part)
	}
	if b.distinct != nil {
		if b.seen[string(same)] {
			return nil
		}
		b.seen[string(same)] = true
	}
	item := concatItem{text: text.String()}
	if b.sorter != nil {
		var err error
		if item.key, err = b.sorter.key(ctx, row); err != nil {
			return err
		}
	}
	b.items = append(b.items, item)
	return nil
}

// Eval returns the texts, cut to group_concat_max_len bytes, and NULL where there are none.
func (b *concatBuffer) Eval(ctx *sql.Context) (any, error) {
	if len(b.items) == 0 {
		return nil, nil
	}
	if b.sorter != nil {
		sort.SliceStable(b.items, func(i, j int) bool { return b.items[i].key < b.items[j].key })
	}
	limit := fromContext(ctx).concatLength()
	var out strings.Builder
	for i, item := range b.items {
		if i > 0 {
			out.WriteString(b.separator)
		}
		out.WriteString(item.text)
		if out.Len() > limit {
			return b.cut(ctx, out.String(), limit, i+1), nil
		}
	}
	return out.String(), nil
}

// cut shortens a text to whole characters, with a warning that says at which row of the group.
func (b *concatBuffer) cut(ctx *sql.Context, text string, limit, row int) string {
	if !b.binary {
		for limit > 0 && !utf8.RuneStart(text[limit]) {
			limit--
		}
	}
	s := fromContext(ctx)
	s.warnings = append(s.warnings, &sql.Warning{Level: "Warning", Code: 1260, Message: "Row " + strconv.Itoa(row) + " was cut by GROUP_CONCAT()"})
	return text[:limit]
}

func (b *concatBuffer) Dispose() {}

// concatLength is group_concat_max_len.
func (s *sqlSession) concatLength() int {
	v, _ := s.variable("group_concat_max_len")
	return int(variableNumber(v.Val))
}
