package plantest

import "github.com/vitrodb/vitro/planner"

var _ planner.Statements = preparedStatements{}

// preparedStatements are the session's in Vitess's plan tests, so that cases written for it run here. They read tables of the
// VSchema those cases have.
type preparedStatements struct{}

// Prepared implements planner.Statements.
func (preparedStatements) Prepared(name string) (sql string, params int, ok bool) {
	switch name {
	case "prep_one_param":
		return "select 1 from user where id = :v1", 1, true
	case "prep_in_param":
		return "select 1 from user where id in (:v1, :v2)", 2, true
	case "prep_no_param":
		return "select 1 from user", 0, true
	case "prep_delete":
		return "delete from tbl5 where id = :v1", 1, true
	}
	return "", 0, false
}

// UserVariable implements planner.Statements.
func (preparedStatements) UserVariable(name string) (text string, ok bool) {
	if name == "prep_stmt" {
		return "select * from user where id in (?, ?, ?)", true
	}
	return "", false
}
