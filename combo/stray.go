package combo

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/vitrodb/vitro/combo/lint"
	"github.com/vitrodb/vitro/vindexes"
)

// The files that a schema directory is read for.
const (
	vschemaFile      = "vschema.json"
	routingRulesFile = "routing_rules.json"
	sqlSuffix        = ".sql"
)

// checkFileName is the check of files whose name is misspelt, which Start refuses.
const checkFileName = "file-name"

// strayFiles finds files of a schema directory that are not read although they look as if they should be: a misspelt
// vschema.json, SQL under another ending, and files that stand beside the keyspaces' directories. shown is the directory's
// name in findings.
func strayFiles(fsys fs.FS, shown string, keyspaces []Keyspace) []lint.Finding {
	var found []lint.Finding
	stray := func(check, name, format string, args ...any) {
		found = append(found, lint.Finding{File: path.Join(shown, name), Level: lint.Error, Check: check, Message: fmt.Sprintf(format, args...)})
	}
	for _, name := range fileNames(fsys, ".") {
		switch {
		case name == routingRulesFile:
		case misspelt(name, routingRulesFile):
			stray(checkFileName, name, "the file is not read: its name must be %s", routingRulesFile)
		case strings.HasSuffix(name, sqlSuffix) || name == vschemaFile:
			stray("file", name, "the file is not read: it must stand in the directory of its keyspace")
		}
	}
	for _, ks := range keyspaces {
		for _, name := range fileNames(fsys, ks.Name) {
			file := path.Join(ks.Name, name)
			switch {
			case name == vschemaFile || strings.HasSuffix(name, sqlSuffix):
			case misspelt(name, vschemaFile):
				stray(checkFileName, file, "the file is not read: its name must be %s", vschemaFile)
			case path.Ext(name) != ".md" && holdsSQL(fsys, file):
				stray("file", file, "the file is not read, but it holds SQL: its name must end in %s", sqlSuffix)
			}
		}
	}
	return found
}

// fileNames lists the files in a directory, but for hidden ones.
func fileNames(fsys fs.FS, dir string) []string {
	entries, _ := fs.ReadDir(fsys, dir) // one that is not there has none
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			names = append(names, entry.Name())
		}
	}
	return names
}

// misspelt says whether a name was meant to be another one.
func misspelt(name, want string) bool {
	return name != want && (vindexes.Slip(name, []string{want}) != "" || strings.EqualFold(strings.TrimSuffix(name, path.Ext(name)), strings.TrimSuffix(want, path.Ext(want))))
}

// statementOfSchema matches a statement that a schema is made with, at the beginning of a line.
var statementOfSchema = regexp.MustCompile(`(?im)^\s*(create\s+table|insert\s+into|alter\s+(table|vschema))\b`)

func holdsSQL(fsys fs.FS, file string) bool {
	data, err := fs.ReadFile(fsys, file)
	return err == nil && statementOfSchema.Match(data)
}
