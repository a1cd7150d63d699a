package vindexes

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"
)

// buildTable makes one table of its definition.
func (b *builder) buildTable(ks *KeyspaceSchema, def *vschemapb.Keyspace, name string) (*Table, error) {
	tableDef, path := def.Tables[name], tablePath(ks.Keyspace.Name, name)
	t := &Table{
		Type: tableDef.GetType(), Name: sqlparser.NewIdentifierCS(name), Keyspace: ks.Keyspace,
		ColumnListAuthoritative: tableDef.GetColumnListAuthoritative(),
	}
	if err := setType(t, tableDef, path); err != nil {
		return nil, err
	}
	if tableDef.GetPinned() != "" {
		ksid, err := hex.DecodeString(tableDef.Pinned)
		if err != nil {
			return nil, mistake(path+".pinned", "could not decode the keyspace id for pin: %v", err)
		}
		t.Pinned = ksid
	}
	if ks.Keyspace.Sharded && t.Type != TypeReference && tableDef.GetPinned() == "" && len(tableDef.GetColumnVindexes()) == 0 {
		return nil, mistake(path, "missing primary col vindex for table: %s: add column_vindexes, or make it a reference or a pinned table", name)
	}
	if err := b.setColumns(t, tableDef, path); err != nil {
		return nil, err
	}
	for i, cv := range tableDef.GetColumnVindexes() {
		if err := addColumnVindex(ks, def, t, i, cv, fmt.Sprintf("%s.column_vindexes[%d]", path, i)); err != nil {
			return nil, err
		}
	}
	t.Ordered = slices.Clone(t.ColumnVindexes)
	slices.SortStableFunc(t.Ordered, func(a, b *ColumnVindex) int { return a.cost - b.cost })
	return t, nil
}

// setType checks the type of a table, and the source of a reference table.
func setType(t *Table, def *vschemapb.Table, path string) error {
	name := t.Name.String()
	switch t.Type {
	case TypeTable:
	case TypeSequence:
		if t.Keyspace.Sharded && def.Pinned == "" {
			return mistake(path, "sequence table has to be in an unsharded keyspace or must be pinned: %s", name)
		}
	case TypeReference:
		if def.Source == "" {
			return nil
		}
		keyspace, table, err := splitTableName(def.Source, true)
		if err != nil {
			return mistake(path+".source", "invalid source %q for reference table: %s; %v", def.Source, name, err)
		}
		t.Source = &Source{sqlparser.NewTableNameWithQualifier(table, keyspace)}
	default:
		return mistake(path+".type", "unidentified table type %s%s", t.Type, DidYouMean(t.Type, []string{TypeReference, TypeSequence}))
	}
	return nil
}

// splitTableName cuts "keyspace.table"; neither may hold a dot.
func splitTableName(text string, unqualified bool) (keyspace, table string, err error) {
	parts := strings.Split(text, ".")
	switch {
	case len(parts) == 2:
		return parts[0], parts[1], nil
	case len(parts) == 1 && unqualified:
		return "", text, nil
	}
	or := ""
	if unqualified {
		or = "unqualified form <table_name> or the "
	}
	return "", "", fmt.Errorf("invalid table name: '%s', it must be of the %squalified form <keyspace_name>.<table_name> (dots are not allowed in either name)", text, or)
}

func (b *builder) setColumns(t *Table, def *vschemapb.Table, path string) error {
	seen := map[string]bool{}
	for i, columnDef := range def.GetColumns() {
		columnPath := fmt.Sprintf("%s.columns[%d]", path, i)
		column := Column{
			Name: sqlparser.NewIdentifierCI(columnDef.Name), Type: columnDef.Type, CollationName: columnDef.CollationName,
			Invisible: columnDef.Invisible, Size: columnDef.Size, Scale: columnDef.Scale,
			Nullable: columnDef.Nullable == nil || *columnDef.Nullable, Values: columnDef.Values,
		}
		if seen[column.Name.Lowered()] {
			return mistake(columnPath+".name", "duplicate column name '%s' for table: %s", columnDef.Name, t.Name.String())
		}
		seen[column.Name.Lowered()] = true
		if columnDef.Default != "" {
			expr, err := b.parser.ParseExpr(columnDef.Default)
			if err != nil {
				return mistake(columnPath+".default", "could not parse the '%s' column's default expression '%s' for table '%s'", columnDef.Name, columnDef.Default, t.Name.String())
			}
			column.Default = expr
		}
		t.Columns = append(t.Columns, column)
	}
	return nil
}

// addColumnVindex adds the i-th vindex of a table; the first is the primary.
func addColumnVindex(ks *KeyspaceSchema, def *vschemapb.Keyspace, t *Table, i int, cvDef *vschemapb.ColumnVindex, path string) error {
	name := t.Name.String()
	vindex := ks.Vindexes[cvDef.Name]
	if vindex == nil {
		return mistake(path+".name", "vindex %s not found for table %s%s", cvDef.Name, name, DidYouMean(cvDef.Name, slices.Sorted(maps.Keys(def.Vindexes))))
	}
	columns, err := vindexColumns(cvDef, name, path)
	if err != nil {
		return err
	}
	vindexDef := def.Vindexes[cvDef.Name]
	_, isLookup := vindex.(Lookup)
	cv := NewColumnVindex(vindexDef.Type, vindex, isLookup && vindexDef.Owner == name, columns)
	switch {
	case i == 0 && !vindex.IsUnique():
		return mistake(path, "primary vindex %s is not Unique for table %s", cv.Name, name)
	case i == 0 && cv.Owned:
		return mistake(path, "primary vindex %s cannot be owned for table %s", cv.Name, name)
	}
	t.ColumnVindexes = append(t.ColumnVindexes, cv)
	if cv.Owned {
		t.Owned = append(t.Owned, cv)
		if wants, ok := vindex.(WantOwnerInfo); ok {
			if err := wants.SetOwnerInfo(ks.Keyspace.Name, name, columns); err != nil {
				return mistake(path, "%s", err.Error())
			}
		}
	}
	multi, ok := vindex.(MultiColumn)
	switch {
	case !ok:
		return nil
	case i != 0:
		return mistake(path, "multi-column vindex %s should be a primary vindex for table %s", cv.Name, name)
	case multi.PartialVindex():
		addPrefixes(t, cv)
	}
	return nil
}

// addPrefixes adds a vindex of several columns once for each of its prefixes,
// the longest first, each a bit dearer than the one before.
func addPrefixes(t *Table, whole *ColumnVindex) {
	for n := len(whole.Columns) - 1; n > 0; n-- {
		prefix := *whole
		prefix.Columns = whole.Columns[:n]
		prefix.unique, prefix.partial = false, true
		prefix.cost = whole.cost + len(whole.Columns) - n
		t.ColumnVindexes = append(t.ColumnVindexes, &prefix)
	}
}

func vindexColumns(def *vschemapb.ColumnVindex, table, path string) ([]sqlparser.IdentifierCI, error) {
	names := def.Columns
	switch {
	case def.Column != "" && len(names) > 0:
		return nil, mistake(path, "can't use column and columns at the same time in vindex (%s) and table (%s)", def.Name, table)
	case def.Column != "":
		names = []string{def.Column}
	case len(names) == 0:
		return nil, mistake(path, "must specify at least one column for vindex (%s) and table (%s)", def.Name, table)
	}
	columns := make([]sqlparser.IdentifierCI, len(names))
	for i, name := range names {
		columns[i] = sqlparser.NewIdentifierCI(name)
	}
	return columns, nil
}
