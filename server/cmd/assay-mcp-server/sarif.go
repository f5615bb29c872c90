package main

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"example.com/assay/assay/lint"
	"example.com/assay/server"
)

// The types below are what lint uses of SARIF (OASIS, version 2.1.0), each
// named after its object there. A member that is not written has its default.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Artifacts   []sarifArtifact   `json:"artifacts"`
	ColumnKind  string            `json:"columnKind"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifComponent `json:"driver"`
}

type sarifComponent struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID                   string             `json:"id"`
	ShortDescription     sarifMessage       `json:"shortDescription"`
	DefaultConfiguration sarifConfiguration `json:"defaultConfiguration"`
}

type sarifConfiguration struct {
	Level string `json:"level"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	ExecutionSuccessful        bool                `json:"executionSuccessful"`
	ToolExecutionNotifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifArtifact struct {
	Location sarifArtifactLocation `json:"location"`
}

type sarifArtifactLocation struct {
	URI   string `json:"uri"`
	Index int    `json:"index"` // in the run's artifacts
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"` // in the driver's rules
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	PhysicalLocation sarifPhysicalLocation  `json:"physicalLocation"`
	LogicalLocations []sarifLogicalLocation `json:"logicalLocations,omitempty"`
}

type sarifPhysicalLocation struct {
	ArtifactLocation sarifArtifactLocation `json:"artifactLocation"`
	Region           *sarifRegion          `json:"region,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
}

type sarifLogicalLocation struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
}

// lintSARIF is a SARIF log of one run. A result's message is the finding's
// sentence and its fix; its logical location is the JSON Pointer into the
// policy. A file that cannot be read is a notification.
func lintSARIF(files []linted) (string, error) {
	driver := sarifComponent{Name: "assay-mcp-server", Version: server.Version()}
	index := map[string]int{}
	for i, r := range lint.Rules() {
		index[r.ID] = i
		driver.Rules = append(driver.Rules, sarifRule{
			ID:                   r.ID,
			ShortDescription:     sarifMessage{sentence(r.Summary)},
			DefaultConfiguration: sarifConfiguration{r.Severity.String()},
		})
	}
	invocation := sarifInvocation{ExecutionSuccessful: true}
	run := sarifRun{Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	for i, f := range files {
		artifact := sarifArtifactLocation{URI: fileURI(f.name), Index: i}
		run.Artifacts = append(run.Artifacts, sarifArtifact{artifact})
		if f.err != nil {
			invocation.ExecutionSuccessful = false
			invocation.ToolExecutionNotifications = append(invocation.ToolExecutionNotifications, sarifNotification{
				Level:     "error",
				Message:   sarifMessage{sentence(f.err.Error())},
				Locations: []sarifLocation{{PhysicalLocation: sarifPhysicalLocation{ArtifactLocation: artifact}}},
			})
			continue
		}
		for _, finding := range f.report.Findings {
			place := sarifPhysicalLocation{ArtifactLocation: artifact}
			if finding.Line > 0 && finding.Column > 0 {
				place.Region = &sarifRegion{finding.Line, finding.Column}
			}
			run.Results = append(run.Results, sarifResult{
				RuleID:    finding.Rule,
				RuleIndex: index[finding.Rule],
				Level:     finding.Severity.String(),
				Message:   sarifMessage{sentence(finding.Message) + " Fix: " + sentence(finding.Fix)},
				Locations: []sarifLocation{{place, []sarifLogicalLocation{{finding.Path}}}},
			})
		}
	}
	run.Invocations = []sarifInvocation{invocation}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(sarifLog{
		Schema:  "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
	return printableJSON(b.Bytes()), err
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
