package sqlengine

import (
	"strings"

	"vitess.io/vitess/go/mysql/datetime"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Mistakes MySQL refuses and the engine runs: they are found in the statement before it is run.

// checkStatement returns MySQL's error for a statement that is wrong whatever tables there are.
func checkStatement(stmt sqlparser.Statement) error {
	if err := checkDenied(stmt); err != nil {
		return err
	}
	if err := checkTimeLiterals(stmt); err != nil {
		return err
	}
	if err := checkCasts(stmt); err != nil {
		return err
	}
	if err := checkAggregates(stmt); err != nil {
		return err
	}
	switch ast := stmt.(type) {
	case *sqlparser.Select:
		return checkSelect(ast)
	case *sqlparser.Update:
		return checkTarget(aliases(ast.TableExprs), updateTargets(ast), ast.Exprs, ast.Where)
	case *sqlparser.Delete:
		for _, t := range ast.Targets {
			if _, known := aliases(ast.TableExprs)[strings.ToLower(t.Name.String())]; !known {
				return mysqlError(1109, "42S02", "Unknown table '%s' in MULTI DELETE", t.Name.String())
			}
		}
		return checkTarget(aliases(ast.TableExprs), deleteTargets(ast), ast.Where)
	case *sqlparser.CreateTable:
		return checkCreate(ast)
	case *sqlparser.Union:
		return checkUnionOrder(ast)
	}
	return nil
}

// checkUnionOrder refuses to sort a union by a column of one of its tables.
func checkUnionOrder(u *sqlparser.Union) error {
	for _, order := range u.OrderBy {
		if col, ok := order.Expr.(*sqlparser.ColName); ok && !col.Qualifier.IsEmpty() {
			return mysqlError(1250, "42000", "Table '%s' from one of the SELECTs cannot be used in global ORDER clause", col.Qualifier.Name.String())
		}
	}
	return nil
}

// checkTimeLiterals refuses DATE '...', TIME '...' and TIMESTAMP '...' of texts that are none.
func checkTimeLiterals(stmt sqlparser.Statement) error {
	var refused error
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		lit, ok := node.(*sqlparser.Literal)
		if !ok {
			return refused == nil, nil
		}
		valid, word := true, ""
		switch lit.Type {
		case sqlparser.DateVal:
			_, valid = datetime.ParseDate(lit.Val)
			word = "DATE"
		case sqlparser.TimeVal:
			_, _, state := datetime.ParseTime(lit.Val, -1)
			valid, word = state == datetime.TimeOK, "TIME"
		case sqlparser.TimestampVal:
			_, _, valid = datetime.ParseDateTime(lit.Val, -1)
			word = "DATETIME"
		}
		if !valid {
			refused = mysqlError(1525, "HY000", "Incorrect %s value: '%s'", word, lit.Val)
		}
		return refused == nil, nil
	}, stmt)
	return refused
}

func checkSelect(sel *sqlparser.Select) error {
	if sel.Where != nil && hasAggregate(sel.Where.Expr) {
		return mysqlError(1111, "HY000", "Invalid use of group function")
	}
	if err := checkGroups(sel); err != nil {
		return err
	}
	if name := windowOf(sel.Where); name != "" {
		return mysqlError(3593, "HY000", "You cannot use the window function '%s' in this context.'", name)
	}
	if err := checkWindows(sel); err != nil {
		return err
	}
	if name := groupedWindow(sel); name != "" {
		return mysqlError(3593, "HY000", "You cannot use the window function '%s' in this context.'", name)
	}
	if sel.With == nil {
		return nil
	}
	names := make(map[string]bool)
	for _, cte := range sel.With.CTEs {
		name := strings.ToLower(cte.ID.String())
		if names[name] {
			return mysqlError(1066, "42000", "Not unique table/alias: '%s'", cte.ID.String())
		}
		names[name] = true
	}
	return nil
}

// checkGroups refuses to group by an aggregate, or the alias of one.
func checkGroups(sel *sqlparser.Select) error {
	if sel.GroupBy == nil || sel.SelectExprs == nil {
		return nil
	}
	for _, g := range sel.GroupBy.Exprs {
		if hasAggregate(g) {
			return mysqlError(1056, "42000", "Can't group on '%s'", sqlparser.String(g))
		}
		col, ok := g.(*sqlparser.ColName)
		for _, e := range sel.SelectExprs.Exprs {
			a, isAliased := e.(*sqlparser.AliasedExpr)
			if ok && isAliased && col.Qualifier.IsEmpty() && a.As.Equal(col.Name) && hasAggregate(a.Expr) {
				return mysqlError(1056, "42000", "Can't group on '%s'", col.Name.String())
			}
		}
	}
	return nil
}

