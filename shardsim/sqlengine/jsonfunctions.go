package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// jsonFunctions are functions of JSON documents that the engine lacks.
var jsonFunctions = map[string]scalarFunction{
	"member_of":         {min: 2, max: 2, typ: fixedType(types.Int64), eval: memberOfJSON},
	"json_storage_free": {min: 1, max: 1, typ: fixedType(types.Int64), eval: func(*sql.Context, *scalarCall, []any) (any, error) { return int64(0), nil }},
}

// memberOfJSON is value MEMBER OF (document): whether it is an element of the array, or the document itself.
func memberOfJSON(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	doc, _, err := types.JSON.Convert(ctx, args[1])
	if err != nil {
		return nil, mysqlError(3141, "22032", "Invalid JSON text in argument 2 to function member of: \"Invalid value.\" at position 0.")
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
