package args

import "maps"

// Duty is what a policy asks of the caller of some allowed tools.
type Duty struct {
	Tools   []string // patterns
	Classes []string // class names

	// Contract holds the terms. A term that is absent has its default; a kind
	// of duty without terms ignores Contract.
	Contract map[string]string
}

// Obligation is a duty that rides on an allow. It never turns a denial into one.
type Obligation struct {
	Kind     string            // approval_required, restrict_scope or redact_args
	Source   string            // what named the tool: name, class or name+class
	Contract map[string]string // the terms; nil for approval_required
}

// The default terms of each kind that has any (docs/policy.md, "A whole file").
var (
	defaultScope  = map[string]string{"scope_type": "resource", "scope_value": "*", "scope_match_mode": "exact"}
	defaultRedact = map[string]string{"redaction_target": "body", "redaction_mode": "mask", "redaction_scope": "request"}
)

// duty is a compiled Duty.
type duty struct {
	kind     string
	names    *patterns
	classes  classes
	contract map[string]string
}

// duties are those that a policy has, in the order in which obligations are
// listed.
type duties []duty

func compileDuties(r *Rules) duties {
	var all duties
	add := func(kind string, d Duty, defaults map[string]string) {
		if len(d.Tools) == 0 && len(d.Classes) == 0 {
			return
		}
		contract := maps.Clone(defaults)
		if contract != nil {
			maps.Copy(contract, d.Contract)
		}
		all = append(all, duty{kind, compilePatterns(d.Tools), compileClasses(d.Classes), contract})
	}
	add("approval_required", r.Approval, nil)
	add("restrict_scope", r.Scope, defaultScope)
	add("redact_args", r.Redact, defaultRedact)
	return all
}

// of returns the obligations of an allowed call of the tool. They are the caller's own.
func (all duties) of(tool string, classes []string) []Obligation {
	var list []Obligation
	for i := range all {
		d := &all[i]
		source := ""
		switch byName, byClass := d.names.match(tool), d.classes.match(classes); {
		case byName && byClass:
			source = "name+class"
		case byName:
			source = "name"
		case byClass:
			source = "class"
		default:
			continue
		}
		list = append(list, Obligation{d.kind, source, maps.Clone(d.contract)})
	}
	return list
}