// windowOf returns the first window function of a WHERE, "" for none.
func windowOf(where *sqlparser.Where) (name string) {
	if where == nil {
		return ""
	}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if isWindowed(node) && name == "" {
			name, _, _ = strings.Cut(sqlparser.String(node), "(")
		}
		_, isSubquery := node.(*sqlparser.Subquery)
		return name == "" && !isSubquery, nil
	}, where.Expr)
	return name
}

// checkWindows refuses names of windows that are not defined.
func checkWindows(sel *sqlparser.Select) error {
	defined := make(map[string]bool)
	for _, named := range sel.Windows {
		for _, def := range named.Windows {
			defined[def.Name.Lowered()] = true
		}
	}
	var refused error
	visit := func(node sqlparser.SQLNode) (bool, error) {
		var name sqlparser.IdentifierCI
		switch node := node.(type) {
		case *sqlparser.Subquery:
			return false, nil
		case *sqlparser.OverClause:
			name = node.WindowName
		case *sqlparser.WindowSpecification:
			name = node.Name
		}
		if name.NotEmpty() && !defined[name.Lowered()] {
			refused = mysqlError(3579, "HY000", "Window name '%s' is not defined.", name.String())
		}
		return refused == nil, nil
	}
	for _, node := range []sqlparser.SQLNode{sel.SelectExprs, sel.OrderBy, sel.Windows} {
		_ = sqlparser.Walk(visit, node)
	}
	return refused
}

// groupedWindow returns the window function a query is grouped by, "" for others.
func groupedWindow(sel *sqlparser.Select) string {
	if sel.GroupBy == nil || sel.SelectExprs == nil {
		return ""
	}
	for _, g := range sel.GroupBy.Exprs {
		if isWindowed(g) {
			name, _, _ := strings.Cut(sqlparser.String(g), "(")
			return name
		}
		col, ok := g.(*sqlparser.ColName)
		for _, e := range sel.SelectExprs.Exprs {
			a, isAliased := e.(*sqlparser.AliasedExpr)
			if ok && isAliased && a.As.Equal(col.Name) && isWindowed(a.Expr) {
				name, _, _ := strings.Cut(sqlparser.String(a.Expr), "(")
				return name
			}
		}
	}
	return ""
}

// hasAggregate reports whether an expression has an aggregate of its own: not in a subquery, and not over a window.
func hasAggregate(e sqlparser.SQLNode) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if isWindowed(node) {
			return false, nil
		}
		switch node.(type) {
		case *sqlparser.Subquery:
			return false, nil
		case *sqlparser.AnyValue:
			// It makes no group of the rows.
		case sqlparser.AggrFunc:
			found = true
		}
		return !found, nil
	}, e)
	return found
}

// checkAggregates refuses an aggregate of an aggregate. One over a window may have another of the group.
func checkAggregates(stmt sqlparser.Statement) error {
	nested := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		agg, ok := node.(sqlparser.AggrFunc)
		if _, any := node.(*sqlparser.AnyValue); ok && !any && !isWindowed(node) {
			for _, arg := range agg.GetArgs() {
				nested = nested || hasAggregate(arg)
			}
		}
		return !nested, nil
	}, stmt)
	if nested {
		return mysqlError(1111, "HY000", "Invalid use of group function")
	}
	return nil
}

func isWindowed(node sqlparser.SQLNode) bool {
	w, ok := node.(sqlparser.WindowFunc)
	return ok && w.GetOverClause() != nil
}

// checkTarget refuses a statement that reads the table it writes to in a subquery. In a derived table it may.
func checkTarget(names map[string]string, targets map[string]bool, parts ...sqlparser.SQLNode) error {
	var refused string
	for _, part := range parts {
		if where, ok := part.(*sqlparser.Where); ok && where == nil {
			continue
		}
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			sub, ok := node.(*sqlparser.Subquery)
			if !ok {
				return refused == "", nil
			}
			_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
				switch t := node.(type) {
				case *sqlparser.DerivedTable:
					return false, nil
				case *sqlparser.AliasedTableExpr:
					if name, ok := t.Expr.(sqlparser.TableName); ok && targets[strings.ToLower(name.Name.String())] {
						refused = name.Name.String()
					}
				}
				return true, nil
			}, sub.Select)
			return false, nil
		}, part)
	}
	if refused == "" {
		return nil
	}
	for alias, real := range names {
		if real == strings.ToLower(refused) && targets[real] {
			refused = alias
		}
	}
	return mysqlError(1093, "HY000", "You can't specify target table '%s' for update in FROM clause", refused)
}

