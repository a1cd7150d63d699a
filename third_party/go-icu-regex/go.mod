module github.com/dolthub/go-icu-regex

go 1.26.8

require (
	gopkg.in/src-d/go-errors.v1 v1.0.0
	vitess.io/vitess v0.24.4
)

require github.com/pkg/errors v0.9.1 // indirect
