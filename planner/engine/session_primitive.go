package engine

var _ Primitive = (*SessionPrimitive)(nil)

// SessionPrimitive answers a statement about the session by its name in plans, such as SHOW WARNINGS.
type SessionPrimitive struct {
	leaf
	reads

	Name string
}

// NewSessionPrimitive returns a SessionPrimitive.
func NewSessionPrimitive(name string) *SessionPrimitive { return &SessionPrimitive{Name: name} }

// Description implements Primitive.
func (sp *SessionPrimitive) Description() Description { return describe(sp.Name, "") }
