package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/width"

	"example.com/assay/assay"
	"example.com/assay/assay/lint"
)

// The exit codes of lint, beside exitOK and exitUsage.
const (
	exitFindings   = 1 // findings at or above --fail-on
	exitUnreadable = 3 // a file that cannot be read, is no document, or cannot be migrated; or stdout cannot be written
)

// linted is one file and what was found in it.
type linted struct {
	name   string
	text   []byte
	report *lint.Report // nil: the file cannot be read
	err    error        // why
}

// lintSettings are what the command line of lint says.
type lintSettings struct {
	files   []string
	format  string
	failOn  lint.Severity
	migrate bool
	rules   bool

	maxPolicy int // bytes
}

func (s lintSettings) options() *lint.Options { return &lint.Options{MaxPolicyBytes: s.maxPolicy} }

// lintCommand looks for mistakes in policy files. Unlike the server it quotes
// the policy: whoever can name a file here may read it.
func lintCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	settings, code, done := parseLint(args, stdout, stderr)
	if done {
		return code
	}
	switch {
	case settings.rules:
		return output(stdout, stderr, listRules(), exitOK, exitUnreadable)
	case settings.migrate:
		return settings.migrated(stdin, stdout, stderr)
	}
	var files []linted
	code = exitOK
	for _, name := range settings.files {
		f := settings.lint(name, stdin)
		files = append(files, f)
		switch {
		case f.err != nil:
			fail(stderr, exitUnreadable, f.err.Error(), "name a policy file, or - for stdin")
			code = exitUnreadable
		case f.report.Unreadable:
			code = exitUnreadable
		case f.report.Worst() >= settings.failOn && code == exitOK:
			code = exitFindings
		}
	}
	text, err := lintFormats[settings.format](files)
	if err != nil {
		return fail(stderr, exitUnreadable, "the report cannot be written: "+err.Error(), "")
	}
	return output(stdout, stderr, text, code, exitUnreadable)
}

// lintFormats are the forms of a report.
var lintFormats = map[string]func([]linted) (string, error){
	"text":  lintText,
	"json":  lintJSON,
	"sarif": lintSARIF,
}

// parseLint reads the command line of lint. Flags and files may come in any
// order; behind -- all are files.
func parseLint(args []string, stdout, stderr io.Writer) (s lintSettings, code int, done bool) {
	flags := flag.NewFlagSet("assay-mcp-server lint", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	s.format, s.failOn, s.maxPolicy = "text", lint.Warning, assay.DefaultMaxPolicyBytes
	flags.Func("format", "", func(text string) error {
		if lintFormats[text] == nil {
			return errors.New("want text, json or sarif")
		}
		s.format = text
		return nil
	})
	flags.Func("fail-on", "", func(text string) error {
		if s.failOn.UnmarshalText([]byte(text)) != nil {
			return errors.New("want error, warning or note")
		}
		return nil
	})
	flags.Func("max-policy-bytes", "", func(text string) (err error) {
		s.maxPolicy, err = positive(text)
		return err
	})
	flags.BoolVar(&s.migrate, "migrate", false, "")
	flags.BoolVar(&s.rules, "rules", false, "")
	for rest := args; len(rest) > 0; {
		err := flags.Parse(rest)
		if errors.Is(err, flag.ErrHelp) {
			return s, help(stdout, stderr, helpLint), true
		}
		if err != nil {
			message, hint := flagError(err, flags.Name(), helpLint, nil)
			return s, fail(stderr, exitUsage, message, hint), true
		}
		left := flags.Args()
		if read := len(rest) - len(left); read > 0 && rest[read-1] == "--" {
			s.files = append(s.files, left...)
			break
		}
		if len(left) > 0 {
			s.files = append(s.files, left[0])
			left = left[1:]
		}
		rest = left
	}
	usage := func(message string) (lintSettings, int, bool) {
		return s, fail(stderr, exitUsage, message, "see assay-mcp-server lint --help"), true
	}
	switch {
	case s.rules:
		return s, 0, false
	case len(s.files) == 0:
		return usage("lint needs the name of a policy file, or - for stdin")
	case s.migrate && len(s.files) > 1:
		return usage("--migrate takes one file")
	}
	stdins := slices.DeleteFunc(slices.Clone(s.files), func(name string) bool { return name != "-" })
	if len(stdins) > 1 {
		return usage("stdin can be read once only")
	}
	return s, 0, false
}

// lint looks for mistakes in one file; - is stdin.
func (s lintSettings) lint(name string, stdin io.Reader) linted {
	text, err := s.read(name, stdin)
	if name == "-" {
		name = "stdin"
	}
	if err != nil {
		return linted{name: name, err: err}
	}
	return linted{name: name, text: text, report: lint.Lint(text, s.options())}
}

// read reads a file, and no more than shows that it is over the limit.
func (s lintSettings) read(name string, stdin io.Reader) ([]byte, error) {
	source := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, unreadable(name, err)
		}
		defer f.Close()
		source = f
	}
	text, err := io.ReadAll(io.LimitReader(source, int64(s.maxPolicy)+1))
	if err != nil {
		return nil, unreadable(name, err)
	}
	return text, nil
}