// checkFullGrouping returns the error of ONLY_FULL_GROUP_BY for a statement, if it has one.
func (s *Session) checkFullGrouping(stmt sqlparser.Statement) error {
	if err := checkGrouping(stmt, s.shard.keyspace); err != nil {
		return err
	}
	return s.checkDistinctOrder(stmt)
}

// checkGrouping refuses what ONLY_FULL_GROUP_BY does in a query of aggregates without GROUP BY: columns outside of them.
// A WHERE may pin a column to one value, so a query with one is left alone.
func checkGrouping(stmt sqlparser.Statement, keyspace string) error {
	sel, ok := stmt.(*sqlparser.Select)
	if !ok || sel.GroupBy != nil || sel.Where != nil || sel.SelectExprs == nil || len(sel.From) != 1 {
		return nil
	}
	aggregated := hasAggregate(sel.SelectExprs) || hasAggregate(sel.OrderBy)
	table, single := sel.From[0].(*sqlparser.AliasedTableExpr)
	if !aggregated || !single {
		return nil
	}
	for i, e := range sel.SelectExprs.Exprs {
		if col := looseColumn(e); col != nil {
			name := col.Name.String()
			if t, ok := table.Expr.(sqlparser.TableName); ok {
				alias := t.Name.String()
				if table.As.NotEmpty() {
					alias = table.As.String()
				}
				name = keyspace + "." + alias + "." + name
			}
			return mysqlError(1140, "42000", "In aggregated query without GROUP BY, expression #%d of SELECT list contains nonaggregated column '%s'; this is incompatible with sql_mode=only_full_group_by", i+1, name)
		}
	}
	return nil
}

// looseColumn returns a column outside of aggregates and subqueries.
func looseColumn(e sqlparser.SQLNode) *sqlparser.ColName {
	var found *sqlparser.ColName
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.Subquery, sqlparser.AggrFunc, *sqlparser.AnyValue:
			return false, nil
		case *sqlparser.ColName:
			if found == nil {
				found = node
			}
		}
		return found == nil, nil
	}, e)
	return found
}

// checkCreate refuses definitions that the engine takes or has no number for.
func checkCreate(create *sqlparser.CreateTable) error {
	spec := create.TableSpec
	if spec == nil {
		return nil
	}
	keys := 0
	for _, idx := range spec.Indexes {
		if idx.Info.Type == sqlparser.IndexTypePrimary {
			keys++
		}
	}
	if err := checkIdentifiers(create.Table.Name.String()); err != nil {
		return err
	}
	if name := create.Table.Name.String(); strings.HasSuffix(name, " ") {
		return mysqlError(1103, "42000", "Incorrect table name '%s'", name)
	}
	for _, col := range spec.Columns {
		if err := checkColumnName(col.Name.String()); err != nil {
			return err
		}
		if opts := col.Type.Options; opts != nil && opts.KeyOpt == sqlparser.ColKeyPrimary {
			keys++
		}
		if err := checkColumnType(col); err != nil {
			return err
		}
	}
	if keys > 1 {
		return mysqlError(1068, "42000", "Multiple primary key defined")
	}
	for _, idx := range spec.Indexes {
		if err := checkIndexName(idx); err != nil {
			return err
		}
	}
	if err := checkTableOptions(spec.Options); err != nil {
		return err
	}
	return checkDefinitions(spec, create.Table.Name.String())
}

// checkIndexName refuses names that are too long, and PRIMARY for another key.
func checkIndexName(idx *sqlparser.IndexDefinition) error {
	name := idx.Info.Name.String()
	if strings.EqualFold(name, "primary") && idx.Info.Type != sqlparser.IndexTypePrimary {
		return mysqlError(1280, "42000", "Incorrect index name '%s'", name)
	}
	return checkIdentifiers(name)
}

func checkTableOptions(options sqlparser.TableOptions) error {
	for _, opt := range options {
		if !strings.EqualFold(opt.Name, "engine") {
			continue
		}
		name := opt.String
		if opt.Value != nil {
			name = opt.Value.Val
		}
		if !knownEngine(name) {
			return mysqlError(1286, "42000", "Unknown storage engine '%s'", name)
		}
	}
	return nil
}

// checkColumnName refuses a name that ends with a blank or is too long.
func checkColumnName(name string) error {
	if strings.HasSuffix(name, " ") {
		return mysqlError(1166, "42000", "Incorrect column name '%s'", name)
	}
	return checkIdentifiers(name)
}

