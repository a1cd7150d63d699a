package engine

import "strconv"

var _ Primitive = (*Upsert)(nil)

// Upsert tries to insert each row and updates the row that is in the way.
type Upsert struct {
	writes

	Upserts []UpsertPair
}

// UpsertPair is one row's insert and the update to run when its key exists.
type UpsertPair struct {
	Insert, Update Primitive
}

// AddUpsert appends one row.
func (u *Upsert) AddUpsert(insert, update Primitive) {
	u.Upserts = append(u.Upserts, UpsertPair{Insert: insert, Update: update})
}

// Inputs implements Primitive.
func (u *Upsert) Inputs() []Input {
	var in []Input
	for i, pair := range u.Upserts {
		number := strconv.Itoa(i + 1)
		in = append(in,
			Input{Primitive: pair.Insert, Name: "Insert-" + number},
			Input{Primitive: pair.Update, Name: "Update-" + number})
	}
	return in
}

// Description implements Primitive.
func (u *Upsert) Description() Description { return describe("Upsert", "") }
