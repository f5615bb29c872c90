package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"example.com/assay/server"
)

// logPatience is how long the end of the process waits for a slow reader of the
// log.
const logPatience = 200 * time.Millisecond

// patienceAfter is logPatience so long after a signal: the log has no more than
// the answers leave of the time limit.
func patienceAfter(since time.Duration, limits server.Limits) time.Duration {
	timeout := time.Duration(limits.TimeoutMS) * time.Millisecond
	return max(0, min(logPatience, timeout-since))
}

// serve answers requests on stdin until it ends, or until SIGTERM or SIGINT.
func serve(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// Help and the version are there whatever the environment holds.
	settings, err := server.ParseSettings(args, nil, io.Discard)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return help(stdout, stderr, helpRoot)
	case err == nil && settings.Version:
		return version(nil, stdin, stdout, stderr)
	case err == nil:
		settings, err = server.ParseSettings(args, os.Environ(), io.Discard)
	}
	if err != nil {
		message, hint := flagError(err, "assay-mcp-server", helpRoot, nil)
		return fail(stderr, exitUsage, message, hint)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	tuneMemory()
	log := server.NewLog(stderr, settings.LogLevel)
	signalled := make(chan time.Time, 1)
	context.AfterFunc(ctx, func() { signalled <- time.Now() })
	defer func() {
		if ctx.Err() == nil {
			log.Close(logPatience)
		} else {
			log.Close(patienceAfter(time.Since(<-signalled), settings.Limits))
		}
	}()
	s, err := server.New(settings.PolicyRoot, &server.Options{
		Limits:       settings.Limits,
		SuggestFixes: settings.SuggestFixes,
		Logger:       log.Logger,
	})
	if err != nil {
		return fail(stderr, exitError, strings.TrimPrefix(err.Error(), "assay: "),
			"name a directory that exists with --policy-root DIR; without the flag it is policies below the working directory")
	}
	defer s.Close()
	if err := s.Serve(ctx, stdin, stdout); err != nil {
		log.Error("stopped", "error", err.Error())
		return exitError
	}
	return exitOK
}
