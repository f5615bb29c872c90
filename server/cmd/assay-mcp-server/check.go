package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/assay/assay"
	"example.com/assay/internal/stop"
	"example.com/assay/server"
)

// maxInput is the longest JSON that one flag gives, in bytes: as much as a
// message to the server may hold by default.
const maxInput = 1_000_000

// defaultTimeout is how long a question may take once everything is read.
const defaultTimeout = 10 * time.Second

// question is one question of the command line.
type question struct {
	policyFile   string
	maxPolicy    int
	timeout      time.Duration // of compiling the policy and deciding
	suggestFixes bool
	json         bool

	tool      string // the call in question
	arguments value
	identity  value
	history   value

	call assay.Call   // tool, arguments and identity, read
	past []assay.Call // history, read
}

// kind is what a question may be about: one of the server's tools.
type kind struct {
	help     string
	define   func(*flag.FlagSet, *question)
	required []string          // flags
	instead  map[string]string // hints for flags of other questions
	form     string            // which policies it reads
	ask      func(*assay.Policy, *question) assay.Decision
	payload  func(*question, assay.Decision) []byte
}

var kinds = map[string]*kind{
	"args": {
		help: helpArgs,
		define: func(f *flag.FlagSet, q *question) {
			f.StringVar(&q.tool, "tool", "", "")
			f.Var(&q.arguments, "args", "")
			f.Var(&q.identity, "identity", "")
			f.BoolVar(&q.suggestFixes, "suggest-fixes", false, "")
		},
		required: []string{"policy", "tool"},
		instead: map[string]string{
			"--next":      "the tool in question is --tool NAME; about the order of calls, ask check sequence",
			"--next-args": "the arguments are --args JSON",
			"--history":   "about the order of calls, ask check sequence",
		},
		form:    "check args reads a policy that is a mapping; about a list of rules or names, ask check sequence",
		ask:     func(p *assay.Policy, q *question) assay.Decision { return assay.CheckArgs(p, q.call) },
		payload: func(q *question, d assay.Decision) []byte { return server.CheckArgsPayload(q.tool, d) },
	},
	"sequence": {
		help: helpSequence,
		define: func(f *flag.FlagSet, q *question) {
			f.Var(&q.history, "history", "")
			f.StringVar(&q.tool, "next", "", "")
			f.Var(&q.arguments, "next-args", "")
		},
		required: []string{"policy", "history", "next"},
		instead: map[string]string{
			"--tool": "the tool in question is --next NAME",
			"--args": "the arguments of the next call are --next-args JSON",
		},
		form:    "check sequence reads a policy with sequences; about one without, ask check args",
		ask:     func(p *assay.Policy, q *question) assay.Decision { return assay.CheckSequence(p, q.past, q.call) },
		payload: func(_ *question, d assay.Decision) []byte { return server.CheckSequencePayload(d) },
	},
	"decide": {
		help:     helpDecide,
		define:   func(f *flag.FlagSet, q *question) { f.StringVar(&q.tool, "tool", "", "") },
		required: []string{"policy", "tool"},
		instead: map[string]string{
			"--next": "the tool in question is --tool NAME",
			"--args": "check decide looks at the name alone; about arguments, ask check args",
		},
		form:    "check decide reads a policy that holds a blocklist and nothing else; about any other, ask check args",
		ask:     func(p *assay.Policy, q *question) assay.Decision { return assay.PolicyDecide(p, q.tool) },
		payload: func(q *question, d assay.Decision) []byte { return server.PolicyDecidePayload(q.tool, d) },
	},
}

