package lint

import "example.com/assay/assay/internal/policydoc"

// The rules about the document as a whole.

// incomplete reports that the work of other rules was cut short. It looks at
// nothing itself, so it stands for those that ran before a text of such size
// could be compared in full; see maxWork.
func incomplete(p *policy, report reporter) {
	if p.work < 0 {
		report(p.root, "the policy is too large to compare all of its names and schemas, so some findings may be missing",
			"split the policy into several files")
	}
}

// schemaProblem is docs/policy.md, "Arguments": what does not say what it
// seems to say does not compile.
func schemaProblem(p *policy, report reporter) {
	for _, problem := range p.compiled.Problems() {
		fix := problem.Hint
		if fix == "" {
			fix = "correct the schema: until then every call of " + quote(problem.Tool) + " is denied"
		}
		at := place{node: p.root.node, line: problem.Line, column: problem.Column, index: -1, path: problem.Path}
		if found, ok := p.lookup(p.root, problem.Path); ok && found.line > 0 {
			at = found // of which long names are cut
		}
		report(at, "the schema of "+quote(problem.Tool)+" does not compile: "+problem.Message, fix)
	}
}

// unevaluated are the keys of docs/policy.md, "A whole file", that nobody
// here reads.
var unevaluated = []struct{ key, message, fix string }{
	{"on_error", "on_error is kept and changes nothing: a failure always denies", "remove it"},
	{"signatures", "signatures is kept and not evaluated here", "remove it, unless another program reads it from this file"},
	{"discovery", "discovery is kept and not evaluated here", "remove it, unless another program reads it from this file"},
	{"runtime_monitor", "runtime_monitor is kept and not evaluated here", "remove it, unless another program reads it from this file"},
	{"kill_switch", "kill_switch is kept and not evaluated here: it stops nothing", "remove it, unless another program reads it from this file"},
}

func notEvaluated(p *policy, report reporter) {
	for _, u := range unevaluated {
		if at, ok := p.root.at(u.key); ok {
			report(at, u.message, u.fix)
		}
	}
}

// limitWithoutSession finds ceilings that a single check cannot reach: it is
// the first of its own (docs/policy.md, "Pins and limits"), so that only a
// ceiling of 0 denies there.
func limitWithoutSession(p *policy, report reporter) {
	limits, ok := p.root.at("limits")
	if !ok {
		return
	}
	for limit := range limits.members() {
		if !isZero(limit) {
			report(limit, limit.key+" is counted by a Session in process only, so no single check, over MCP or at a terminal, reaches it",
				"keep a Session in the program that makes the calls, or limit a tool with a sequence rule max_calls")
		}
	}
}

// legacyForm finds what [Migrate] writes anew.
func legacyForm(p *policy, report reporter) {
	const fix = "print the current form with: assay-mcp-server lint --migrate FILE"
	for at := range p.root.members() {
		switch {
		case at.node.Kind == policydoc.Null:
		case at.key == "allow" || at.key == "deny":
			report(at, at.key+" at the root is the older place of tools."+at.key, fix)
		case at.key == "constraints":
			report(at, "constraints is the older form of schemas, and leaves every tool that it names open to other arguments", fix)
		}
	}
}
