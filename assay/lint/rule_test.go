package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/assay/assay/lint"
)

// ruleCases have, for each rule, policies that it finds something in and near
// misses. want is every finding of that rule: "line:column" and a part of its
// message.
var ruleCases = []struct {
	rule, name, policy string
	want               []string
}{
	{"syntax", "an unclosed list", "tools:\n  allow: [a\n", []string{`3:1 `}},
	{"syntax", "a closed list", "tools:\n  allow: [a]\n", nil},
	{"root", "a number", "5\n", []string{`1:1 the document must be a mapping`}},
	{"root", "a list of rules", "- {type: require, tool: a}\n", nil},
	{"structure", "every misspelt key is reported", "dney: [a]\ntools:\n  alow: [b]\n", []string{`1:1 unknown key "dney"`, `3:3 unknown key "alow"`}},
	{"structure", "an extension is no misspelt key", "x-dney: [a]\n", nil},
	{"limit", "a long policy", "name: " + strings.Repeat("a", 1_000_000) + "\n", []string{`0:0 `}},

	{"limit", "a policy of the greatest length", "name: " + strings.Repeat("a", 1_000_000-7) + "\n", nil},

	{"schema-problem", "a misspelt keyword", "schemas:\n  pay:\n    maxium: 30\n", []string{`3:5 the schema of "pay" does not compile`}},
	{"schema-problem", "a misspelt keyword whose value is on other lines", "schemas:\n  pay:\n    proprties:\n      x: true\n", []string{`3:5 "proprties" is no keyword`}},
	{"schema-problem", "an argument", "tools:\n  arg_constraints:\n    a: {x: {maxium: 3}}\n", []string{`3:13 `}},
	{"schema-problem", "a keyword", "schemas:\n  pay:\n    maximum: 30\n", nil},

	{"inner-star", "a deny pattern", "tools:\n  deny: [\"a*b\"]\n", []string{`2:10 the star inside "a*b" is a literal star, so the entry blocks nothing`}},
	{"inner-star", "at the root, with stars at the ends too", "deny: [\"*a**b*\"]\n", []string{`1:8 the star inside "*a**b*"`}},
	{"inner-star", "an obligation", "tools:\n  redact_args: [a*b]\n", []string{`2:17 the star inside "a*b" is a literal star, so the entry concerns nothing`}},
	{"inner-star", "stars at the ends alone", "tools:\n  deny: [\"***a***\", \"*\", \"**\", \"a*\", \"*a\"]\n", nil},

	{"literal-star", "a blocklist", "blocklist: [rm, rm*]\n", []string{`1:17 "rm*" is a whole name in blocklist`}},
	{"literal-star", "a schema", "schemas:\n  get_*: {type: object}\n", []string{`2:3 "get_*" is a whole name in schemas`}},
	{"literal-star", "a sequence rule", "sequences:\n  - {type: require, tool: \"a*\"}\n", []string{`2:21 "a*" is a whole name in sequences`}},
	{"literal-star", "a selector with arguments", "sequences:\n  - {type: require, tool: {tool: \"a*\", args_match: {x: y}}}\n", []string{`2:28 `}},
	{"literal-star", "a part of a name", "sequences:\n  - {type: blocklist, pattern: \"rm*\"}\n", []string{`2:23 the pattern "rm*" is a part of a name`}},
	{"literal-star", "patterns", "tools:\n  allow: [\"get_*\"]\n  deny: [\"*\"]\n", nil},

	{"space-in-denied", "a hyphen that is indented deeper", "deny:\n  - a\n    - b\n  - c\n", []string{`2:5 "a - b" is one entry, white space included, so it blocks none of its words alone`}},
	{"space-in-denied", "a line that is joined", "tools:\n  deny: [rm\n   exec, \"x\"]\n", []string{`2:10 "rm exec" is one entry`}},
	{"space-in-denied", "a comma that is missing, and space around", "blocklist: [rm exec, \" ls\", \"a\\tb\", \"a\\nb\"]\n", []string{`1:13 "rm exec"`, `1:22 " ls"`, `1:29 "a\tb"`, `1:37 "a\nb"`}},
	{"space-in-denied", "a duty", "tools:\n  approval_required: [pay refund*]\n", []string{`2:23 "pay refund*" is one entry, white space included, so it concerns none`}},
	{"space-in-denied", "classes", "tools:\n  deny_classes: [a b]\n  redact_args_classes: [c d]\n", []string{`2:18 `, `3:25 `}},
	{"space-in-denied", "a part of a name", "sequences:\n  - {type: blocklist, pattern: rm exec}\n", []string{`2:23 `}},
	{"space-in-denied", "several names, and space around the words of YAML", "tools:\n  deny: [ rm , exec ]\n  allow: [a b]\ndeny:\n  -   a\n  - b   # c d\n", nil},
	{"space-in-name", "an allowed name, a schema, a class", "tools:\n  allow:\n    - a\n      - b\nschemas:\n  pay now: true\ntool_classes: {pay: [a b]}\n", []string{
		`3:7 "a - b" is one name, white space included`, `6:3 "pay now"`, `7:22 "a b"`}},
	{"space-in-name", "members of an alias, and rules", "aliases: {g: [a b], h i: []}\nsequences: [{type: require, tool: c d}]\n", []string{`1:15 "a b"`, `1:21 "h i"`, `2:29 "c d"`}},
	{"space-in-name", "the list of calls", "- a\n- b\n  c\n", []string{`2:3 "b c"`}},
	{"space-in-name", "other texts may hold spaces", "name: a b\nblocklist: [a b]\nschemas: {a: {description: b c, required: [d e]}}\n", nil},

	{"never-matches", "an empty entry", "tools:\n  deny: [\"\"]\n", []string{`2:10 the entry is empty`}},
	{"never-matches", "a class that no tool has", "tool_classes: {rm: [destructive]}\ntools:\n  deny_classes: [Destructive]\n", []string{`3:18 no tool under tool_classes has the class "Destructive"`}},
	{"never-matches", "a class that a tool has", "tool_classes: {rm: [destructive]}\ntools:\n  deny_classes: [destructive]\n", nil},

	{"lost-duty", "a slip for an allowed tool, under each duty", `tools:
  allow: [refund]
  approval_required: [refnd]
  restrict_scope: [ls, Refund]
  redact_args: [refudn, refund_]
`, []string{`3:23 tools.approval_required speaks of "refnd", which stands nowhere else, and puts no duty on the tool "refund"`,
		`4:24 tools.restrict_scope speaks of "Refund"`, `5:17 tools.redact_args speaks of "refudn"`, `5:25 "refund_"`}},
	{"lost-duty", "a slip for a tool of a schema, without an allow list", "tools:\n  approval_required: [refnd]\nschemas: {refund: true}\n", []string{`2:23 `}},
	{"lost-duty", "a slip for a tool of any other place", `tools:
  allow: ["*"]
  require_args: {read_file: [x]}
  arg_constraints: {write_file: {x: true}}
  approval_required: [raed_file, write_fiel, closefile, lgoin, pinnd]
tool_classes: {close_file: [a]}
constraints: {login: {x: "^y$"}}
tool_pins: {pinned: {server_id: a, tool_name: b, schema_hash: "0000000000000000000000000000000000000000000000000000000000000000", meta_hash: "0000000000000000000000000000000000000000000000000000000000000000"}}
`, []string{`5:23 `, `5:34 `, `5:46 `, `5:57 `, `5:64 `}},
	{"lost-duty", "another tool has the duty by its name, a pattern or its class", `tools:
  allow: [read_file, write_file, close_file, send_mail]
  approval_required: [send_mial, read_files, read_file, "write*", write_fil, close_fil]
  approval_required_classes: [bad]
  redact_args: [send_mail]
tool_classes: {close_file: [bad]}
`, []string{`3:23 tools.approval_required speaks of "send_mial"`}},
	{"lost-duty", "the name of an alias is no tool", "tools:\n  redact_args: [refnd]\nschemas: {refund: true}\naliases: {refnd: [refund]}\n", []string{`2:17 `}},
	{"lost-duty", "a name that stands elsewhere, near nothing, short, or of another word", `tools:
  approval_required: [get_user, delete_everything, ls, undelete, "refnd*", "re*nd", refund, read_files, rm_rf, move]
  deny: [rm_rf]
schemas: {set_user: true, get_user: true, rm: true, l: true, delete: true, refund: true, read_file: true, rm_f: true, mov: true}
sequences: [{type: require, tool: read_files}]
blocklist: [move]
`, nil},
	{"lost-duty", "a name of another word, which is another tool", `tools:
  approval_required: [put_item, send_file, set_user, "list-files"]
schemas: {get_item: true, read_file: true, get_user: true, "link-files": true}
`, nil},
	{"lost-duty", "near a tool that no call reaches", "tools:\n  allow: [pay]\n  deny: [log_in]\n  approval_required: [refnd, login]\nschemas: {refund: true, log_in: true}\n", nil},
	{"lost-duty", "names with white space, which have a rule of their own", "tools:\n  approval_required: [\"refund \"]\nschemas: {refund: true}\n", nil},
	{"lost-duty", "no duties", "schemas: {refund: true}\n", nil},

	{"deny-shadows-allow", "the same name", "tools:\n  allow: [rm, ls]\n  deny: [rm]\n", []string{`2:11 "rm" allows nothing: "rm" of tools.deny (line 3)`}},
	{"deny-shadows-allow", "a prefix under a shorter prefix", "tools:\n  allow: [get_secret_*]\n  deny: [get_*]\n", []string{`2:11 `}},
	{"deny-shadows-allow", "a prefix under a part", "tools:\n  allow: [get_secret_*]\n  deny: [\"*secret*\"]\n", []string{`2:11 `}},
	{"deny-shadows-allow", "a suffix under a suffix", "tools:\n  allow: [\"*_file\"]\n  deny: [\"*file\"]\n", []string{`2:11 `}},
	{"deny-shadows-allow", "everything under everything", "tools:\n  allow: [\"*\"]\n  deny: [\"*\"]\n", []string{`2:11 `}},
	{"deny-shadows-allow", "a blocked name", "tools:\n  allow: [rm]\nblocklist: [rm]\n", []string{`2:11 "rm" allows nothing: "rm" of blocklist (line 3)`}},
	{"deny-shadows-allow", "a name of a denied class", "tools:\n  allow: [rm]\n  deny_classes: [bad]\ntool_classes: {rm: [bad]}\n", []string{`2:11 "rm" allows nothing: tools.deny_classes denies a class of the tool`}},
	{"deny-shadows-allow", "a denied class", "tools:\n  allow_classes: [bad]\n  deny_classes: [bad]\ntool_classes: {rm: [bad]}\n", []string{`2:19 the class "bad" allows nothing`}},
	{"deny-shadows-allow", "a part denied", "tools:\n  allow: [\"*\", get_*, \"*_file\", \"*a*\"]\n  deny: [get_secret*, get_, \"*x\", \"a*\", \"*ab*\"]\n", nil},
	{"deny-shadows-allow", "a suffix does not cover a prefix", "tools:\n  allow: [ab*]\n  deny: [\"*ab\", ab]\n", nil},

	{"not-allowed", "a schema", "tools:\n  allow: [a]\nschemas:\n  a: true\n  b: true\n", []string{`5:3 schemas speaks of the tool "b", which is not allowed`}},
	{"not-allowed", "an obligation of a denied tool", "tools:\n  deny: [a]\n  approval_required: [a, \"a*\", b]\n", []string{`3:23 tools.approval_required speaks of the tool "a", which is denied`}},
	{"not-allowed", "a duty that is lost is an error of its own", "tools:\n  allow: [refund]\n  approval_required: [refnd, other]\n", []string{`3:30 tools.approval_required speaks of the tool "other"`}},
	{"not-allowed", "a legacy constraint", "allow: [a]\nconstraints:\n  - tool: b\n    params: {}\n", []string{`3:5 constraints speaks of the tool "b"`}},
	{"not-allowed", "a schema of a class's tool", "tools:\n  allow_classes: [c]\ntool_classes: {a: [c]}\nschemas:\n  a: true\n", nil},

	{"not-allowed", "a misspelt operand of each sequence rule", `tools: {allow: [list_events, create_event]}
sequences:
  - {type: before, first: list_events, then: creat_event}
  - {type: max_calls, tool: {tool: crate_event, args_match: {x: y}}, max: 5}
  - {type: sequence, tools: [list_events, cretae_event]}
  - {type: after, trigger: remove, then: create_event}
  - {type: require, tool: pay}
`, []string{`3:40 sequences speaks of the tool "creat_event", which is not allowed`, `4:30 "crate_event"`, `5:43 "cretae_event"`, `6:19 "remove"`, `7:21 "pay"`}},
	{"not-allowed", "a member of an alias in a rule", "tools: {allow: [create_event]}\naliases:\n  write: [creat_event, create_event]\n  unused: [pay]\nsequences:\n  - {type: max_calls, tool: write, max: 5}\n", []string{`3:11 aliases.write speaks of the tool "creat_event", which is not allowed`}},
	{"not-allowed", "a denied operand", "tools: {deny: [rm]}\nsequences: [{type: require, tool: rm}, {type: require, tool: ls}]\n", []string{`2:29 sequences speaks of the tool "rm", which is denied`}},
	{"not-allowed", "operands allowed by a pattern, a class or an alias, and what is no tool", `tools: {allow: ["list_*", create_event], allow_classes: [pays]}
tool_classes: {pay: [pays]}
aliases: {write: [create_event, pay]}
sequences:
  - {type: before, first: list_events, then: write}
  - {type: require, tool: pay}
  - {type: blocklist, pattern: creat}
`, nil},
	{"not-allowed", "operands where no names are listed", "blocklist: [rm]\nsequences: [{type: before, first: list_events, then: creat_event}]\n", nil},
	{"not-allowed", "operands of a list of rules", "- {type: require, tool: a}\n", nil},

	{"no-schema", "a name", "tools:\n  allow: [a, b]\nschemas: {b: true}\n", []string{`2:11 "a" is allowed and has no schema, so a call passes with any arguments, and a warning`}},
	{"no-schema", "where such tools are allowed", "tools:\n  allow: [a]\nenforcement: {unconstrained_tools: allow}\n", []string{`2:11 "a" is allowed and has no schema, so a call passes with any arguments`}},
	{"no-schema", "where such tools are denied", "tools:\n  allow: [a, \"b*\"]\nenforcement: {unconstrained_tools: deny}\n", []string{`2:11 "a" is allowed and has no schema, so every call of it is denied`}},
	{"no-schema", "a pattern", "tools:\n  allow: [\"b*\"]\n", []string{`2:11 "b*" also allows tools that have no schema`}},
	{"no-schema", "a tool of an allowed class", "tools:\n  allow_classes: [c]\ntool_classes: {a: [c], b: [d]}\n", []string{`3:16 "a" is allowed and has no schema`}},
	{"no-schema", "an empty requirement constrains nothing", "tools:\n  allow: [a]\n  require_args: {a: []}\n", []string{`2:11 `}},
	{"no-schema", "each source of rules", "tools:\n  allow: [a, b, c, d]\n  require_args: {a: [x]}\n  arg_constraints: {b: {x: true}}\nschemas: {c: true}\nconstraints:\n  d: {x: y}\n", nil},
	{"no-schema", "a denied name", "tools:\n  allow: [a]\n  deny: [a]\n", nil},

	{"no-allow-list", "names are denied and none allowed", "version: \"2.0\"\ntools:\n  deny: [a]\n", []string{`2:1 there is no list of allowed tools`}},
	{"no-allow-list", "schemas", "sequences: []\nschemas: {a: true}\ntools: {}\n", []string{`2:1 `}},
	{"no-allow-list", "an older policy", "constraints: {}\n", []string{`1:1 `}},
	{"no-allow-list", "an empty list", "tools: {allow: []}\n", nil},
	{"no-allow-list", "an allow list at the root", "allow: [a]\nschemas: {a: true}\n", nil},
	{"no-allow-list", "allowed classes", "tools: {allow_classes: [a]}\n", nil},
	{"no-allow-list", "tools without a schema are denied", "schemas: {a: true}\nenforcement: {unconstrained_tools: deny}\n", nil},
	{"no-allow-list", "everything is denied", "tools: {deny: [\"*\"]}\n", nil},
	{"no-allow-list", "a blocklist", "version: \"2.0\"\nblocklist: [a]\n", nil},
	{"no-allow-list", "rules alone", "sequences: []\naliases: {}\n", nil},
	{"no-allow-list", "a list of rules", "- {type: require, tool: a}\n", nil},

	{"contradiction", "each range whose ends are the wrong way round", `schemas:
  a:
    minimum: 5
    maximum: 3
    maxLength: 1
    minLength: 2
    minItems: 2
    maxItems: 1
    minProperties: 2
    maxProperties: 1
    contains: true
    minContains: 3
    maxContains: 2
`, []string{`4:5 "minimum" is 5 and "maximum" is 3, so no number satisfies both`, `5:5 "minLength" is 2 and "maxLength" is 1, so no string satisfies both`,
		`8:5 "minItems" is 2 and "maxItems" is 1, so no array`, `10:5 "minProperties" is 2 and "maxProperties" is 1, so no object`, `13:5 "minContains" is 3 and "maxContains" is 2, so no array`}},
	{"contradiction", "exclusive ends", `schemas:
  a: {minimum: 3, exclusiveMaximum: 3}
  b: {exclusiveMinimum: 3, maximum: 3.0}
  c: {exclusiveMinimum: 3, exclusiveMaximum: 30e-1}
  d: {exclusiveMinimum: 4, exclusiveMaximum: 3}
  e: {$schema: "http://json-schema.org/draft-04/schema#", minimum: 3, exclusiveMinimum: true, maximum: 3}
  f: {$schema: "http://json-schema.org/draft-04/schema#", minimum: 3, maximum: 3, exclusiveMaximum: true}
`, []string{`2:19 "minimum" is 3 and "exclusiveMaximum" shuts out 3, so no number`, `3:28 "exclusiveMinimum" shuts out 3 and "maximum" is 3.0`, `4:28 `, `5:28 `,
		`6:95 "minimum" shuts out 3 and "maximum" is 3`, `7:71 "minimum" is 3 and "maximum" shuts out 3`}},
	{"contradiction", "numbers are exact", `schemas:
  a: {minimum: 9007199254740993, maximum: 9007199254740992}
  b: {minimum: 0.1000000000000000000001, maximum: 0.1}
  c: {minimum: 1e1000, maximum: 1e999}
`, []string{`2:34 `, `3:42 `, `4:24 `}},
	{"contradiction", "maxContains: 0 alone", "schemas:\n  a: {contains: true, maxContains: 0}\n", []string{`2:23 "maxContains" is 0, and "minContains" is 1 where it is not written`}},
	{"contradiction", "values of another type", `schemas:
  a: {type: integer, enum: ["1", 1.5]}
  b: {type: string, const: 5}
  c: {type: [object, "null"], enum: [[], false]}
  d: {items: {type: boolean, const: off}}
tools: {arg_constraints: {e: {x: {type: number, const: {}}}}}
`, []string{`2:22 no member of "enum" has the "type" integer, so no value satisfies both`, `3:21 the value of "const" does not have the "type" string`, `4:31 "type" object or null`,
		`5:30 `, `6:49 `}},
	{"contradiction", "a property that must be and cannot", `schemas:
  a:
    required: [x]
    properties: {y: true}
    additionalProperties: false
  b: {required: [x], unevaluatedProperties: false}
  c: {required: [x], patternProperties: {"^y$": true}, additionalProperties: {not: {}}}
`, []string{`3:16 the property "x" is required, and additionalProperties refuses it, so no object passes`, `6:18 the property "x" is required, and unevaluatedProperties refuses it`, `7:18 `}},
	{"contradiction", "keywords of objects where none may stand", "schemas:\n  a: {type: string, required: [x], additionalProperties: false}\n", nil},
	{"contradiction", "a definition, once", "schemas:\n  $defs: {d: {minLength: 2, maxLength: 1}}\n  a: {$ref: \"#/$defs/d\"}\n  b: {not: {$ref: \"#/$defs/d\"}}\n", []string{`2:29 `}},
	{"contradiction", "what some value satisfies", `schemas:
  a: {minimum: 3, maximum: 3, minLength: 2, maxLength: 2, minItems: 0, maxItems: 0, minProperties: 1, maxProperties: 1.0}
  b: {exclusiveMinimum: 3, maximum: 3.0000000000000000001, minimum: 3}
  c: {contains: true, minContains: 0, maxContains: 0}
  d: {contains: true, maxContains: 1}
  e: {type: integer, enum: ["1", 1.0]}
  f: {type: [string, integer], const: 1e2}
  g: {type: number, const: 1.5}
  h: {items: [{type: object, const: {}}, {type: array, const: []}, {type: "null", const: null}, {type: boolean, const: true}, {const: 1}], $schema: "http://json-schema.org/draft-07/schema#"}
  i: {$schema: "http://json-schema.org/draft-04/schema#", minimum: 3, exclusiveMinimum: false, maximum: 3}
  j: {required: [x], properties: {x: true}, additionalProperties: false}
  k: {required: [x], patternProperties: {"^x": true}, unevaluatedProperties: false}
  l: {required: [x], allOf: [{properties: {x: true}}], unevaluatedProperties: false}
  m: {required: [x], $ref: "#/$defs/n", $defs: {n: {properties: {x: true}}}, unevaluatedProperties: false}
  n: {required: [x], additionalProperties: true, unevaluatedProperties: false}
  o: {type: string, maximum: 3, minimum: 5, maxLength: 9}
  p: {anyOf: [{minimum: 5}, {maximum: 3}]}
`, nil},

	{"open-object", "additionalProperties is absent", "schemas:\n  a:\n    type: object\n    properties:\n      x: true\n", []string{`4:5 the object takes any property`}},
	{"open-object", "additionalProperties is a schema", "schemas:\n  a:\n    properties: {x: true}\n    additionalProperties: {type: number}\n", []string{`4:5 the object takes properties of any name that fit`}},
	{"open-object", "below a property", "schemas:\n  a:\n    additionalProperties: false\n    properties:\n      x: {properties: {y: true}}\n", []string{`5:11 `}},
	{"open-object", "a definition, once", "schemas:\n  $defs:\n    d: {properties: {y: true}}\n  a: {$ref: \"#/$defs/d\"}\n  b: {items: {$ref: \"#/$defs/d\"}}\n", []string{`3:9 `}},
	{"open-object", "an argument", "tools:\n  arg_constraints:\n    a: {x: {properties: {y: true}}}\n", []string{`3:13 `}},
	{"open-object", "one branch of two is open", "schemas:\n  a:\n    anyOf:\n      - {properties: {x: true}, additionalProperties: false}\n      - {properties: {y: true}}\n", []string{`5:10 `}},
	{"open-object", "closed in any way", `schemas:
  a: {properties: {x: true}, additionalProperties: false}
  b: {properties: {x: true}, unevaluatedProperties: false}
  c: {properties: {x: true}, additionalProperties: {not: {}}}
  d: {properties: {x: true}, propertyNames: {enum: [x]}}
  e: {properties: {x: true}, allOf: [{additionalProperties: false, properties: {x: true}}]}
  f: {unevaluatedProperties: false, allOf: [{properties: {x: true}}]}
  g: {$ref: "#/$defs/closed", properties: {x: true}, $defs: {closed: {additionalProperties: false}}}
  h: {properties: {x: true}, anyOf: [{additionalProperties: false}, {maxProperties: 0, additionalProperties: false}]}
  i: {not: {properties: {x: true}}}
  j: {if: {properties: {x: true}}}
  k: {type: string, maxLength: 3, properties: {x: true}}
  l: {properties: {}}
`, nil},

	{"unbounded-string", "no maxLength", "schemas:\n  a:\n    properties: {x: {type: string}}\n", []string{`3:22 the string has no maxLength`}},
	{"unbounded-string", "one type of several, in a branch", "schemas:\n  a:\n    anyOf:\n      - {type: [string, \"null\"]}\n      - {type: number}\n", []string{`4:10 `}},
	{"unbounded-string", "a pattern without an end", "schemas:\n  a: {type: string, pattern: \"^a{1,4}\"}\n", []string{`2:7 `}},
	{"unbounded-string", "a pattern with a star", "schemas:\n  a: {type: string, pattern: \"^a*$\"}\n", []string{`2:7 `}},
	{"unbounded-string", "an annotated format", "enforcement: {formats: annotate}\nschemas:\n  a: {type: string, format: uuid}\n", []string{`3:7 `}},
	{"unbounded-string", "an annotated date-time", "enforcement: {formats: annotate}\nschemas:\n  a: {type: string, format: date-time}\n", []string{`3:7 `}},
	{"unbounded-string", "a format of any length", "schemas:\n  a: {type: string, format: uri}\n", []string{`2:7 `}},
	{"unbounded-string", "bounded in any way", `schemas:
  a: {type: string, maxLength: 5}
  b: {type: string, enum: [x]}
  c: {type: string, pattern: "^[a-z]{1,8}(?:-[0-9]{2})?$"}
  d: {type: string, format: uuid}
  d2: {items: [{type: string, format: date-time}, {type: string, format: time}, {type: string, format: date}, {type: string, format: duration}, {type: string, format: ipv4}, {type: string, format: ipv6}], $schema: "http://json-schema.org/draft-07/schema#"}
  e: {type: string, allOf: [{maxLength: 5}]}
  f: {maxLength: 5, anyOf: [{type: string}]}
  g: {type: string, anyOf: [{maxLength: 5}, {const: x}]}
  h: {not: {type: string}}
  i: {type: [array, "null"]}
  j: {propertyNames: {type: string}}
  k: {if: {minLength: 1}, then: {maxLength: 3}, else: {maxLength: 2}, type: string}
`, nil},

	{"required-without-schema", "no property", "schemas:\n  a:\n    required: [x, y]\n    properties: {y: true}\n", []string{`3:16 the property "x" is required and has no schema`}},
	{"required-without-schema", "a property that cannot be is a contradiction", "schemas:\n  a: {required: [x], properties: {y: true}, additionalProperties: false}\n  b: {required: [x], properties: {y: true}, unevaluatedProperties: false}\n", nil},
	{"required-without-schema", "described elsewhere", `schemas:
  $defs: {base: {properties: {x: {type: number}}}}
  a: {required: [x], patternProperties: {"^x$": {type: number}}}
  b: {required: [x], additionalProperties: {type: number}}
  c: {required: [x], allOf: [{properties: {x: true}}]}
  d: {required: [x], $ref: "#/$defs/base"}
  e: {properties: {x: true}, anyOf: [{required: [x]}, {required: [x]}]}
  f: {not: {required: [x]}}
  g: {properties: {x: true}, if: {required: [y]}}
`, nil},

	{"format-annotated", "a format that would be asserted", "enforcement: {formats: annotate}\nschemas:\n  a: {format: email}\n", []string{`3:7 format "email" constrains nothing`}},
	{"format-annotated", "an asserted format, and one that never is", "schemas:\n  a: {format: email}\n  b: {format: float}\n", nil},
	{"format-without-effect", "a generator's format", "schemas:\n  a: {type: number, format: float}\n", []string{`2:21 format "float" is an annotation`}},
	{"format-without-effect", "an integer's format", "schemas:\n  a: {type: number, format: int32}\n", nil},

	{"keyword-without-effect", "keywords of another type", `schemas:
  a:
    properties:
      x: {type: string, maximum: 200}
      y: {type: number, maxLength: 3}
      z: {type: [string, "null"], items: {type: string}}
      u: {type: array, required: [a]}
    not: {type: object, pattern: a}
  b: {type: integer, minItems: 1}
tools: {arg_constraints: {c: {x: {type: string, minimum: 3}}}}
`, []string{`4:25 "maximum" constrains numbers, and type is string`, `5:25 "maxLength" constrains strings, and type is number`,
		`6:35 "items" constrains arrays, and type is string or null`, `7:24 "required" constrains objects, and type is array`, `8:25 "pattern" `, `9:22 "minItems" `, `10:49 "minimum" `}},
	{"keyword-without-effect", "keywords of the type, of one of several, and where no type stands beside them", `schemas:
  a: {type: object, required: [x], properties: {maximum: {type: number, maximum: 3}, x: {type: array, items: true, minItems: 1}}}
  b: {type: [integer, string], maxLength: 3, maximum: 3}
  c: {type: integer, minimum: 3, multipleOf: 2}
  d: {maximum: 3, maxLength: 3}
  e: {type: string, anyOf: [{maximum: 3}, {pattern: a}]}
  f: {type: string, enum: [a], const: a, format: date, description: a, not: {const: b}}
  g: {type: string, maximum: 3, requird: [x]}
`, nil},
	{"unanchored-pattern", "each end", "schemas:\n  a: {pattern: \"a$\"}\n  b: {pattern: \"^a\"}\n  c: {pattern: \"^a|b$\"}\n", []string{
		`2:7 other text may stand before`, `3:7 other text may follow`, `4:7 other text may stand around`}},
	{"unanchored-pattern", "a name of patternProperties", "schemas:\n  a:\n    patternProperties:\n      x_: true\n", []string{`4:7 `}},
	{"unanchored-pattern", "legacy constraints, both forms", "constraints:\n  a: {x: \"^a\", y: {matches: \"^b\"}, z: \"^c$\"}\n", []string{`2:7 `, `2:20 `}},
	{"unanchored-pattern", "legacy constraints, a list", "constraints:\n  - tool: a\n    params: {x: {matches: \"^a\"}}\n", []string{`3:18 `}},
	{"unanchored-pattern", "arguments of sequence rules", "sequences:\n  - {type: require, tool: {tool: a, args_match: {x: \"^a\", y: b}}}\n  - {type: sequence, tools: [a, {tool: b, args_match: {z: \"c$\"}}]}\n", []string{
		`2:50 other text may follow`, `2:59 other text may stand around`, `3:56 other text may stand before`}},
	{"unanchored-pattern", "anchored arguments of sequence rules", "- {type: require, tool: {tool: a, args_match: {x: \"^(?:a|b)$\"}}}\n- {type: blocklist, pattern: a}\n", nil},
	{"unanchored-pattern", "anchored in any way", `schemas:
  a: {pattern: "^a$"}
  b: {pattern: "^(?:a|b)$"}
  c: {pattern: "(?:^a$|^(b)$)"}
  d: {pattern: "^(?!x)a[$|(]\\$$"}
  e: {pattern: "^a$", allOf: [{pattern: "b"}]}
  f: {not: {pattern: "a"}}
  g: {enum: [ab], pattern: a}
`, nil},

	{"property-case", "two names", "schemas:\n  a:\n    properties: {userId: true, userID: true, user_id: true}\n", []string{`3:32 the properties "userID" and "userId" (line 3) differ only by case`}},
	{"property-case", "two objects", "schemas:\n  a: {properties: {x: {properties: {X: true}}}}\n", nil},

	{"invisible-character", "what nobody sees", "blocklist: [\"rm\\u200B\", \"\\u202Erm\", \"r\\u00A0m\", \"r\\uFE0Fm\", \"r\\u3164m\", \"r\\u2800m\", \"r\\em\"]\n", []string{
		`1:13 the name "rm\u200b" holds the invisible character U+200B`, `1:25 the name "\u202erm" holds the invisible character U+202E`, `1:37 the name "r\u00a0m" holds the invisible character U+00A0`,
		"1:49 U+FE0F", "1:61 U+3164", "1:73 U+2800", "1:85 U+001B"}},
	{"invisible-character", "as it stands in the text, everywhere", "tools:\n  deny: [\"x\u200bx*\"]\n  deny_classes: [b\u00ADc]\nschemas: {d\u2066: true}\n", []string{`2:10 `, `3:18 `, `4:11 `}},
	{"invisible-character", "visible ones and spaces", "blocklist: [\"a b\", é, e\\u0301, 削除, \"a\\tb\"]\nname: \"a\\u200B\"\n", nil},
	{"mixed-scripts", "a Cyrillic letter", "tools:\n  deny: [dеlete]\n", []string{`2:10 the name "dеlete" mixes the scripts Cyrillic and Latin`}},
	{"mixed-scripts", "once for each name", "blocklist: [pаy, pаy]\naliases: {pаy: []}\n", []string{`1:13 `}},
	{"mixed-scripts", "one script, digits, and Japanese", "blocklist: [удалить_1, ファイル削除file, straße]\n", nil},
	{"not-nfkc", "a ligature and a wide letter", "blocklist: [ﬁle, ａ]\n", []string{`1:13 the name "ﬁle" is not in normal form NFKC`, `1:18 `}},
	{"not-nfkc", "a space that nobody sees has a rule of its own", "blocklist: [\"r\\u00A0m\"]\n", nil},
	{"not-nfkc", "a stable name", "blocklist: [é]\n", nil},

	{"always-held", "before of a tool by itself", "sequences:\n  - {type: before, first: a, then: a}\n", []string{`2:5 every call of then is a call of first too`}},
	{"always-held", "before of an alias's member", "sequences:\n  - {type: before, first: g, then: a}\naliases: {g: [b, a]}\n", []string{`2:5 `}},
	{"always-held", "before of some calls of a tool", "sequences:\n  - {type: before, first: a, then: {tool: a, args_match: {x: y}}}\n", []string{`2:5 `}},
	{"always-held", "before of equal selectors", "- {type: before, first: {tool: a, args_match: {x: y}}, then: {tool: a, args_match: {x: y}}}\n", []string{`1:3 `}},
	{"always-held", "short sequences", "sequences:\n  - {type: sequence, tools: []}\n  - {type: sequence, tools: [a], strict: true}\n", []string{`2:22 a sequence of no tools`, `3:22 a sequence of one tool`}},
	{"always-held", "rules that can be violated", `sequences:
  - {type: before, first: a, then: b}
  - {type: before, first: a, then: g}
  - {type: before, first: {tool: a, args_match: {x: y}}, then: a}
  - {type: before, first: {tool: a, args_match: {x: y}}, then: {tool: a, args_match: {x: z}}}
  - {type: sequence, tools: [a, a]}
  - {type: never_after, trigger: a, forbidden: a}
aliases: {g: [a, b]}
`, nil},
	{"always-violated", "within: 0 and the empty pattern", "sequences:\n  - {type: after, trigger: a, then: b, within: 0}\n  - {type: eventually, tool: a, within: 0.0}\n  - {type: blocklist, pattern: \"\"}\n", []string{
		`2:40 within: 0`, `3:33 within: 0`, `4:23 every name contains the empty pattern`}},
	{"always-violated", "within: 1 and max: 0", "sequences:\n  - {type: after, trigger: a, then: b, within: 10}\n  - {type: after, trigger: a, then: b}\n  - {type: max_calls, tool: a, max: 0}\n", nil},

	{"empty-alias", "no members", "aliases: {g: [], h: [a]}\n", []string{`1:11 the alias "g" has no members`}},
	{"empty-alias", "a member", "aliases: {g: [g]}\n", nil},
	{"alias-hides-tool", "the name of an allowed tool", "tools: {allow: [g]}\naliases:\n  g: [a]\n", []string{`3:3 the alias "g" has the name of a tool in tools.allow (line 1)`}},
	{"alias-hides-tool", "its own member, and no tool's name", "tools: {allow: [g, \"h*\"]}\nsequences: [{type: require, tool: h}]\naliases:\n  g: [a, g]\n  h: [a]\n", nil},

	{"not-evaluated", "sections of other programs", "kill_switch: {}\non_error: deny\n", []string{`1:1 kill_switch`, `2:1 on_error`}},
	{"not-evaluated", "an extension", "x-kill_switch: {}\n", nil},
	{"limit-without-session", "a ceiling", "limits:\n  max_requests_total: 5\n  max_tool_calls_total: 1.0\n", []string{`2:3 max_requests_total is counted by a Session in process only`, `3:3 max_tool_calls_total is counted`}},
	{"limit-without-session", "a ceiling of 0 denies the first call, wherever it is checked", "limits: {max_requests_total: 0, max_tool_calls_total: 0.0}\n", nil},
	{"limit-without-session", "no ceiling", "limits: {}\n", nil},
	{"legacy-form", "each old key", "allow: [a]\ndeny: [b]\nconstraints: []\n", []string{`1:1 allow at the root`, `2:1 deny at the root`, `3:1 constraints`}},
	{"legacy-form", "null says nothing", "deny: null\ntools: {allow: [a], deny: [b]}\n", nil},
}

