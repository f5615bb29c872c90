package main

import (
	"context"
	"io"
)

// The exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// command is what one word on the command line runs. args are those behind it.
type command func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int

// commands are the words that may stand first; without one of them, serve runs.
var commands = map[string]command{
	"serve": serve,
}

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		if c, ok := commands[args[0]]; ok {
			return c(ctx, args[1:], stdin, stdout, stderr)
		}
	}
	return serve(ctx, args, stdin, stdout, stderr)
}
