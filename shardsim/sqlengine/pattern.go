package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
)

// pattern is LIKE that the engine does not take for a comparison: to it LIKE 'ab' is = 'ab', which spaces at the end and letters that
// stand for two are nothing to, and LIKE 'a%' is BETWEEN 'a' AND 'a\u00ff', which most letters are behind.
type pattern struct{ *expression.Like }

func (p *pattern) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	like, err := p.Like.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return &pattern{like.(*expression.Like)}, nil
}