func TestEachRuleFindsWhatItIsFor(t *testing.T) {
	for _, test := range ruleCases {
		t.Run(test.rule+"/"+test.name, func(t *testing.T) {
			var got []lint.Finding
			for _, f := range lint.Lint([]byte(test.policy), nil).Findings {
				if f.Rule == test.rule {
					got = append(got, f)
				}
			}
			if len(got) != len(test.want) {
				t.Fatalf("found %d, want %d:\n%s", len(got), len(test.want), lines(got))
			}
			for i, f := range got {
				position, message, _ := strings.Cut(test.want[i], " ")
				if fmt.Sprintf("%d:%d", f.Line, f.Column) != position || !strings.Contains(f.Message, message) {
					t.Errorf("found %s\n want %s", lines(got[i:i+1]), test.want[i])
				}
				if f.Fix == "" {
					t.Errorf("%s offers no fix", lines(got[i:i+1]))
				}
			}
		})
	}
}

// What the author most likely meant is offered where an allowed name is near.
func TestAMisspeltOperandOffersTheNameThatIsNear(t *testing.T) {
	for _, test := range []struct{ operand, fix string }{
		{"creat_event", `did you mean "create_event"?`},
		{"craete_event", `did you mean "create_event"?`},
		{"Create_Event", `did you mean "create_event"?`},
		{"writ", `did you mean "write"?`},
		{"create", "allow the tool, or correct its name"},
		{"y", "allow the tool, or correct its name"},
		{strings.Repeat("x", 10_000), "allow the tool, or correct its name"},
	} {
		policy := "tools: {allow: [list_events, create_event, x]}\naliases: {write: [create_event]}\nsequences: [{type: require, tool: " + test.operand + "}]\n"
		var fixes []string
		for _, f := range lint.Lint([]byte(policy), nil).Findings {
			if f.Rule == "not-allowed" {
				fixes = append(fixes, f.Fix)
			}
		}
		if !slices.Equal(fixes, []string{test.fix}) {
			t.Errorf("%.20s: %q, want %q", test.operand, fixes, test.fix)
		}
	}
}

