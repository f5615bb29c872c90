// Command assay-mcp-server answers over MCP on stdio whether a policy allows a
// tool call.
//
//	assay-mcp-server [serve] --policy-root DIR  serve
//	assay-mcp-server check args --policy FILE … ask one question at a terminal
//	assay-mcp-server lint FILE …                look for mistakes in policies
//	assay-mcp-server version                    print the version of this build
//
// See --help for the flags, variables, limits and exit codes.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Without this a closed stdout or stderr would kill the process, instead of
	// being an error of the write.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
