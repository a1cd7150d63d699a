package semantics

import (
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// The texts, codes and states of this file are those that Vitess's clients see.

// onlyWhen marks an error that counts for some plans only; see the fields of SemTable that end in Err.
type onlyWhen struct {
	error
	kind errorKind
}

type errorKind int

const (
	notUnsharded errorKind = iota
	notSingleRoute
	notSingleShard
)

// Unwrap gives the error that the client sees.
func (e onlyWhen) Unwrap() error { return e.error }

func unlessUnsharded(err error) error   { return onlyWhen{err, notUnsharded} }
func unlessSingleRoute(err error) error { return onlyWhen{err, notSingleRoute} }

// columnNotFound is a column that no table in reach has.
type columnNotFound struct {
	column *sqlparser.ColName
	table  *sqlparser.TableName // the only table there is, if there is just one
}

func (e columnNotFound) Error() string {
	text := "column '" + sqlparser.String(e.column) + "' not found"
	if e.table == nil {
		return text
	}
	return text + " in table '" + sqlparser.String(e.table) + "'"
}

// ErrorCode is the gRPC code of the error.
func (e columnNotFound) ErrorCode() vtrpcpb.Code { return vtrpcpb.Code_INVALID_ARGUMENT }

// ErrorState makes it MySQL's 1054.
func (e columnNotFound) ErrorState() vterrors.State { return vterrors.BadFieldError }

// ambiguousColumn is a column that more than one table has.
type ambiguousColumn struct{ column *sqlparser.ColName }

func (e ambiguousColumn) Error() string {
	return "Column '" + sqlparser.String(e.column) + "' in field list is ambiguous"
}

// ErrorCode is the gRPC code of the error.
func (e ambiguousColumn) ErrorCode() vtrpcpb.Code { return vtrpcpb.Code_INVALID_ARGUMENT }

// ErrorState is Vitess's choice for ambiguous columns.
func (e ambiguousColumn) ErrorState() vterrors.State { return vterrors.BadFieldError }

func unknownColumnInField(name string) error {
	return vterrors.NewErrorf(vtrpcpb.Code_NOT_FOUND, vterrors.BadFieldError, "Unknown column '%s' in 'field list'", name)
}

func unknownColumnIn(column, clause string) error {
	return vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.BadFieldError, "Unknown column '%s' in '%s'", column, clause)
}

func duplicateColumn(name string) error {
	return vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.DupFieldName, "Duplicate column name '%s'", name)
}

func invalidUseOfGroupFunction() error {
	return vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.InvalidGroupFuncUse, "Invalid use of group function")
}

func wrongPlacement(what string) error {
	return vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.CantUseOptionHere, "Incorrect usage/placement of '%s'", what)
}

func columnCountDiffers(first, second int) error {
	return vterrors.NewErrorf(vtrpcpb.Code_FAILED_PRECONDITION, vterrors.WrongNumberOfColumnsInSelect,
		"The used SELECT statements have a different number of columns: %d, %d", first, second)
}

func invalidArgument(format string, args ...any) error {
	return vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, format, args...)
}