// What was most likely meant is offered for each kind of name, and nothing where
// the names share no more than they differ.
func TestAFindingOffersTheNameThatIsNear(t *testing.T) {
	for _, test := range []struct{ name, rule, policy, fix string }{
		{"a duty", "lost-duty", "tools: {approval_required: [refnd]}\nschemas: {refund: true}\n",
			`did you mean "refund"? If it is another tool, name it under schemas or tool_classes too`},
		{"the nearest of several", "lost-duty", "tools: {approval_required: [reports]}\nschemas: {deports_x: true, report: true, repots_: true}\n",
			`did you mean "report"? If it is another tool, name it under schemas or tool_classes too`},
		{"a short operand of a rule", "not-allowed", "tools: {allow: [pay]}\nsequences: [{type: require, tool: a}]\n",
			"allow the tool, or correct its name"},
		{"a short operand of a rule that is near", "not-allowed", "tools: {allow: [pay]}\nsequences: [{type: require, tool: pya}]\n",
			`did you mean "pay"?`},
		{"a schema", "not-allowed", "tools: {allow: [refund]}\nschemas: {refnd: true}\n", `did you mean "refund"?`},
		{"a schema beside that of the near tool", "not-allowed", "tools: {allow: [get_user]}\nschemas: {get_user: true, get_users: true}\n",
			"allow the tool, or remove the entry"},
		{"a duty near nothing", "not-allowed", "tools: {allow: [pay], redact_args: [refund]}\n", "allow the tool, or remove the entry"},
		{"a class", "never-matches", "tool_classes: {rm: [destructive]}\ntools: {redact_args_classes: [destrutive]}\n", `did you mean "destructive"?`},
		{"a class by case", "never-matches", "tool_classes: {rm: [destructive]}\ntools: {deny_classes: [DESTRUCTIVE]}\n", `did you mean "destructive"?`},
		{"a class near nothing", "never-matches", "tool_classes: {rm: [bad]}\ntools: {deny_classes: [a]}\n",
			"give the class to its tools under tool_classes, or remove the entry"},
		{"a required property that cannot be", "contradiction", "schemas: {a: {required: [amout], properties: {amount: true}, additionalProperties: false}}\n",
			`did you mean "amount"?`},
		{"a required property that may be anything", "required-without-schema", "schemas: {a: {required: [amout], properties: {amount: true}}}\n",
			`did you mean "amount"?`},
		{"a required property beside the near one", "contradiction", "schemas: {a: {required: [user, users], properties: {user: true}, additionalProperties: false}}\n",
			"describe it under properties"},
		{"a required property without others", "contradiction", "schemas: {a: {required: [amout], additionalProperties: false}}\n",
			"describe it under properties"},
		{"ends the wrong way round", "contradiction", "schemas: {a: {minimum: 5, maximum: 3}}\n", "swap the two values, or correct one of them"},
		{"numbers for texts", "contradiction", "schemas: {a: {type: string, enum: [1, 2]}}\n", "put the values in quotation marks, or correct type"},
		{"texts for numbers", "contradiction", "schemas: {a: {type: number, enum: [\"1\"]}}\n", "write values of that type, or correct type"},
	} {
		var fixes []string
		for _, f := range lint.Lint([]byte(test.policy), nil).Findings {
			if f.Rule == test.rule {
				fixes = append(fixes, f.Fix)
			}
		}
		if !slices.Equal(fixes, []string{test.fix}) {
			t.Errorf("%s: %q, want %q", test.name, fixes, test.fix)
		}
	}
}

