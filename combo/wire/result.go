package wire

import (
	"slices"

	"github.com/dolthub/vitess/go/mysql"
	dsqltypes "github.com/dolthub/vitess/go/sqltypes"
	dquerypb "github.com/dolthub/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

// decimalsNotFixed is the Decimals of a float without a fixed scale; clients
// that see 0 there round to integers.
const decimalsNotFixed = 31

// convertResult makes the library's result of ours, with its fields only if
// it has any. The bytes of the cells are shared; the cells of all rows lie in
// one piece of memory.
func convertResult(result *sqltypes.Result, fields []*dquerypb.Field) *dsqltypes.Result {
	return &dsqltypes.Result{
		RowsAffected: result.RowsAffected, InsertID: result.InsertID,
		Fields: fields, Rows: convertRows(result.Rows, fields),
	}
}

// columns remembers the last fields and what became of them: a statement that
// is run again and again, on a cached plan, brings the very same ones. Fields
// that were handed out are never written to.
type columns struct {
	fields    []*querypb.Field
	converted []*dquerypb.Field
}

// of gives the library's fields for ours.
func (c *columns) of(fields []*querypb.Field) []*dquerypb.Field {
	if !slices.Equal(fields, c.fields) {
		c.fields, c.converted = slices.Clone(fields), convertFields(fields)
	}
	return c.converted
}

// convertRows gives each cell the type its column has for the client, who
// reads a binary row by it.
func convertRows(rows []sqltypes.Row, fields []*dquerypb.Field) [][]dsqltypes.Value {
	if len(rows) == 0 {
		return nil
	}
	width := len(rows[0])
	cells := make([]dsqltypes.Value, 0, len(rows)*width)
	out := make([][]dsqltypes.Value, len(rows))
	for i, row := range rows {
		start := len(cells)
		for col, cell := range row {
			if cell.IsNull() {
				cells = append(cells, dsqltypes.NULL)
				continue
			}
			cells = append(cells, dsqltypes.MakeTrusted(fields[col].Type, cell.Raw()))
		}
		out[i] = cells[start:len(cells):len(cells)]
	}
	return out
}

// convertType is the library's number of a type: the same, but for the types
// it does not have.
func convertType(t querypb.Type) dquerypb.Type {
	switch t {
	case sqltypes.HexNum, sqltypes.HexVal, sqltypes.BitNum, sqltypes.Vector, querypb.Type_RAW, querypb.Type_ROW_TUPLE:
		return dsqltypes.VarBinary
	}
	return dquerypb.Type(t)
}

func convertFields(fields []*querypb.Field) []*dquerypb.Field {
	all := make([]dquerypb.Field, len(fields))
	out := make([]*dquerypb.Field, len(fields))
	for i, field := range fields {
		to := &all[i]
		to.Name, to.OrgName = field.Name, field.OrgName
		to.Table, to.OrgTable, to.Database = field.Table, field.OrgTable, field.Database
		to.Type = convertType(field.Type)
		to.ColumnLength, to.Charset, to.Decimals, to.Flags = field.ColumnLength, field.Charset, field.Decimals, field.Flags
		if to.Charset == 0 {
			to.Charset = defaultCharset(field.Type)
		}
		if to.Decimals == 0 && sqltypes.IsFloat(field.Type) {
			to.Decimals = decimalsNotFixed
		}
		out[i] = to
	}
	return out
}

// defaultCharset is the collation of a column that does not say: binary for
// what is no text.
func defaultCharset(t querypb.Type) uint32 {
	if sqltypes.IsText(t) || t == sqltypes.Enum || t == sqltypes.Set {
		return uint32(collations.CollationUtf8mb4ID)
	}
	return uint32(collations.CollationBinaryID)
}

// statusFlags are the protocol's flags for a session's status.
func statusFlags(status Status) uint16 {
	var flags uint16
	if status.Autocommit {
		flags |= mysql.ServerStatusAutocommit
	}
	if status.InTransaction {
		flags |= mysql.ServerInTransaction
	}
	return flags
}
