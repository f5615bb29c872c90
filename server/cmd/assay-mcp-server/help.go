package main

import (
	"io"
	"slices"

	"example.com/assay/server"
)

// help prints text.
func help(stdout, stderr io.Writer, text string) int {
	return output(stdout, stderr, text, exitOK, exitError)
}

// version prints the version of this build, and takes nothing else.
func version(args []string, _ io.Reader, stdout, stderr io.Writer) int {
	switch {
	case len(args) == 0:
		return output(stdout, stderr, server.Version()+"\n", exitOK, exitError)
	case slices.Contains([]string{"--help", "-help", "-h"}, args[0]):
		return help(stdout, stderr, helpRoot)
	}
	return fail(stderr, exitUsage, "version takes nothing behind it", "see assay-mcp-server --help")
}

// output writes text and returns code, or failed where it cannot.
func output(stdout, stderr io.Writer, text string, code, failed int) int {
	if _, err := io.WriteString(stdout, text); err != nil {
		return fail(stderr, failed, "cannot write to stdout: "+err.Error(), "")
	}
	return code
}

const helpRoot = `assay-mcp-server decides whether a policy allows a tool call of an AI agent.

Usage:
  assay-mcp-server [serve] [flags]  serve MCP on stdin and stdout
  assay-mcp-server check QUESTION   ask one question: args, sequence or decide
  assay-mcp-server lint FILE...     look for mistakes in policy files
  assay-mcp-server version          print the version of this build
  assay-mcp-server help             this text

Each command has its own --help.

Examples:
  assay-mcp-server --policy-root examples/policies
  assay-mcp-server check args --policy examples/policies/discounts.yaml \
      --tool apply_discount --args '{"percent": 20}'
  assay-mcp-server lint examples/policies/discounts.yaml

Flags of the server:
  --policy-root DIR    the directory that holds the policies (default policies)
  --suggest-fixes      offer arguments that would pass with a denial
  --log-level LEVEL    debug, info, warn or error (ASSAY_LOG, default info)
  --help               this text
  --version            the version of this build

Limits, each a positive number. A flag wins over its variable:
  flag                 variable                    default
  --timeout            ASSAY_MCP_TIMEOUT_MS        2000       milliseconds that one tool call may run
  --max-message-bytes  ASSAY_MCP_MAX_BYTES         1000000    one message, without its newline
  --max-field-bytes    ASSAY_MCP_MAX_FIELD_BYTES   64000      a name, a path, or the arguments
  --max-history        ASSAY_MCP_MAX_TOOL_CALLS    2000       calls in a history
  --max-policy-bytes   ASSAY_MCP_MAX_POLICY_BYTES  1000000    one policy file
  --cache-entries      ASSAY_MCP_CACHE_ENTRIES     128        compiled policies that are kept
  --cache-bytes        ASSAY_MCP_CACHE_BYTES       256000000  their estimated size
  --max-concurrency    ASSAY_MCP_MAX_CONCURRENCY   CPUs       tool calls that run at once (at least 2)

The server does not start where a variable ASSAY_AUTH_* is set: stdio has no
authentication, and one that is configured must not be absent silently.

Exit codes of the server:
  0  stdin ended, or SIGTERM or SIGINT came, and what was asked is answered
  1  stdin cannot be read, stdout cannot be written, or the policy root cannot be opened
  2  a flag or a variable is wrong
`

const helpCheck = `assay-mcp-server check asks a policy file one question and prints the decision.

Usage:
  assay-mcp-server check args      may this tool be called with these arguments?
  assay-mcp-server check sequence  may this tool be called next, after these calls?
  assay-mcp-server check decide    is this tool's name off the blocklist?

Example:
  assay-mcp-server check args --policy examples/policies/discounts.yaml \
      --tool apply_discount --args '{"percent": 20}'

Each question has its own --help.
` + helpExits

const helpArgs = `assay-mcp-server check args asks whether a policy allows a call by its name and arguments.

Usage:
  assay-mcp-server check args --policy FILE --tool NAME [flags]

Example:
  assay-mcp-server check args --policy examples/policies/discounts.yaml \
      --tool apply_discount --args '{"percent": 20}'

Flags:
  --policy FILE      the policy
  --tool NAME        the tool that is about to be called
  --args JSON        its arguments, judged byte for byte as they are given (default {})
  --identity JSON    what the tool is at run time, for a policy with tool_pins: an object
                     of server_id, tool_name, schema_hash and meta_hash
  --suggest-fixes    offer arguments that would pass with a denial
` + helpCommon

const helpSequence = `assay-mcp-server check sequence asks whether a policy allows a tool to be called next.

Usage:
  assay-mcp-server check sequence --policy FILE --history JSON --next NAME [flags]

Example:
  assay-mcp-server check sequence --policy examples/policies/sequence.yaml \
      --history '["verify_identity"]' --next delete_customer

Flags:
  --policy FILE      the policy
  --history JSON     the calls so far, oldest first: a list of names, or of objects such as
                     {"tool": "verify_identity", "arguments": {"ticket": "T-1"}}
  --next NAME        the tool that is about to be called
  --next-args JSON   its arguments, for rules that look at arguments (default: unknown)
` + helpCommon

const helpDecide = `assay-mcp-server check decide asks whether a tool's name is off a blocklist.
The policy may hold nothing else; for every other policy ask check args.

Usage:
  assay-mcp-server check decide --policy FILE --tool NAME [flags]

Example:
  assay-mcp-server check decide --policy examples/policies/blocklist.yaml --tool rm

Flags:
  --policy FILE      the policy
  --tool NAME        the tool that is about to be called
` + helpCommon

const helpCommon = `  --json             print what the server's tool answers, as one line of JSON
  --timeout MS       milliseconds that compiling the policy and deciding may take
                     (default 10000)
  --max-policy-bytes N
                     the largest policy file (default 1000000)
  --help             this text

Where a flag takes JSON, @FILE reads it from a file and - from stdin, up to
1000000 bytes. Colours are used on a terminal only, and not with NO_COLOR.
` + helpExits

const helpExits = `
Exit codes:
  0  allowed
  1  denied, or allowed with obligations that are still to be met
  2  the command line is wrong
  3  no decision: the policy, the input or the tool's schema is broken, or a limit
     or the time was exceeded. The call must not run.
`
