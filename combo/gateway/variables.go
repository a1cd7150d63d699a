package gateway

import (
	"maps"
	"strconv"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"github.com/vitrodb/vitro/vindexes"
)

// VSchemaVariable is a global variable that SHOW VARIABLES leaves out, for its length: the VSchema as it is now, in JSON.
const VSchemaVariable = "vitro_vschema"

// sysValue is a system variable's value: its text and how clients see it.
type sysValue struct {
	text string
	kind variableKind
}

// bindVariable is the value as an expression: numbers and switches are integers.
func (v sysValue) bindVariable() *querypb.BindVariable {
	switch v.kind {
	case switchKind:
		return sqltypes.BoolBindVariable(isOn(v.text))
	case numberKind:
		if n, err := strconv.ParseInt(v.text, 10, 64); err == nil {
			return sqltypes.Int64BindVariable(n)
		}
		if n, err := strconv.ParseUint(v.text, 10, 64); err == nil {
			return sqltypes.Uint64BindVariable(n)
		}
		if _, err := strconv.ParseFloat(v.text, 64); err == nil {
			return &querypb.BindVariable{Type: sqltypes.Decimal, Value: []byte(v.text)}
		}
	case nullKind:
		return sqltypes.NullBindVariable
	}
	return sqltypes.StringBindVariable(v.text)
}

// shown is the value as SHOW VARIABLES prints it.
func (v sysValue) shown() string {
	if v.kind != switchKind {
		return v.text
	}
	if isOn(v.text) {
		return "ON"
	}
	return "OFF"
}

// sqlText is the value as a SET statement for a shard takes it.
func (v sysValue) sqlText() string {
	switch v.kind {
	case switchKind:
		if isOn(v.text) {
			return "1"
		}
		return "0"
	case numberKind:
		return v.text
	default:
		return sqltypes.EncodeStringSQL(v.text)
	}
}

// isOn reads a switch as MySQL does.
func isOn(text string) bool {
	switch strings.ToLower(text) {
	case "1", "on", "true", "yes":
		return true
	default:
		return false
	}
}

// variables are the system variables that one session, or SET GLOBAL, changed. Statements of one session only read them at
// once; the gateway's own are replaced, never changed, once sessions run.
type variables struct {
	values map[string]string
	shards map[string]string // those shards must know, as SQL texts; replaced by each change
}

func newVariables() *variables { return &variables{values: map[string]string{}} }

func (vs *variables) set(name, text string) {
	vs.values[name] = text
	vs.shards = vs.shardSettings()
}

func (vs *variables) unset(name string) {
	delete(vs.values, name)
	vs.shards = vs.shardSettings()
}

// own returns a value that was set here, without defaults.
func (vs *variables) own(name string) (string, bool) {
	text, ok := vs.values[name]
	return text, ok
}

// forShards returns what connections to shards must be told. It is not changed afterwards.
func (vs *variables) forShards() map[string]string { return vs.shards }

func (vs *variables) shardSettings() map[string]string {
	made := map[string]string{}
	for name, text := range vs.values {
		if def, ok := systemVariables[name]; ok && def.use == shardUse {
			made[name] = sysValue{text: text, kind: def.kind}.sqlText()
		}
	}
	return made
}

// forSession returns the values that a new session begins with.
func (vs *variables) forSession() *variables {
	own := vs.clone()
	maps.DeleteFunc(own.values, func(name, _ string) bool { return systemVariables[name].global })
	return own
}

func (vs *variables) clone() *variables {
	return &variables{values: maps.Clone(vs.values), shards: vs.shards}
}

// variable returns a system variable as the session sees it: its own value, which may be what was global when it began, or the
// default, or the one value there is.
func (s *Session) variable(name string) (sysValue, bool) {
	def, ok := systemVariables[name]
	if !ok {
		return sysValue{}, false
	}
	switch name {
	case "autocommit":
		return sysValue{text: onOff(s.autocommit), kind: switchKind}, true
	case "transaction_isolation", "tx_isolation":
		name = "transaction_isolation"
		if s.tx != nil && s.tx.opts.Isolation != "" {
			return sysValue{text: s.tx.opts.Isolation, kind: textKind}, true
		}
	case "pseudo_thread_id":
		return sysValue{text: strconv.FormatUint(uint64(s.info.ID), 10), kind: numberKind}, true
	case "last_insert_id", "identity":
		return sysValue{text: strconv.FormatUint(s.lastInsertID, 10), kind: numberKind}, true
	case "client_found_rows":
		if s.info.FoundRows {
			return sysValue{text: "ON", kind: switchKind}, true
		}
	}
	if text, ok := s.vars.own(name); ok {
		return sysValue{text: text, kind: def.kind}, true
	}
	if def.global {
		return s.gateway.globalVariable(name)
	}
	return sysValue{text: def.text, kind: def.kind}, true
}

// globalVariable returns a system variable's global value.
func (g *Gateway) globalVariable(name string) (sysValue, bool) {
	if name == VSchemaVariable {
		written, err := vindexes.Write(g.VSchema().Definition(), "")
		return sysValue{text: string(written)}, err == nil
	}
	def, ok := systemVariables[name]
	if !ok {
		return sysValue{}, false
	}
	if text, ok := g.globals.Load().own(name); ok {
		return sysValue{text: text, kind: def.kind}, true
	}
	return sysValue{text: def.text, kind: def.kind}, true
}

func onOff(on bool) string {
	if on {
		return "ON"
	}
	return "OFF"
}
