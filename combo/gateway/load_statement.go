package gateway

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner"
)

// loadStatement is a LOAD DATA LOCAL, of which the gateway's parser only knows that it is one (MySQL manual, "LOAD DATA
// Statement").
type loadStatement struct {
	file   string
	action sqlparser.InsertAction // INSERT or REPLACE
	table  sqlparser.TableName
	format loadFormat
	skip   int // lines at the beginning that are no rows
	// targets are what the fields of a line go to, nil for all columns of the table.
	targets []loadTarget
	sets    sqlparser.UpdateExprs
}

// loadTarget is a column or, with variable set, a user variable.
type loadTarget struct {
	name     string
	variable bool
}

// loadFormat says how lines and fields are told apart.
type loadFormat struct {
	fieldEnd, lineStart, lineEnd string
	enclosedBy, escapedBy        byte // 0: none
}

// loadParser reads the statement word by word.
type loadParser struct {
	parser *sqlparser.Parser
	sql    string
	tokens *sqlparser.Tokenizer
	typ    int    // of the token at hand, 0 at the end
	text   string // of the token at hand
	at     int    // where the token at hand ends
}

// parseLoad reads a LOAD DATA. Error 1064 for what is none, VT12001 for what is not done.
func parseLoad(parser *sqlparser.Parser, sql string) (*loadStatement, error) {
	p := &loadParser{parser: parser, sql: sql, tokens: parser.NewStringTokenizer(sql)}
	p.next()
	return p.statement()
}

func (p *loadParser) next() {
	p.typ, p.text = p.tokens.Scan()
	p.at = p.tokens.Pos
	for p.typ == sqlparser.COMMENT {
		p.next()
	}
}

// is reports whether the token at hand is a word or sign, and passes it.
func (p *loadParser) is(words ...string) bool {
	for _, word := range words {
		sign := len(word) == 1 && p.typ == int(word[0])
		if sign || p.typ != sqlparser.STRING && strings.EqualFold(p.text, word) {
			p.next()
			return true
		}
	}
	return false
}

func (p *loadParser) wrong() error {
	return sqlerror.NewSQLErrorf(sqlerror.ERParseError, sqlerror.SSClientError,
		"You have an error in your SQL syntax; syntax error at position %d near '%s'", p.at, p.text)
}

// str takes a text.
func (p *loadParser) str(into *string) error {
	if p.typ != sqlparser.STRING {
		return p.wrong()
	}
	*into = p.text
	p.next()
	return nil
}

// char takes a text of one character at most.
func (p *loadParser) char(into *byte) error {
	text := ""
	if err := p.str(&text); err != nil {
		return err
	}
	switch len(text) {
	case 0:
		*into = 0
	case 1:
		*into = text[0]
	default:
		return sqlerror.NewSQLError(sqlerror.ErrorCode(1083), sqlerror.SSClientError,
			"Field separator argument is not what is expected; check the manual")
	}
	return nil
}

func (p *loadParser) statement() (*loadStatement, error) {
	load := &loadStatement{format: loadFormat{fieldEnd: "\t", lineEnd: "\n", escapedBy: '\\'}}
	if !p.is("load") || !p.is("data") {
		return nil, p.wrong()
	}
	p.is("low_priority", "concurrent")
	local := p.is("local")
	if !p.is("infile") {
		return nil, p.wrong()
	}
	if err := p.str(&load.file); err != nil {
		return nil, err
	}
	if !local {
		return nil, sqlerror.NewSQLError(sqlerror.ErrorCode(1290), sqlerror.SSUnknownSQLState,
			"The MySQL server is running with the --secure-file-priv option so it cannot execute this statement")
	}
	if p.is("replace") {
		load.action = sqlparser.ReplaceAct
	} else {
		p.is("ignore") // which LOCAL means anyhow
	}
	if !p.is("into") || !p.is("table") {
		return nil, p.wrong()
	}
	steps := []func(*loadStatement) error{p.tableName, p.charset, p.fields, p.lines, p.ignoreLines, p.columns, p.set}
	for _, step := range steps {
		if err := step(load); err != nil {
			return nil, err
		}
	}
	if load.format.fieldEnd == "" && load.format.enclosedBy == 0 {
		return nil, vterrors.VT12001("LOAD DATA with fields of fixed width")
	}
	if load.format.lineEnd == "" {
		return nil, vterrors.VT12001("LOAD DATA with lines that end nowhere")
	}
	return load, nil
}

