// Package lint finds mistakes in a VSchema and in the tables it is for, before anything is served: what the loader refuses,
// and what it takes but will not work as meant.
//
//	vschema.json ──▶ definitions ─┐
//	*.sql ──▶ tables as made ─────┼─▶ Check ──▶ findings: file, path, what is wrong, what would be right
//	routing rules ────────────────┘
//
// It reads no files and runs no SQL: package combo does both, and finds what is wrong with the files themselves. Checks are
// functions in one list; each has a name, by which its findings can be told apart.
//
// Start reading at lint.go.
package lint
