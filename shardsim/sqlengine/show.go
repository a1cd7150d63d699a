package sqlengine

import "context"

func (s *Session) executeShow(_ context.Context, st *statement, out *emitter) (bool, error) {
	return false, nil
}
