package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer/analyzererrors"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/spatial"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	goerrors "gopkg.in/src-d/go-errors.v1"
)

// errorMapping gives an engine error MySQL's number, SQLSTATE and wording. {0}, {1} are the engine error's arguments, {db}
// the database.
type errorMapping struct {
	kind  *goerrors.Kind
	num   int
	state string
	text  string
}

// errorTable is searched from top to bottom.
var errorTable = []errorMapping{
	{sql.ErrSyntaxError, 1064, "42000", "You have an error in your SQL syntax; {0}"},
	{sql.ErrInvalidSyntax, 1064, "42000", "You have an error in your SQL syntax; {0}"},
	{sql.ErrTableNotFound, 1146, "42S02", "Table '{db}.{0}' doesn't exist"},
	{sql.ErrUnknownTable, 1051, "42S02", "Unknown table '{db}.{0}'"},
	{sql.ErrTableAlreadyExists, 1050, "42S01", "Table '{0}' already exists"},
	{sql.ErrExistingView, 1050, "42S01", "Table '{1}' already exists"},
	{sql.ErrViewDoesNotExist, 1051, "42S02", "Unknown table '{0}.{1}'"},
	{sql.ErrDatabaseNotFound, 1049, "42000", "Unknown database '{0}'"},
	{sql.ErrDatabaseExists, 1007, "HY000", "Can't create database '{0}'; database exists"},
	{sql.ErrNoDatabaseSelected, 1046, "3D000", "No database selected"},
	{sql.ErrImmutableDatabaseProvider, 1044, "42000", "Access denied for CREATE or DROP DATABASE on a shard"},
	{sql.ErrColumnNotFound, 1054, "42S22", "Unknown column '{0}' in 'field list'"},
	{sql.ErrTableColumnNotFound, 1054, "42S22", "Unknown column '{0}.{1}' in 'field list'"},
	{sql.ErrUnknownColumn, 1054, "42S22", "Unknown column '{0}' in 'field list'"},
	{sql.ErrMisusedAlias, 1054, "42S22", "Unknown column '{0}' in 'field list'"},
	{sql.ErrAmbiguousColumnName, 1052, "23000", "Column '{0}' in field list is ambiguous"},
	{sql.ErrAmbiguousColumnOrAliasName, 1052, "23000", "Column '{0}' in field list is ambiguous"},
	{sql.ErrAmbiguousColumnInOrderBy, 1052, "23000", "Column '{0}' in order clause is ambiguous"},
	{sql.ErrDuplicateAliasOrTable, 1066, "42000", "Not unique table/alias: '{0}'"},
	{sql.ErrColumnExists, 1060, "42S21", "Duplicate column name '{0}'"},
	{sql.ErrDuplicateColumn, 1060, "42S21", "Duplicate column name '{0}'"},
	{sql.ErrColumnSpecifiedTwice, 1110, "42000", "Column '{0}' specified twice"},
	{sql.ErrDuplicateKey, 1061, "42000", "Duplicate key name '{0}'"},
	{sql.ErrIndexNotFound, 1176, "42000", "Key '{0}' doesn't exist in table '{1}'"},
	{plan.ErrIndexNotFound, 1091, "42000", "Can't DROP '{0}'; check that column/key exists"},
	{sql.ErrCantDropFieldOrKey, 1091, "42000", "Can't DROP '{0}'; check that column/key exists"},
	{sql.ErrCantDropIndex, 1553, "HY000", "Cannot drop index '{0}': needed in a foreign key constraint"},
	{sql.ErrForeignKeyDropIndex, 1553, "HY000", "Cannot drop index '{0}': needed in a foreign key constraint"},
	{sql.ErrKeyColumnDoesNotExist, 1072, "42000", "Key column '{0}' doesn't exist in table"},
	{sql.ErrUnknownIndexColumn, 1072, "42000", "Key column '{0}' doesn't exist in table"},
	{analyzererrors.ErrUnknownIndexColumns, 1072, "42000", "Key column '{1}' doesn't exist in table"},
	{sql.ErrMultiplePrimaryKeysDefined, 1068, "42000", "Multiple primary key defined"},
	{sql.ErrWrongAutoKey, 1075, "42000", "Incorrect table definition; there can be only one auto column and it must be defined as a key"},
	{sql.ErrInvalidAutoIncCols, 1075, "42000", "Incorrect table definition; there can be only one auto column and it must be defined as a key"},
	{sql.ErrInvalidBlobTextKey, 1170, "42000", "BLOB/TEXT column '{0}' used in key specification without a key length"},
	{sql.ErrInvalidIndexPrefix, 1089, "HY000", "Incorrect prefix key; the used key part isn't a string, the used length is longer than the key part, or the storage engine doesn't support unique prefix keys"},
	{sql.ErrJSONIndex, 3152, "42000", "JSON column '{0}' supports indexing only via generated columns on a specified JSON path."},
	{sql.ErrInvalidIdentifier, 1059, "42000", "Identifier name '{0}' is too long"},
	{sql.ErrInvalidRefInView, 1356, "HY000", "View '{0}.{1}' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them"},
	{function.ErrTooHighPrecision, 1426, "42000", "Too-big precision {0} specified for '{1}'. Maximum is {2}."},
	{spatial.ErrInvalidType, 3037, "22023", "Invalid GIS data provided to function {0}."},
	{sql.ErrNoSRID, 3548, "SR001", "There's no spatial reference system with SRID {0}."},
	{sql.ErrJSONObjectAggNullKey, 3158, "22032", "JSON documents may not contain NULL member names."},
	{sql.ErrColumnDefaultSubquery, 3769, "HY000", "Default value expression of column '{0}' contains a disallowed function."},
	{sql.ErrInvalidDefaultValueOrder, 3767, "HY000", "Default value expression of column '{0}' cannot refer to a column defined after it if that column is a generated column or has an expression as default value."},
	{sql.ErrKeyTooLong, 1071, "42000", "Specified key was too long; max key length is 3072 bytes"},
	{sql.ErrKeyZero, 1391, "HY000", "Key part '{0}' length cannot be 0"},
	{planbuilder.ErrPrimaryKeyOnNullField, 1171, "42000", "All parts of a PRIMARY KEY must be NOT NULL; if you need NULL in a key, use UNIQUE instead"},
	{sql.ErrInvalidColumnDefaultValue, 1067, "42000", "Invalid default value for '{0}'"},
	{sql.ErrIncompatibleDefaultType, 1067, "42000", "Invalid default value"},
	{sql.ErrColumnDefaultReturnedNull, 1067, "42000", "Invalid default value"},
	{sql.ErrInsertIntoNonNullableProvidedNull, 1048, "23000", "Column '{0}' cannot be null"},
	{sql.ErrInsertIntoNonNullableDefaultNullColumn, 1364, "HY000", "Field '{0}' doesn't have a default value"},
	{sql.ErrInsertIntoMismatchValueCount, 1136, "21S01", "Column count doesn't match value count at row 1"},
	{sql.ErrColValCountMismatch, 1136, "21S01", "Column count doesn't match value count at row {0}"},
	{sql.ErrColumnCountMismatch, 1353, "HY000", "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts"},
	{sql.ErrColumnNumberDoesNotMatch, 1222, "21000", "The used SELECT statements have a different number of columns"},
	{planbuilder.ErrUnionSchemasDifferentLength, 1222, "21000", "The used SELECT statements have a different number of columns"},
	{sql.ErrGeneratedColumnValue, 3105, "HY000", "The value specified for generated column '{0}' in table '{1}' is not allowed."},
	{sql.ErrCheckConstraintViolated, 3819, "HY000", "Check constraint '{0}' is violated."},
	{sql.ErrCheckConstraintInvalidatedByColumnAlter, 3959, "HY000", "Check constraint '{1}' uses column '{0}', hence column cannot be dropped or renamed."},
	{sql.ErrUnknownConstraint, 3940, "HY000", "Constraint '{0}' does not exist."},
	{sql.ErrExpectedSingleRow, 1242, "21000", "Subquery returns more than 1 row"},
	{sql.ErrMoreThanOneRow, 1172, "42000", "Result consisted of more than one row"},
	{sql.ErrInvalidOperandColumns, 1241, "21000", "Operand should contain {0} column(s)"},
	{sql.ErrNonAggregatedColumnWithoutGroupBy, 1140, "42000", "In aggregated query without GROUP BY, expression #1 of SELECT list contains nonaggregated column; this is incompatible with sql_mode=only_full_group_by"},
	{analyzererrors.ErrValidationGroupBy, 1055, "42000", "Expression #1 of SELECT list is not in GROUP BY clause and contains nonaggregated column '{db}.{0}' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by"},
	{sql.ErrFunctionNotFound, 1305, "42000", "FUNCTION {db}.{0} does not exist"},
	{sql.ErrStoredProcedureDoesNotExist, 1305, "42000", "PROCEDURE {db}.{0} does not exist"},
	{sql.ErrEventsNotSupported, 1235, "42000", "This version of MySQL doesn't yet support 'events'"},
	{sql.ErrTemporaryTableNotSupported, 1235, "42000", "This version of MySQL doesn't yet support 'temporary tables'"},
	{sql.ErrFullTextNotSupported, 1235, "42000", "This version of MySQL doesn't yet support 'FULLTEXT index'"},
	{sql.ErrFullTextDatabaseNotSupported, 1235, "42000", "This version of MySQL doesn't yet support 'FULLTEXT index'"},
	{sql.ErrIncompleteFullTextIntegration, 1235, "42000", "This version of MySQL doesn't yet support 'FULLTEXT index'"},
	{sql.ErrInvalidArgumentNumber, 1582, "42000", "Incorrect parameter count in the call to native function '{0}'"},
	{sql.ErrSavepointDoesNotExist, 1305, "42000", "SAVEPOINT {0} does not exist"},
	{sql.ErrReadOnlyTransaction, 1792, "25006", "Cannot execute statement in a READ ONLY transaction."},
	{sql.ErrUnknownSystemVariable, 1193, "HY000", "Unknown system variable '{0}'"},
	{sql.ErrSystemVariableReadOnly, 1238, "HY000", "Variable '{0}' is a read only variable"},
	{sql.ErrSystemVariableGlobalOnly, 1229, "HY000", "Variable '{0}' is a GLOBAL variable and should be set with SET GLOBAL"},
	{sql.ErrSystemVariableSessionOnly, 1228, "HY000", "Variable '{0}' is a SESSION variable and can't be used with SET GLOBAL"},
	{sql.ErrInvalidSystemVariableValue, 1231, "42000", "Variable '{0}' can't be set to the value of '{1}'"},
	{sql.ErrForeignKeyDropTable, 3730, "HY000", "Cannot drop table '{0}' referenced by a foreign key constraint '{1}'."},
	{sql.ErrForeignKeyDropColumn, 1828, "HY000", "Cannot drop column '{0}': needed in a foreign key constraint '{1}'"},
	{sql.ErrForeignKeyDuplicateName, 1826, "HY000", "Duplicate foreign key constraint name '{0}'"},
	{sql.ErrForeignKeyMissingReferenceIndex, 1822, "HY000", "Failed to add the foreign key constraint. Missing index for constraint '{0}' in the referenced table '{1}'"},
	{sql.ErrForeignKeyNotFound, 1091, "42000", "Can't DROP '{0}'; check that column/key exists"},
	{sql.ErrForeignKeyTypeChangeSetNull, 1830, "HY000", "Column '{0}' cannot be NOT NULL: needed in a foreign key constraint '{1}' SET NULL"},
	{sql.ErrForeignKeyTextBlob, 1170, "42000", "BLOB/TEXT column used in key specification without a key length"},
	{sql.ErrTruncateReferencedFromForeignKey, 1701, "42000", "Cannot truncate a table referenced in a foreign key constraint (`{db}`.`{2}`, CONSTRAINT `{1}`)"},
	{sql.ErrCollationIllegalMix, 1267, "HY000", "Illegal mix of collations ({0}) and ({1}) for operation '='"},
	{sql.ErrCollationUnknown, 1273, "HY000", "Unknown collation: '{0}'"},
	{sql.ErrCharSetUnknown, 1115, "42000", "Unknown character set: '{0}'"},
	{sql.ErrCollationInvalidForCharSet, 1253, "42000", "COLLATION '{0}' is not valid for CHARACTER SET '{1}'"},
	{sql.ErrInvalidJSONText, 3141, "22032", "Invalid JSON text in argument {0} to function {1}."},
	{sql.ErrInvalidJson, 3140, "22032", "Invalid JSON text: {0}"},
	{sql.ErrNoTablesUsed, 1096, "HY000", "No tables used"},
	{sql.ErrCteRecursionLimitExceeded, 3636, "HY000", "Recursive query aborted after 1001 iterations. Try increasing @@cte_max_recursion_depth to a larger value."},
	{sql.ErrUnsupportedSyntax, 1235, "42000", "This version of MySQL doesn't yet support '{0}'"},
	{sql.ErrUnsupportedFeature, 1235, "42000", "This version of MySQL doesn't yet support '{0}'"},
	{sql.ErrAggregationUnsupported, 1111, "HY000", "Invalid use of group function"},
	{expression.ErrIntDivDataOutOfRange, 1690, "22003", "BIGINT value is out of range in '({0} DIV {1})'"},
	{types.ErrDataTruncatedForColumn, 1265, "01000", "Data truncated for column '{0}' at row 1"},
	{types.ErrLengthBeyondLimit, 1406, "22001", "Data too long for column '{1}' at row 1"},
	{types.ErrConvertingToTime, 1292, "22007", "Incorrect datetime value: '{0}'"},
	{types.ErrConvertingToTimeType, 1292, "22007", "Incorrect time value: '{0}'"},
	{types.ErrConvertingToDecimal, 1366, "HY000", "Incorrect decimal value: '{0}'"},
	{sql.ErrInvalidValue, 1366, "HY000", "Incorrect {1} value: '{0}'"},
	{sql.ErrPrimaryKeyViolation, 1062, "23000", "Duplicate entry for key 'PRIMARY'"},
	{sql.ErrUniqueKeyViolation, 1062, "23000", "Duplicate entry for key"},
	{sql.ErrDuplicateEntry, 1062, "23000", "Duplicate entry for key '{0}'"},
}

