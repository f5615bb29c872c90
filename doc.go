// Package assay is the root of a module that decides, before an AI agent's tool
// call runs, whether a policy allows it.
//
// A policy file says which tools an agent may call, with which arguments, in
// which order, and what a caller owes before a call may run. It is compiled once
// into an immutable [example.com/assay/assay.Policy], and three questions are
// answered from it, in the same process or over MCP:
//
//	CheckArgs       are this tool and these arguments allowed?
//	CheckSequence   may this call come after the calls so far?
//	PolicyDecide    is this name on the file's blocklist?
//
// Every way to fail is a denial: no policy, malformed JSON, a schema that does
// not say what it seems to say, a budget that is used up. An allow is a
// statement about the input, never proof that anything ran.
//
// # Where things are
//
//	examples ─┐
//	          ├─> server ──> assay ──> args, sequence, blocklist     (engines)
//	your agent ───────────────┘   │         └──> internal/strictjson, internal/ecma
//	                              └──> internal/policydoc (bytes -> values with positions)
//
// Imports run to the right only; a test beside this file pins them.
//
//	assay/                       the library: Spec, Policy, Call, Decision, the checks, Session
//	assay/args                   names, classes, pins, limits and each tool's schemas
//	assay/sequence               the rules about order, one file a kind
//	assay/blocklist              exact names
//	assay/internal/schema        one JSON Schema: what it may say, and what a value breaks
//	assay/internal/strictjson    JSON that two readers cannot read in two ways; exact numbers
//	assay/internal/ecma          patterns by ECMA-262
//	assay/internal/policydoc     a policy's text as a tree with lines and columns
//	assay/internal/nametable     one quick look for what is known of a tool's name
//	assay/lint                   what a policy file says but cannot mean
//	internal/jsonpointer         the tokens of JSON Pointers
//	internal/slip                how near a misspelt word is to the one that was meant
//	internal/stop                how the server and the command end a check early
//	internal/race                tells tests whether the race detector is on
//	server/                      the MCP shell: tools, payloads, transport, limits, policy store
//	server/cmd/assay-mcp-server  the command
//	examples/                    programs and policies to begin with
//	difftest/, bench/            modules of their own: second opinions, and measurements beside peers
//
// Start with [example.com/assay/assay]. Nothing but the server and what runs it
// imports an MCP package, so a program that only needs decisions has no protocol
// in it.
package assay