// name takes an identifier.
func (p *loadParser) name() (string, error) {
	if p.text == "" || p.typ == sqlparser.STRING || p.typ < 256 {
		return "", p.wrong()
	}
	name := p.text
	p.next()
	return name, nil
}

func (p *loadParser) tableName(load *loadStatement) error {
	name, err := p.name()
	if err != nil {
		return err
	}
	load.table = sqlparser.NewTableName(name)
	if p.is(".") {
		table, err := p.name()
		if err != nil {
			return err
		}
		load.table = sqlparser.NewTableNameWithQualifier(table, name)
	}
	if p.is("partition") {
		return vterrors.VT12001("LOAD DATA with partitions")
	}
	return nil
}

// charset takes CHARACTER SET. Files are UTF-8 or bytes.
func (p *loadParser) charset(*loadStatement) error {
	if !p.is("charset") {
		if !p.is("character") {
			return nil
		}
		if !p.is("set") {
			return p.wrong()
		}
	}
	name := strings.ToLower(p.text)
	p.next()
	switch name {
	case "utf8mb4", "utf8mb3", "utf8", "ascii", "binary":
		return nil
	}
	return vterrors.VT12001("LOAD DATA with character set " + name)
}

func (p *loadParser) fields(load *loadStatement) error {
	if !p.is("fields", "columns") {
		return nil
	}
	found := false
	for {
		var err error
		switch {
		case p.is("terminated"):
			if !p.is("by") {
				return p.wrong()
			}
			err = p.str(&load.format.fieldEnd)
		case p.is("optionally"):
			if !p.is("enclosed") || !p.is("by") {
				return p.wrong()
			}
			err = p.char(&load.format.enclosedBy)
		case p.is("enclosed"):
			if !p.is("by") {
				return p.wrong()
			}
			err = p.char(&load.format.enclosedBy)
		case p.is("escaped"):
			if !p.is("by") {
				return p.wrong()
			}
			err = p.char(&load.format.escapedBy)
		default:
			if !found {
				err = p.wrong()
			}
			return err
		}
		if err != nil {
			return err
		}
		found = true
	}
}

func (p *loadParser) lines(load *loadStatement) error {
	if !p.is("lines") {
		return nil
	}
	found := false
	for {
		var into *string
		switch {
		case p.is("starting"):
			into = &load.format.lineStart
		case p.is("terminated"):
			into = &load.format.lineEnd
		case found:
			return nil
		default:
			return p.wrong()
		}
		if !p.is("by") {
			return p.wrong()
		}
		if err := p.str(into); err != nil {
			return err
		}
		found = true
	}
}

func (p *loadParser) ignoreLines(load *loadStatement) error {
	if !p.is("ignore") {
		return nil
	}
	n, err := strconv.Atoi(p.text)
	if err != nil || p.typ != sqlparser.INTEGRAL {
		return p.wrong()
	}
	load.skip = n
	p.next()
	if !p.is("lines", "rows") {
		return p.wrong()
	}
	return nil
}

func (p *loadParser) columns(load *loadStatement) error {
	if !p.is("(") {
		return nil
	}
	load.targets = []loadTarget{}
	for !p.is(")") {
		if len(load.targets) > 0 && !p.is(",") {
			return p.wrong()
		}
		variable := p.typ == sqlparser.AT_ID
		name, err := p.name()
		if err != nil {
			return err
		}
		load.targets = append(load.targets, loadTarget{strings.TrimPrefix(name, "@"), variable})
	}
	return nil
}

// set takes the assignments of SET, which are those of an UPDATE, to the statement's end.
func (p *loadParser) set(load *loadStatement) error {
	begin := p.at
	if !p.is("set") {
		if p.typ != 0 && p.typ != ';' {
			return p.wrong()
		}
		return nil
	}
	stmt, _, err := planner.Parse(p.parser, "update t set "+p.sql[min(begin, len(p.sql)):])
	if err != nil {
		return p.wrong()
	}
	update, ok := stmt.(*sqlparser.Update)
	if !ok || update.Where != nil || update.OrderBy != nil || update.Limit != nil {
		return p.wrong()
	}
	load.sets = update.Exprs
	return nil
}
