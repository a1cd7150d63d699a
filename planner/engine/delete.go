package engine

var _ Primitive = (*Delete)(nil)

// Delete removes rows on the shards its routing gives, and their entries in owned vindexes.
type Delete struct {
	leaf
	*DML
}

// Description implements Primitive.
func (del *Delete) Description() Description { return del.describeDML("Delete") }
