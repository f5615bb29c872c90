package main

import (
	"bytes"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"example.com/assay/assay/lint"
	"example.com/assay/server"
)

// lintSARIF is a SARIF log (OASIS, version 2.1.0) of one run. A result's message
// is the finding's sentence and its fix; its logical location is the JSON
// Pointer into the policy. A file that cannot be read is a notification.
func lintSARIF(files []linted) (string, error) {
	driver := sarif.NewToolComponent().WithName("assay-mcp-server").WithVersion(server.Version())
	index := map[string]int{}
	for i, r := range lint.Rules() {
		index[r.ID] = i
		driver.AddRule(sarif.NewRule(r.ID).
			WithShortDescription(sarif.NewMultiformatMessageString().WithText(sentence(r.Summary))).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(r.Severity.String())))
	}
	invocation := sarif.NewInvocation().WithExecutionSuccessful(true)
	run := sarif.NewRun().WithTool(sarif.NewTool().WithDriver(driver)).WithColumnKind("unicodeCodePoints")
	run.Results = []*sarif.Result{}
	for _, f := range files {
		artifact := sarif.NewArtifactLocation().WithURI(fileURI(f.name))
		run.AddArtifact(sarif.NewArtifact().WithLocation(artifact))
		if f.err != nil {
			invocation.WithExecutionSuccessful(false)
			invocation.AddToolExecutionNotification(sarif.NewNotification().
				WithLevel("error").
				WithMessage(sarif.NewTextMessage(sentence(f.err.Error()))).
				WithLocations([]*sarif.Location{sarif.NewLocation().
					WithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(artifact))}))
			continue
		}
		for _, finding := range f.report.Findings {
			place := sarif.NewPhysicalLocation().WithArtifactLocation(artifact)
			if finding.Line > 0 && finding.Column > 0 {
				place.WithRegion(sarif.NewRegion().WithStartLine(finding.Line).WithStartColumn(finding.Column))
			}
			run.AddResult(sarif.NewRuleResult(finding.Rule).
				WithRuleIndex(index[finding.Rule]).
				WithLevel(finding.Severity.String()).
				WithMessage(sarif.NewTextMessage(sentence(finding.Message) + " Fix: " + sentence(finding.Fix))).
				WithLocations([]*sarif.Location{sarif.NewLocation().
					WithPhysicalLocation(place).
					WithLogicalLocations([]*sarif.LogicalLocation{sarif.NewLogicalLocation().WithFullyQualifiedName(finding.Path)})}))
		}
	}
	run.AddInvocation(invocation)
	report := sarif.NewReport()
	report.AddRun(run)
	var b bytes.Buffer
	err := report.PrettyWrite(&b)
	return printableJSON(b.Bytes()) + "\n", err
}

// sentence ends a text as SARIF asks of messages.
func sentence(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".?!") {
		return text
	}
	return text + "."
}

// fileURI is a file's name as a URI reference (RFC 3986): relative names stay so.
func fileURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
		if !strings.HasPrefix(u.Path, "/") {
			u.Path = "/" + u.Path
		}
	}
	return u.String()
}