// check asks one question and prints the decision on stdout, and nothing else
// there; what stands in the way of a decision goes to stderr.
func check(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	known := slices.Sorted(maps.Keys(kinds))
	if len(args) > 0 && (args[0] == "--help" || args[0] == "-help" || args[0] == "-h") {
		return help(stdout, stderr, helpCheck)
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return fail(stderr, exitUsage, "check needs to know what to ask", "name one of "+strings.Join(known, ", ")+" first; see assay-mcp-server check --help")
	}
	k, ok := kinds[args[0]]
	if !ok {
		return unknownWord(stderr, "question", args[0], known, "see assay-mcp-server check --help")
	}

	q := &question{maxPolicy: assay.DefaultMaxPolicyBytes, timeout: defaultTimeout}
	flags := flag.NewFlagSet("assay-mcp-server check "+args[0], flag.ContinueOnError)
	q.define(flags, k)
	if code, done := parseFlags(flags, args[1:], stdout, stderr, k.help, k.instead); done {
		return code
	}
	if message := misused(flags, q, k.required); message != "" {
		return fail(stderr, exitUsage, message, "see "+flags.Name()+" --help")
	}

	sequence := args[0] == "sequence"
	text, err := q.read(stdin, sequence)
	var policy *assay.Policy
	var d assay.Decision
	if err == nil {
		policy, d, err = k.decide(text, q)
	}
	if err != nil {
		explain(stderr, q, err)
		if q.json {
			return output(stdout, stderr, printableJSON(server.FailurePayload(err, sequence))+"\n", exitFailed, exitFailed)
		}
		return exitFailed
	}
	switch d.Code {
	case assay.CodePolicyParse:
		fail(stderr, exitFailed, q.policyFile+": "+d.Reason, k.form)
	case assay.CodeSchemaCompile:
		explainSchema(stderr, q, policy)
	}
	if q.json {
		return output(stdout, stderr, printableJSON(k.payload(q, d))+"\n", exitCode(d), exitFailed)
	}
	return output(stdout, stderr, layout(q, d, isColourful(stdout)), exitCode(d), exitFailed)
}

// decide compiles the policy and asks the question, within the time limit. What
// still runs when it is over ends with the process.
func (k *kind) decide(text []byte, q *question) (*assay.Policy, assay.Decision, error) {
	type answer struct {
		policy   *assay.Policy
		decision assay.Decision
		err      error
	}
	var over stop.Flag
	decided := make(chan answer, 1)
	go func() {
		policy, err := assay.Parse(text, &assay.Options{MaxPolicyBytes: q.maxPolicy, SuggestFixes: q.suggestFixes})
		if err != nil {
			decided <- answer{err: err}
			return
		}
		decided <- answer{policy, k.ask(policy.Until(&over), q), nil}
	}()
	timer := time.NewTimer(q.timeout)
	defer timer.Stop()
	select {
	case a := <-decided:
		return a.policy, a.decision, a.err
	case <-timer.C:
		over.Set()
		return nil, assay.Decision{}, server.ErrTimeout
	}
}

// define defines the flags of a question. What they mean stands in its help.
func (q *question) define(flags *flag.FlagSet, k *kind) {
	flags.StringVar(&q.policyFile, "policy", "", "")
	flags.BoolVar(&q.json, "json", false, "")
	flags.Func("max-policy-bytes", "", func(text string) (err error) {
		q.maxPolicy, err = positive(text)
		return err
	})
	flags.Func("timeout", "", func(text string) error {
		milliseconds, err := positive(text)
		q.timeout = time.Duration(milliseconds) * time.Millisecond
		return err
	})
	k.define(flags, q)
}

func exitCode(d assay.Decision) int {
	switch {
	case d.Failed():
		return exitFailed
	case d.Err() != nil:
		return exitDenied
	}
	return exitOK
}

// misused says what is wrong with the flags taken together, or nothing.
func misused(flags *flag.FlagSet, q *question, required []string) string {
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for _, name := range required {
		if !given[name] {
			return "--" + name + " is missing"
		}
		if text := flags.Lookup(name).Value.String(); name != "history" && (text == "" || !utf8.ValidString(text)) {
			return "--" + name + " is empty or not UTF-8"
		}
	}
	fromStdin := 0
	for _, v := range []*value{&q.arguments, &q.identity, &q.history} {
		if v.text == "-" {
			fromStdin++
		}
	}
	if fromStdin > 1 {
		return "only one flag can read stdin"
	}
	return ""
}

func positive(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 40)
	if err != nil || n == 0 {
		return 0, errors.New("want a positive number, in digits")
	}
	return int(n), nil
}