// knownEngine reports whether MySQL has a storage engine. Tables are the same here whatever it is.
func knownEngine(name string) bool {
	switch strings.ToLower(strings.Trim(name, "'`\"")) {
	case "innodb", "myisam", "memory", "heap", "csv", "archive", "blackhole", "merge", "mrg_myisam", "rocksdb", "ndb", "ndbcluster", "":
		return true
	}
	return false
}

func checkColumnType(col *sqlparser.ColumnDefinition) error {
	name, typ := col.Name.String(), col.Type
	word := strings.ToLower(typ.Type)
	length := 0
	if typ.Length != nil {
		length = *typ.Length
	}
	if opts := typ.Options; opts != nil && opts.Autoincrement {
		if t := sqlparser.SQLTypeToQueryType(word, false); !sqltypes.IsIntegral(t) && !sqltypes.IsFloat(t) {
			return mysqlError(1063, "42000", "Incorrect column specifier for column '%s'", name)
		}
	}
	if opts := typ.Options; opts != nil && sqltypes.IsNumber(sqlparser.SQLTypeToQueryType(word, false)) {
		if lit, ok := opts.Default.(*sqlparser.Literal); ok && lit != nil && lit.Type == sqlparser.StrVal && !looksNumeric(lit.Val) {
			return mysqlError(1067, "42000", "Invalid default value for '%s'", name)
		}
	}
	if opts := typ.Options; opts != nil && opts.Autoincrement && opts.Default != nil {
		return mysqlError(1067, "42000", "Invalid default value for '%s'", name)
	}
	switch word {
	case "varbinary":
		if length > 65535 {
			return mysqlError(1074, "42000", "Column length too big for column '%s' (max = 65535); use BLOB or TEXT instead", name)
		}
	case "char", "binary":
		if length > 255 {
			return mysqlError(1074, "42000", "Column length too big for column '%s' (max = 255); use BLOB or TEXT instead", name)
		}
	case "varchar":
		if length > 16383 {
			return mysqlError(1074, "42000", "Column length too big for column '%s' (max = 16383); use BLOB or TEXT instead", name)
		}
	case "datetime", "timestamp", "time":
		if length > 6 {
			return mysqlError(1426, "42000", "Too-big precision %d specified for '%s'. Maximum is 6.", length, name)
		}
	case "bit":
		if length > 64 {
			return mysqlError(1439, "42000", "Display width out of range for column '%s' (max = 64)", name)
		}
		if typ.Length != nil && length == 0 {
			return mysqlError(3013, "HY000", "Invalid size for column '%s'.", name)
		}
	case "decimal", "numeric":
		scale := 0
		if typ.Scale != nil {
			scale = *typ.Scale
		}
		switch {
		case length > decimalDigitsMax:
			return mysqlError(1426, "42000", "Too-big precision %d specified for '%s'. Maximum is 65.", length, name)
		case scale > decimalScaleMax:
			return mysqlError(1425, "42000", "Too big scale %d specified for column '%s'. Maximum is 30.", scale, name)
		case typ.Length != nil && scale > length:
			return mysqlError(1427, "42000", "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '%s').", name)
		}
	case "float", "double", "real", "float4", "float8":
		switch {
		case typ.Scale == nil:
			if length > 53 {
				return mysqlError(1063, "42000", "Incorrect column specifier for column '%s'", name)
			}
		case length > 255:
			return mysqlError(1439, "42000", "Display width out of range for column '%s' (max = 255)", name)
		case *typ.Scale > decimalScaleMax:
			return mysqlError(1425, "42000", "Too big scale %d specified for column '%s'. Maximum is 30.", *typ.Scale, name)
		case *typ.Scale > length:
			return mysqlError(1427, "42000", "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '%s').", name)
		}
	case "enum", "set":
		seen := make(map[string]bool)
		for _, v := range typ.EnumValues {
			value := strings.ToLower(strings.Trim(v, "'"))
			if word == "set" && strings.Contains(value, ",") {
				return mysqlError(1367, "22007", "Illegal set '%s' value found during parsing", strings.Trim(v, "'"))
			}
			if seen[value] {
				return mysqlError(1291, "HY000", "Column '%s' has duplicated value '%s' in %s", name, strings.Trim(v, "'"), strings.ToUpper(word))
			}
			seen[value] = true
		}
	case "blob", "tinyblob", "mediumblob", "longblob", "text", "tinytext", "mediumtext", "longtext", "json", "geometry", "point":
		if opts := typ.Options; opts != nil {
			if lit, ok := opts.Default.(*sqlparser.Literal); ok && lit != nil && opts.DefaultLiteral {
				return mysqlError(1101, "42000", "BLOB, TEXT, GEOMETRY or JSON column '%s' can't have a default value", name)
			}
		}
	}
	return nil
}
