package engine

var _ Primitive = (*UpdateTarget)(nil)

// UpdateTarget changes what the session's statements go to: USE.
type UpdateTarget struct {
	leaf
	reads

	Target string
}

// Description implements Primitive.
func (ut *UpdateTarget) Description() Description {
	d := describe("UpdateTarget", "")
	d.set("target", ut.Target)
	return d
}
