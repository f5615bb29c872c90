package lint

import "slices"

// Rule is one kind of finding.
type Rule struct {
	ID       string   `json:"id"` // stable
	Severity Severity `json:"severity"`
	Summary  string   `json:"summary"` // what it finds, a phrase
}

// reporter takes a finding.
type reporter func(at place, message, fix string)

// rule is a Rule with what finds it; those without are found by reading.
type rule struct {
	Rule
	check func(*policy, reporter)
}

// rules are all of them.
var rules = []rule{
	{Rule{"syntax", Error, "a text that is not one YAML or JSON document that every reader reads alike"}, nil},
	{Rule{"root", Error, "a document that is neither a mapping nor a list of rules"}, nil},
	{Rule{"structure", Error, "a key, type or value that the policy language does not have"}, nil},
	{Rule{"limit", Error, "a policy that is over a size limit"}, nil},

	{Rule{"schema-problem", Error, "a schema that does not compile, so that every call of its tool is denied"}, schemaProblem},
	{Rule{"inner-star", Error, "a pattern with a star inside, which is a literal star"}, innerStar},
	{Rule{"literal-star", Error, "a star in a whole name, where it is a literal star"}, literalStar},
	{Rule{"space-in-denied", Error, "white space in what denies names or puts a duty on them, where it is part of the name"}, spaceInDenied},
	{Rule{"space-in-name", Warning, "white space in another name, of which it is a part"}, spaceInName},
	{Rule{"never-matches", Error, "an entry that matches no tool"}, neverMatches},
	{Rule{"lost-duty", Error, "a duty on a name that stands nowhere else, near that of a tool without the duty"}, lostDuty},
	{Rule{"deny-shadows-allow", Warning, "an allow entry of which every match is denied"}, denyShadowsAllow},
	{Rule{"not-allowed", Warning, "a schema or other rule for a tool that is not allowed"}, notAllowed},
	{Rule{"no-schema", Warning, "an allowed tool without a schema"}, noSchema},
	{Rule{"no-allow-list", Note, "a policy that lets every name pass that it does not deny"}, noAllowList},

	{Rule{"contradiction", Error, "two keywords of a schema that no value satisfies together"}, contradiction},
	{Rule{"open-object", Warning, "an object with properties that takes others too"}, openObject},
	{Rule{"unbounded-string", Warning, "a string without maxLength"}, unboundedString},
	{Rule{"required-without-schema", Warning, "a required property that no schema describes"}, requiredWithoutSchema},
	{Rule{"format-annotated", Warning, "a format that constrains nothing, because formats are annotated"}, formatAnnotated},
	{Rule{"format-without-effect", Note, "a format that never constrains"}, formatWithoutEffect},
	{Rule{"keyword-without-effect", Warning, "a keyword for values of another type than its schema's"}, keywordWithoutEffect},
	{Rule{"unanchored-pattern", Warning, "a pattern without ^ at its start or $ at its end"}, unanchoredPattern},
	{Rule{"property-case", Warning, "property names that differ only by case"}, propertyCase},

	{Rule{"invisible-character", Error, "a character in a name that a reader does not see"}, invisibleCharacter},
	{Rule{"mixed-scripts", Warning, "a name that mixes scripts"}, mixedScripts},
	{Rule{"not-nfkc", Warning, "a name that Unicode normalisation (NFKC) changes"}, notNFKC},

	{Rule{"always-held", Warning, "a sequence rule that nothing can violate"}, alwaysHeld},
	{Rule{"always-violated", Error, "a sequence rule that nothing can satisfy"}, alwaysViolated},
	{Rule{"empty-alias", Warning, "an alias without members, which matches nothing"}, emptyAlias},
	{Rule{"alias-hides-tool", Warning, "an alias with the name of a tool that the policy speaks of"}, aliasHidesTool},

	{Rule{"not-evaluated", Note, "a key that is kept and decides nothing"}, notEvaluated},
	{Rule{"limit-without-session", Note, "a limit that nothing counts but a session in process"}, limitWithoutSession},
	{Rule{"legacy-form", Warning, "the older form of names and constraints"}, legacyForm},

	// The last one: it reports what the others left out.
	{Rule{"incomplete", Warning, "a policy too large for every comparison of names and schemas"}, incomplete},
}

// Rules lists every rule, those about the whole document first.
func Rules() []Rule {
	all := make([]Rule, len(rules))
	for i, r := range rules {
		all[i] = r.Rule
	}
	return all
}

// ruleNamed returns the rule of an ID, or else "structure".
func ruleNamed(id string) Rule {
	named := func(id string) int { return slices.IndexFunc(rules, func(r rule) bool { return r.ID == id }) }
	if i := named(id); i >= 0 {
		return rules[i].Rule
	}
	return rules[named("structure")].Rule
}