// A schema that does not compile says nothing for certain, so nothing else is
// said of it.
func TestASchemaThatDoesNotCompileHasNoOtherFindings(t *testing.T) {
	const advised = "{type: object, required: [y], properties: {x: {type: string, pattern: a, format: float}, X: {type: number, maxLength: 3}}%s}"
	rules := func(policy string) []string {
		found := []string{}
		for _, f := range lint.Lint([]byte(policy), nil).Findings {
			found = append(found, f.Rule)
		}
		return found
	}
	for _, test := range []struct {
		name, policy string
		broken       bool
	}{
		{"a schema", "tools: {allow: [a]}\nschemas:\n  a: " + fmt.Sprintf(advised, ", requird: [x]"), true},
		{"an argument beside it", "tools: {allow: [a], arg_constraints: {a: {z: {type: string}}}}\nschemas:\n  a: " + fmt.Sprintf(advised, ", requird: [x]"), true},
		{"a definition it refers to", "tools: {allow: [a]}\nschemas:\n  $defs: {d: {requird: [x]}}\n  a: " + fmt.Sprintf(advised, ", allOf: [{$ref: \"#/$defs/d\"}]"), true},
		{"a schema that compiles", "tools: {allow: [a]}\nschemas:\n  a: " + fmt.Sprintf(advised, ""), false},
		{"the schema of another tool", "tools: {allow: [a, b]}\nschemas:\n  b: {requird: [x]}\n  a: " + fmt.Sprintf(advised, ""), false},
	} {
		found := rules(test.policy + "\n")
		others := slices.DeleteFunc(found, func(rule string) bool { return rule == "schema-problem" })
		if (len(others) == 0) != test.broken {
			t.Errorf("%s: found %q", test.name, others)
		}
	}
}

func lines(findings []lint.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%d:%d %s %s %s [%s]\n", f.Line, f.Column, f.Path, f.Severity, f.Message, f.Rule)
	}
	return b.String()
}

// The rule "incomplete" has a test of its own.
func TestEveryRuleHasACaseThatItFindsAndOneItDoesNot(t *testing.T) {
	found, missed := map[string]bool{"incomplete": true}, map[string]bool{"incomplete": true}
	for _, test := range ruleCases {
		if len(test.want) > 0 {
			found[test.rule] = true
		} else {
			missed[test.rule] = true
		}
	}
	ids := []string{}
	for _, r := range lint.Rules() {
		if !found[r.ID] || !missed[r.ID] {
			t.Errorf("%s: a case that it finds: %v, one that it does not: %v", r.ID, found[r.ID], missed[r.ID])
		}
		if slices.Contains(ids, r.ID) || r.Summary == "" || r.Severity < lint.Note {
			t.Errorf("the rule %+v is not one", r)
		}
		ids = append(ids, r.ID)
	}
	for rule := range found {
		if !slices.Contains(ids, rule) {
			t.Errorf("there is no rule %s", rule)
		}
	}
}
