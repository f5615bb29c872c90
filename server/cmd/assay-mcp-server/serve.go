package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"example.com/assay/server"
)

// serve answers requests on stdin until it ends.
func serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	settings, err := server.ParseSettings(args, os.Environ(), stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(stderr, err)
		return exitUsage
	case settings.Version:
		fmt.Fprintln(stdout, server.Version())
		return exitOK
	}
	tuneMemory()
	log := server.NewLog(stderr, settings.LogLevel)
	defer log.Close()
	s, err := server.New(settings.PolicyRoot, &server.Options{
		Limits:       settings.Limits,
		SuggestFixes: settings.SuggestFixes,
		Logger:       log.Logger,
	})
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitError
	}
	defer s.Close()
	if err := s.Serve(ctx, stdin, stdout); err != nil {
		log.Error("stopped", "error", err.Error())
		return exitError
	}
	return exitOK
}

// tuneMemory trades memory, within bounds, for fewer collections: most of what
// a call allocates is garbage when it is answered. GOGC and GOMEMLIMIT win.
func tuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(768 << 20)
	}
}
