package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/json"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// jsonFunctions are functions of JSON documents that the engine lacks.
var jsonFunctions = map[string]scalarFunction{
	"member_of":                     {min: 2, max: 2, typ: fixedType(types.Int64), eval: memberOfJSON},
	"json_schema_valid":             {min: 2, max: 2, typ: fixedType(types.Int64), eval: jsonSchemaValid},
	"json_schema_validation_report": {min: 2, max: 2, typ: fixedType(types.JSON), eval: jsonSchemaReport},
	"json_storage_size":             {min: 1, max: 1, typ: fixedType(types.Int64), eval: jsonStorageSize},
	"json_storage_free":             {min: 1, max: 1, typ: fixedType(types.Int64), eval: func(*sql.Context, *scalarCall, []any) (any, error) { return int64(0), nil }},
}

// memberOfJSON is value MEMBER OF (document): whether it is an element of the array, or the document itself.
func memberOfJSON(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	doc, _, err := types.JSON.Convert(ctx, args[1])
	if err != nil {
		return nil, jsonTextError(2, "member of", string(bytesOf(args[1])))
	}
	wrapped, ok := doc.(sql.JSONWrapper)
	if !ok {
		return nil, nil
	}
	whole, err := wrapped.ToInterface()
	if err != nil {
		return nil, err
	}
	elements, isArray := whole.([]any)
	if !isArray {
		elements = []any{whole}
	}
	wanted := args[0]
	if w, isJSON := wanted.(sql.JSONWrapper); isJSON {
		if wanted, err = w.ToInterface(); err != nil {
			return nil, err
		}
	} else if b, isBytes := wanted.([]byte); isBytes {
		wanted = string(b)
	}
	for _, e := range elements {
		cmp, err := types.JSON.Compare(ctx, types.JSONDocument{Val: wanted}, types.JSONDocument{Val: e})
		if err != nil {
			return nil, err
		}
		if cmp == 0 {
			return int64(1), nil
		}
	}
	return int64(0), nil
}

// namedMembers has JSON_OBJECT refuse a NULL for a name, which the engine stumbles over.
func namedMembers(object json.JSONObject) (sql.Expression, error) {
	args := append([]sql.Expression(nil), object.Children()...)
	for i := 0; i < len(args); i += 2 {
		if _, done := args[i].(*memberName); !done {
			args[i] = &memberName{child: args[i]}
		}
	}
	return object.WithChildren(args...)
}

// memberName is the name of a member of JSON_OBJECT, as text.
type memberName struct{ child sql.Expression }

func (m *memberName) Resolved() bool             { return m.child.Resolved() }
func (m *memberName) String() string             { return m.child.String() }
func (m *memberName) Type() sql.Type             { return defaultTextType }
func (m *memberName) IsNullable() bool           { return false }
func (m *memberName) Children() []sql.Expression { return []sql.Expression{m.child} }

func (m *memberName) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(m, len(children), 1)
	}
	return &memberName{child: children[0]}, nil
}

func (m *memberName) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := m.child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, mysqlError(3158, "22032", "JSON documents may not contain NULL member names.")
	}
	return convertTo(ctx, v, m.child.Type(), defaultTextType)
}
