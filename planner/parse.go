package planner

import (
	"slices"
	"strings"
	"unicode/utf8"

	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// Parse parses a statement and returns it with the names of its bind variables. It mends what the parser reads otherwise than
// MySQL: an empty comment, over whose directives it would fall; 0X1, which is a name to MySQL, as only a small x makes it a
// number (1054); an empty LIKE of a SHOW, which it cannot print; and :1, which only plans use, for the columns of an input (1064).
func Parse(parser *sqlparser.Parser, sql string) (sqlparser.Statement, sqlparser.BindVars, error) {
	stmt, known, err := parse(parser, sql)
	if err != nil {
		return nil, nil, err
	}
	if strings.Contains(sql, "/**/") {
		dropEmptyComments(stmt)
	}
	if err := mendLike(stmt); err != nil {
		return nil, nil, err
	}
	if strings.Contains(sql, "0X") || strings.Contains(sql, ":") {
		if err := checkLiterals(stmt); err != nil {
			return nil, nil, err
		}
	}
	return stmt, known, nil
}

// parse takes a panic of the parser (`set @@vitess_metadata.`) for a syntax error.
func parse(parser *sqlparser.Parser, sql string) (stmt sqlparser.Statement, known sqlparser.BindVars, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.SyntaxError, "syntax error: %v", r)
		}
	}()
	return parser.Parse2(sql)
}

// mendLike says in words that can be printed what an empty LIKE means for a SHOW: no row. A pattern that is no text is an error.
func mendLike(stmt sqlparser.Statement) error {
	show, ok := stmt.(*sqlparser.Show)
	if !ok {
		return nil
	}
	basic, ok := show.Internal.(*sqlparser.ShowBasic)
	if !ok || basic.Filter == nil {
		return nil
	}
	like := basic.Filter.Like
	if !utf8.ValidString(like) {
		return vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "Invalid utf8mb4 character string: '%X'", like)
	}
	if like == "" && basic.Filter.Filter == nil {
		one := sqlparser.NewIntLiteral("1")
		basic.Filter.Filter = &sqlparser.ComparisonExpr{Operator: sqlparser.NotEqualOp, Left: one, Right: one}
	}
	return nil
}

func dropEmptyComments(stmt sqlparser.Statement) {
	switch stmt := stmt.(type) {
	case *sqlparser.Set:
		stmt.Comments = notEmpty(stmt.Comments)
	case *sqlparser.CreateDatabase:
		stmt.Comments = notEmpty(stmt.Comments)
	case *sqlparser.AlterDatabase:
		stmt.Comments = notEmpty(stmt.Comments)
	case *sqlparser.DropDatabase:
		stmt.Comments = notEmpty(stmt.Comments)
	case *sqlparser.PrepareStmt:
		stmt.Comments = notEmpty(stmt.Comments)
	case *sqlparser.ExecuteStmt:
		stmt.Comments = notEmpty(stmt.Comments)
	case *sqlparser.DeallocateStmt:
		stmt.Comments = notEmpty(stmt.Comments)
	}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if commented, ok := node.(sqlparser.Commented); ok {
			if comments := commented.GetParsedComments(); comments != nil {
				commented.SetComments(notEmpty(comments).GetComments())
			}
		}
		return true, nil
	}, stmt)
}

func notEmpty(comments *sqlparser.ParsedComments) *sqlparser.ParsedComments {
	return slices.DeleteFunc(comments.GetComments(), func(c string) bool { return c == "/**/" }).Parsed()
}

func checkLiterals(stmt sqlparser.Statement) error {
	return sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.Literal:
			if node.Type == sqlparser.HexNum && strings.HasPrefix(node.Val, "0X") {
				return false, vterrors.NewErrorf(vtrpcpb.Code_NOT_FOUND, vterrors.BadFieldError, "Unknown column '%s' in 'field list'", node.Val)
			}
		case *sqlparser.Offset:
			return false, vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.SyntaxError, "syntax error near ':%d': a bind variable needs a name", node.V)
		}
		return true, nil
	}, stmt)
}
