// Command assay-mcp-server answers over MCP on stdio whether a policy allows a
// tool call.
//
//	assay-mcp-server --policy-root DIR
//
// See --help for the limits. It exits with 0 when the client closes stdin or
// after SIGTERM or SIGINT, with 1 when it cannot write or cannot open the
// policy root, and with 2 when a flag or a variable is wrong.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Without this a closed stdout or stderr would kill the process, instead of
	// being an error of the write.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