// textTable maps errors the engine makes without a kind.
var textTable = []struct {
	pattern string
	num     int
	state   string
	text    string
}{
	{"`%s` expected `%s` parameters but got `%s`", 1318, "42000", "Incorrect number of arguments for PROCEDURE {db}.{0}; expected {1}, got {2}"},
	{"value %s was not found in the set", 1231, "42000", "Variable 'sql_mode' can't be set to the value of '{0}'"},
	{"failed to extract from expression %s; Invalid JSON path expression. %s", 3143, "42000", "Invalid JSON path expression. The error is around character position 1."},
	{"Invalid JSON path expression. %s", 3143, "42000", "Invalid JSON path expression. The error is around character position 1."},
	{"the given regular expression is invalid: Mismatched parentheses%s", 3691, "HY000", "Mismatched parenthesis in regular expression."},
	{"the given regular expression is invalid: %s", 3685, "HY000", "Illegal argument to a regular expression."},
	{"tuple should contain %s column(s), but has %s", 1353, "HY000", "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts"},
	{"unsupported JSON function: %s", 1235, "42000", "This version of MySQL doesn't yet support '{0}'"},
	{"the oneOrAll argument to %s may take%s", 3154, "42000", "The oneOrAll argument to {0} may take these values: 'one' or 'all'."},
	{"The oneOrAll argument to %s may take%s", 3154, "42000", "The oneOrAll argument to {0} may take these values: 'one' or 'all'."},
	{"JSON documents may not contain NULL member names%s", 3158, "22032", "JSON documents may not contain NULL member names."},
	{"missing value for JSON_TABLE column '%s'", 3665, "22035", "Missing value for JSON_TABLE column '{0}'"},
	{"Invalid argument to regexp_%s", 1210, "HY000", "Incorrect arguments to regexp_{0}"},
	{"Invalid argument to ESCAPE%s", 1210, "HY000", "Incorrect arguments to ESCAPE"},
	{"unable to parse '%s' to UUID: invalid UUID (got%s", 1411, "HY000", "Incorrect string value: '{0}' for function bin_to_uuid"},
	{"unable to parse '%s' to UUID: %s", 1411, "HY000", "Incorrect string value: '{0}' for function uuid_to_bin"},
	{"invalid GIS data provided to function %s", 3037, "22023", "Invalid GIS data provided to function {0}."},
	{"syntax error at position %s", 1064, "42000", "You have an error in your SQL syntax; syntax error at position {0}"},
	{"an index with id %q has already been registered", 1061, "42000", "Duplicate key name '{0}'"},
	{"column ordinal out of range: %s", 1054, "42S22", "Unknown column '{0}' in 'order clause'"},
}
