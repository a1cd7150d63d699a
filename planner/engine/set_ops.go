package engine

import (
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

var (
	_ SetOp = (*UserDefinedVariable)(nil)
	_ SetOp = (*SysVarIgnore)(nil)
	_ SetOp = (*SysVarCheckAndIgnore)(nil)
	_ SetOp = (*SysVarReservedConn)(nil)
	_ SetOp = (*SysVarSetAware)(nil)
	_ SetOp = (*VitessMetadata)(nil)
)

// UserDefinedVariable sets @name.
type UserDefinedVariable struct {
	Name string
	Expr evalengine.Expr
}

// SysVarIgnore takes a setting and does nothing with it.
type SysVarIgnore struct {
	Name string
	Expr string
}

// SysVarCheckAndIgnore takes a setting if the shards have that value already.
type SysVarCheckAndIgnore struct {
	Name              string
	Keyspace          *vindexes.Keyspace
	TargetDestination key.Destination
	Expr              string
}

// SysVarReservedConn sets a variable on the session's connections to shards.
type SysVarReservedConn struct {
	Name              string
	Keyspace          *vindexes.Keyspace
	TargetDestination key.Destination
	Expr              string
	// SupportSetVar: the setting can travel with each statement as a SET_VAR hint.
	SupportSetVar bool
}

// SysVarSetAware sets a variable the gateway itself acts on.
type SysVarSetAware struct {
	Name string
	Expr evalengine.Expr
}

// VitessMetadata sets @@vitess_metadata.name in the topology.
type VitessMetadata struct {
	Name, Value string
}

// VariableName implements SetOp.
func (op *UserDefinedVariable) VariableName() string { return op.Name }

// VariableName implements SetOp.
func (op *SysVarIgnore) VariableName() string { return op.Name }

// VariableName implements SetOp.
func (op *SysVarCheckAndIgnore) VariableName() string { return op.Name }

// VariableName implements SetOp.
func (op *SysVarReservedConn) VariableName() string { return op.Name }

// VariableName implements SetOp.
func (op *SysVarSetAware) VariableName() string { return op.Name }

// VariableName implements SetOp.
func (op *VitessMetadata) VariableName() string { return op.Name }

// describedSetOp is a set operation as plans print it.
type describedSetOp struct {
	Type              string
	Name              string
	Keyspace          *describedKeyspace `json:",omitempty"`
	TargetDestination key.Destination    `json:",omitempty"`
	Expr              string
	SupportSetVar     *bool `json:",omitempty"`
}

// MarshalJSON writes the operation as plans print it.
func (op *UserDefinedVariable) MarshalJSON() ([]byte, error) {
	return marshalSetOp(describedSetOp{Type: "UserDefinedVariable", Name: op.Name, Expr: printExpr(op.Expr)})
}

// MarshalJSON writes the operation as plans print it.
func (op *SysVarIgnore) MarshalJSON() ([]byte, error) {
	return marshalSetOp(describedSetOp{Type: "SysVarIgnore", Name: op.Name, Expr: op.Expr})
}

// MarshalJSON writes the operation as plans print it.
func (op *SysVarCheckAndIgnore) MarshalJSON() ([]byte, error) {
	return marshalSetOp(describedSetOp{
		Type: "SysVarCheckAndIgnore", Name: op.Name, Expr: op.Expr,
		Keyspace: setOpKeyspace(op.Keyspace), TargetDestination: op.TargetDestination,
	})
}

// MarshalJSON writes the operation as plans print it.
func (op *SysVarReservedConn) MarshalJSON() ([]byte, error) {
	return marshalSetOp(describedSetOp{
		Type: "SysVarSet", Name: op.Name, Expr: op.Expr, SupportSetVar: &op.SupportSetVar,
		Keyspace: setOpKeyspace(op.Keyspace), TargetDestination: op.TargetDestination,
	})
}

// MarshalJSON writes the operation as plans print it.
func (op *SysVarSetAware) MarshalJSON() ([]byte, error) {
	return marshalSetOp(describedSetOp{Type: "SysVarAware", Name: op.Name, Expr: printExpr(op.Expr)})
}

func marshalSetOp(op describedSetOp) ([]byte, error) {
	w := objectWriter{}
	w.encode(op)
	return w.buf.Bytes(), w.err
}

func setOpKeyspace(ks *vindexes.Keyspace) *describedKeyspace {
	if ks == nil {
		return nil
	}
	return &describedKeyspace{Name: ks.Name, Sharded: ks.Sharded}
}