func unreadable(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("cannot read the policy %s: %w", name, err)
}

// migrated prints a policy of the older form in the current one.
func (s lintSettings) migrated(stdin io.Reader, stdout, stderr io.Writer) int {
	name := s.files[0]
	text, err := s.read(name, stdin)
	if err != nil {
		return fail(stderr, exitUnreadable, err.Error(), "name a policy file, or - for stdin")
	}
	migrated, err := lint.Migrate(text, s.options())
	var refused *assay.PolicyError
	if errors.As(err, &refused) {
		return fail(stderr, exitUnreadable, name+": the policy is refused, so there is nothing to migrate", "see what is wrong with: assay-mcp-server lint "+name)
	}
	if err != nil {
		message, hint, _ := cutLast(strings.TrimPrefix(err.Error(), "assay: "), "; ")
		return fail(stderr, exitUnreadable, name+": "+message, hint)
	}
	return output(stdout, stderr, string(migrated), exitOK, exitUnreadable)
}

func listRules() string {
	var b strings.Builder
	for _, r := range lint.Rules() {
		fmt.Fprintf(&b, "%-24s %-8s %s\n", r.ID, r.Severity, r.Summary)
	}
	return b.String()
}

// lintText is the form for people: each finding with its line and a caret, and
// the count at the end.
func lintText(files []linted) (string, error) {
	var b strings.Builder
	for _, f := range files {
		if f.report == nil {
			continue
		}
		lines := strings.Split(strings.TrimPrefix(string(f.text), "\ufeff"), "\n")
		var line []rune // the one of the last finding: all may stand in one
		last := 0
		for _, finding := range f.report.Findings {
			b.WriteString(printable(f.name))
			if finding.Line > 0 {
				fmt.Fprintf(&b, ":%d:%d", finding.Line, finding.Column)
			}
			fmt.Fprintf(&b, ": %s: %s [%s]\n", finding.Severity, printable(finding.Message), finding.Rule)
			if finding.Line > 0 && finding.Line <= len(lines) {
				if finding.Line != last {
					last = finding.Line
					line = []rune(strings.ToValidUTF8(strings.TrimSuffix(lines[last-1], "\r"), "\uFFFD"))
				}
				writeExcerpt(&b, line, finding.Column)
			}
			fmt.Fprintf(&b, "  fix: %s\n", printable(finding.Fix))
		}
		if f.report.Omitted > 0 {
			fmt.Fprintf(&b, "%s: %d findings more are not listed\n", printable(f.name), f.report.Omitted)
		}
	}
	b.WriteString(newLintSummary(files).String() + "\n")
	return b.String(), nil
}

// writeExcerpt writes a line of the policy, or what is near the column where it
// is long, and a caret below the column.
func writeExcerpt(b *strings.Builder, line []rune, column int) {
	const before, after = 60, 40 // characters
	at := min(max(column-1, 0), len(line))
	start, end := max(at-before, 0), min(at+after, len(line))
	show := func(part []rune) string { return printable(strings.ReplaceAll(string(part), "\t", " ")) }
	head := show(line[start:at])
	if start > 0 {
		head = "…" + head
	}
	tail := show(line[at:end])
	if end < len(line) {
		tail += "…"
	}
	fmt.Fprintf(b, "    %s%s\n    %s^\n", head, tail, strings.Repeat(" ", columns(head)))
}