// read reads the inputs and then the text of the policy, in the order in which
// the server looks at them.
func (q *question) read(stdin io.Reader, sequence bool) (policy []byte, err error) {
	q.call.Tool = q.tool
	arguments, err := q.arguments.read("arguments", stdin)
	if err != nil {
		return nil, err
	}
	if sequence && arguments != nil && !server.IsArguments(arguments) {
		return nil, inputError{errors.New("the arguments of the next call are no strict JSON object"), `--next-args takes one object, such as {"ticket": "T-1"}`}
	}
	q.call.Arguments = arguments
	identity, err := q.identity.read("identity", stdin)
	if err != nil {
		return nil, err
	}
	if identity != nil {
		if q.call.Identity, err = server.ReadIdentity(identity); err != nil {
			return nil, inputError{err, `--identity takes one object, such as {"server_id": "billing", "tool_name": "pay"}`}
		}
	}
	history, err := q.history.read("history", stdin)
	if err != nil {
		return nil, err
	}
	if history != nil {
		if q.past, err = server.ReadHistory(history); err != nil {
			return nil, inputError{err, `--history takes a list, such as ["verify_identity", {"tool": "read_file", "arguments": {"path": "a"}}]; [] where nothing was called`}
		}
	}

	// The file is the operator's: any path, and anything that has an end.
	file, err := os.Open(q.policyFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return server.ReadLimited(file, "policy file", q.maxPolicy)
}

// value is a flag that takes JSON, or the name of a file after an @, or - for
// stdin.
type value struct {
	text  string
	given bool
}

func (v *value) String() string { return v.text }

func (v *value) Set(text string) error {
	v.text, v.given = text, true
	return nil
}

// read returns the JSON as it was given, byte for byte, or nil where the flag
// is absent.
func (v *value) read(what string, stdin io.Reader) ([]byte, error) {
	if !v.given {
		return nil, nil
	}
	in := stdin
	if name, ok := strings.CutPrefix(v.text, "@"); ok {
		file, err := os.Open(name)
		if err != nil {
			return nil, unreadableInput(what, err)
		}
		defer file.Close()
		in = file
	} else if v.text != "-" {
		in = strings.NewReader(v.text)
	}
	text, err := server.ReadLimited(in, what, maxInput)
	var path *fs.PathError
	if errors.As(err, &path) {
		return nil, unreadableInput(what, err)
	}
	return text, err
}

// inputError is what is wrong with an input other than the policy, and what to do
// about it.
type inputError struct {
	cause error
	hint  string
}

func (e inputError) Error() string { return e.cause.Error() }
func (e inputError) Unwrap() error { return e.cause }

// unreadableInput wraps nothing, so that it is not taken for an error of reading
// the policy.
func unreadableInput(what string, cause error) error {
	return inputError{errors.New("cannot read the " + what + ": " + cause.Error()), "a value that begins with @ names a file, and - is stdin"}
}

// explain writes why there is no decision, every problem of the policy with its
// place included.
func explain(stderr io.Writer, q *question, err error) {
	var policy *assay.PolicyError
	var path *fs.PathError
	var input inputError
	switch {
	case errors.As(err, &input):
		fail(stderr, exitFailed, input.Error(), input.hint)
	case errors.As(err, &policy) && len(policy.Problems) > 0:
		explainProblems(stderr, q, policy.Problems)
	case errors.Is(err, server.ErrTimeout):
		fail(stderr, exitFailed, fmt.Sprintf("there is no decision after %s", q.timeout), "simplify the policy, or give --timeout more milliseconds")
	case errors.As(err, &path):
		fail(stderr, exitFailed, "cannot read the policy "+q.policyFile+": "+path.Err.Error(), "--policy takes the path of one file")
	default:
		fail(stderr, exitFailed, strings.TrimPrefix(err.Error(), "assay: "), "")
	}
}

// explainSchema writes what is wrong with the schema of the tool in question.
func explainSchema(stderr io.Writer, q *question, policy *assay.Policy) {
	var problems []assay.Problem
	for _, p := range policy.Problems() {
		if p.Tool == q.tool {
			problems = append(problems, p)
		}
	}
	explainProblems(stderr, q, problems)
}

func explainProblems(stderr io.Writer, q *question, problems []assay.Problem) {
	for _, p := range problems {
		message := q.policyFile
		if p.Line > 0 {
			message += fmt.Sprintf(":%d:%d", p.Line, p.Column)
		}
		if p.Path != "" {
			message += ": " + p.Path
		}
		fail(stderr, exitFailed, message+": "+p.Message, p.Hint)
	}
}

// isColourful reports whether out is a terminal that is to have colours; see
// no-color.org for the variable.
func isColourful(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}

// The SGR sequences (ECMA-48) of the verdict.
const (
	red    = "\x1b[1;31m"
	green  = "\x1b[1;32m"
	yellow = "\x1b[1;33m"
	plain  = "\x1b[0m"
)

// layout lays a decision out for a person: the verdict, then what there is to
// do about it.
func layout(q *question, d assay.Decision, colour bool) string {
	verdict, hue := "DENY", red
	switch {
	case d.Failed():
		verdict = "NO DECISION"
	case d.Allowed && len(d.Obligations) > 0:
		verdict, hue = "ALLOW WITH OBLIGATIONS", yellow
	case d.Allowed:
		verdict, hue = "ALLOW", green
	}
	if colour {
		verdict = hue + verdict + plain
	}
	l := &lines{}
	head := verdict + "  " + printable(q.tool)
	if d.Code != "" {
		head += "  " + string(d.Code)
	}
	l.out.WriteString(head + "\n")
	l.add(2, "", d.Reason)
	for _, v := range d.Violations {
		title := v.RuleID
		if d.Code == assay.CodeArgSchema {
			title = pathName(v.Path)
		}
		l.out.WriteString("\n")
		l.add(2, "", strings.TrimSpace(title+"  "+v.Constraint))
		l.add(4, "", v.Message)
		l.add(4, "try: ", v.Suggestion)
		l.add(4, "calls: ", callNames(v.Spanned, len(q.past)))
		l.add(4, "rule: ", v.SchemaPath)
	}
	if d.Truncated {
		l.add(2, "", "There are more violations than are listed.")
	}
	if d.Warning != (assay.Warning{}) {
		l.add(2, "warning: ", string(d.Warning.Code)+"  "+d.Warning.Reason)
	}
	if len(d.Obligations) > 0 {
		l.add(2, "", "Before the call may run:")
	}
	for _, o := range d.Obligations {
		var terms []string
		for _, name := range slices.Sorted(maps.Keys(o.Contract)) {
			terms = append(terms, name+"="+o.Contract[name])
		}
		l.add(4, "", strings.Join(append([]string{o.Kind + " (by " + o.Source + ")"}, terms...), " "))
	}
	if f := d.SuggestedFix; f != nil {
		l.add(2, "These arguments would pass: ", string(f.Arguments))
		for _, c := range f.Changes {
			l.add(4, pathName(c.Path)+" ", c.FromConstraint+": "+c.Action)
		}
	}
	return l.out.String()
}

// lines is text under way.
type lines struct{ out strings.Builder }

// add writes one line, unless its text is empty.
func (l *lines) add(indent int, label, text string) {
	if text != "" {
		fmt.Fprintf(&l.out, "%*s%s%s\n", indent, "", printable(label), printable(text))
	}
}

// callNames lists calls by their indices in the history, which counts from 0;
// the call in question is the one behind it.
func callNames(indices []int, next int) string {
	var names []string
	for n, i := range indices {
		if n == 16 {
			return strings.Join(names, ", ") + fmt.Sprintf(" and %d more", len(indices)-n)
		}
		if i == next {
			names = append(names, "this one")
		} else {
			names = append(names, "history["+strconv.Itoa(i)+"]")
		}
	}
	return strings.Join(names, ", ")
}

// pathName is a JSON Pointer for a person, who would overlook an empty one.
func pathName(pointer string) string {
	if pointer == "" {
		return "(arguments)"
	}
	return pointer
}
