package plantest

import (
	"encoding/xml"
	"io"
	"slices"
)

// The report of a run as JUnit's XML, which CI services read: a suite for each case file, a test case for each query.
type (
	junitReport struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		File    string        `xml:"classname,attr"`
		Query   string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",cdata"`
	}
)

// WriteJUnit writes the report as JUnit's XML.
func (r *Report) WriteJUnit(w io.Writer) error {
	out := junitReport{Tests: r.Cases, Failures: len(r.Failures)}
	for _, ran := range r.ran {
		at := slices.IndexFunc(out.Suites, func(s junitSuite) bool { return s.Name == ran.file })
		if at < 0 {
			out.Suites = append(out.Suites, junitSuite{Name: ran.file})
			at = len(out.Suites) - 1
		}
		suite := &out.Suites[at]
		c := junitCase{File: ran.file, Query: ran.query}
		if ran.cause != "" {
			c.Failure = &junitFailure{Message: "the plan is not the expected one", Text: ran.cause}
			suite.Failures++
		}
		suite.Tests++
		suite.Cases = append(suite.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	return enc.Encode(out)
}