// columns is how many columns of a terminal a text takes.
func columns(text string) int {
	n := utf8.RuneCountInString(text)
	for _, r := range text {
		if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
			n++
		}
	}
	return n
}

// lintSummary counts over all files.
type lintSummary struct {
	Files      int `json:"files"`
	Unreadable int `json:"unreadable"`
	Errors     int `json:"errors"`
	Warnings   int `json:"warnings"`
	Notes      int `json:"notes"`
}

func newLintSummary(files []linted) lintSummary {
	s := lintSummary{Files: len(files)}
	for _, f := range files {
		if f.report == nil || f.report.Unreadable {
			s.Unreadable++
		}
		if f.report != nil {
			s.Errors += f.report.Count(lint.Error)
			s.Warnings += f.report.Count(lint.Warning)
			s.Notes += f.report.Count(lint.Note)
		}
	}
	return s
}

func (s lintSummary) String() string {
	several := func(n int, word string) string {
		if n != 1 {
			word += "s"
		}
		return fmt.Sprintf("%d %s", n, word)
	}
	text := fmt.Sprintf("%s: %s, %s, %s", several(s.Files, "file"), several(s.Errors, "error"), several(s.Warnings, "warning"), several(s.Notes, "note"))
	if s.Unreadable > 0 {
		text += fmt.Sprintf(", %d unreadable", s.Unreadable)
	}
	return text
}

// lintedJSON is one file in the JSON form.
type lintedJSON struct {
	File     string         `json:"file"`
	Readable bool           `json:"readable"`
	Error    string         `json:"error,omitempty"` // why the file cannot be read
	Findings []lint.Finding `json:"findings"`
	Omitted  int            `json:"omitted"` // findings beyond those listed
}

// lintJSON is one document: {version, files: [{file, readable, error?, findings:
// [{rule, severity, path, line, column, message, fix}], omitted}], summary:
// {files, unreadable, errors, warnings, notes}}. Version changes when a member
// changes its meaning or goes; new members may come.
func lintJSON(files []linted) (string, error) {
	document := struct {
		Version int          `json:"version"`
		Files   []lintedJSON `json:"files"`
		Summary lintSummary  `json:"summary"`
	}{1, []lintedJSON{}, newLintSummary(files)}
	for _, f := range files {
		file := lintedJSON{File: f.name, Findings: []lint.Finding{}}
		if f.err != nil {
			file.Error = f.err.Error()
		}
		if f.report != nil {
			file.Readable = !f.report.Unreadable
			file.Findings = append(file.Findings, f.report.Findings...)
			file.Omitted = f.report.Omitted
		}
		document.Files = append(document.Files, file)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(document)
	return printableJSON(b.Bytes()), err
}

const helpLint = `assay-mcp-server lint looks for mistakes in policy files, and prints each with its
place, what is wrong, and what to do.

Usage:
  assay-mcp-server lint FILE...            - is stdin
  assay-mcp-server lint --migrate FILE     print an older policy in the current form
  assay-mcp-server lint --rules            list the rules

Examples:
  assay-mcp-server lint examples/policies/*.yaml
  assay-mcp-server lint --format sarif examples/policies/discounts.yaml > lint.sarif

Flags:
  --format FORM        text (default), json or sarif (SARIF 2.1.0)
  --fail-on SEVERITY   the least severity that fails: error, warning (default) or note
  --migrate            print the 2.0 form of a policy with allow, deny or constraints at its
                       root; it decides as before
  --rules              list the rules with their severities
  --max-policy-bytes N
                       the largest policy file (default 1000000)
  --help               this text

Exit codes:
  0  no finding at or above --fail-on
  1  findings at or above --fail-on
  2  the command line is wrong
  3  a file that cannot be read, is no YAML or JSON document, or cannot be migrated
`
