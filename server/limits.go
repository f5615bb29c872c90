package server

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits bound what one server takes in and how long it works. Every limit is
// inclusive: exactly that much passes. A field that is not positive means its
// default.
type Limits struct {
	TimeoutMS    int // how long one tool call may run, in milliseconds; default 2,000
	MessageBytes int // one message, without its newline; default 1,000,000
	FieldBytes   int // a name, a path, the arguments as sent; default 64,000
	History      int // calls in a history; default 2,000
	PolicyBytes  int // a policy file; default 1,000,000
	CacheEntries int // compiled policies that are kept; default 128
	CacheBytes   int // their estimated compiled size; default 256,000,000
	Concurrency  int // tool calls that run at once; default the CPUs, at least 2
}

func (l Limits) timeout() time.Duration { return time.Duration(l.TimeoutMS) * time.Millisecond }

// limit ties a field of Limits to the variable and the flag that set it.
type limit struct {
	variable, flag, usage string
	standard              int
	field                 func(*Limits) *int
}

var limits = []limit{
	{"ASSAY_MCP_TIMEOUT_MS", "timeout", "how long one tool call may run, in `milliseconds`",
		2_000, func(l *Limits) *int { return &l.TimeoutMS }},
	{"ASSAY_MCP_MAX_BYTES", "max-message-bytes", "the longest message, in `bytes` without its newline",
		1_000_000, func(l *Limits) *int { return &l.MessageBytes }},
	{"ASSAY_MCP_MAX_FIELD_BYTES", "max-field-bytes", "the longest name, path or arguments, in `bytes`",
		64_000, func(l *Limits) *int { return &l.FieldBytes }},
	{"ASSAY_MCP_MAX_TOOL_CALLS", "max-history", "the most `calls` in a history",
		2_000, func(l *Limits) *int { return &l.History }},
	{"ASSAY_MCP_MAX_POLICY_BYTES", "max-policy-bytes", "the largest policy file, in `bytes`",
		1_000_000, func(l *Limits) *int { return &l.PolicyBytes }},
	{"ASSAY_MCP_CACHE_ENTRIES", "cache-entries", "the most compiled `policies` that are kept",
		128, func(l *Limits) *int { return &l.CacheEntries }},
	{"ASSAY_MCP_CACHE_BYTES", "cache-bytes", "the most memory that they take, by estimate, in `bytes`",
		256_000_000, func(l *Limits) *int { return &l.CacheBytes }},
	{"ASSAY_MCP_MAX_CONCURRENCY", "max-concurrency", "the most tool `calls` that run at once",
		max(2, runtime.NumCPU()), func(l *Limits) *int { return &l.Concurrency }},
}

// orDefault returns l with a default in every field that is not positive.
func (l Limits) orDefault() Limits {
	for _, limit := range limits {
		if field := limit.field(&l); *field <= 0 {
			*field = limit.standard
		}
	}
	return l
}

// Settings are what an operator tells the server, by flags and variables.
type Settings struct {
	PolicyRoot   string
	SuggestFixes bool
	LogLevel     slog.Level
	Limits       Limits
	Version      bool // print the version instead of serving
}

// ParseSettings reads the flags in args and the variables in environ, which
// holds NAME=value as os.Environ does. A flag wins over a variable. A value
// that is no positive number, an unknown flag, an argument that is none and any
// ASSAY_AUTH_* variable are errors; they name the variable or the flag, and
// never the value of an ASSAY_AUTH_* variable. Usage goes to output;
// flag.ErrHelp means that args asked for it.
func ParseSettings(args, environ []string, output io.Writer) (Settings, error) {
	if err := refuseAuth(environ); err != nil {
		return Settings{}, err
	}
	s := Settings{PolicyRoot: "policies", LogLevel: slog.LevelInfo, Limits: Limits{}.orDefault()}
	for _, limit := range limits {
		if value, ok := variable(environ, limit.variable); ok {
			if err := setPositive(limit.field(&s.Limits), value); err != nil {
				return Settings{}, fmt.Errorf("assay: %s: %w", limit.variable, err)
			}
		}
	}
	if value, ok := variable(environ, "ASSAY_LOG"); ok {
		if err := setLevel(&s.LogLevel, value); err != nil {
			return Settings{}, fmt.Errorf("assay: ASSAY_LOG: %w", err)
		}
	}

	flags := flag.NewFlagSet("assay-mcp-server", flag.ContinueOnError)
	flags.SetOutput(output)
	flags.StringVar(&s.PolicyRoot, "policy-root", s.PolicyRoot, "the `directory` that holds the policies")
	flags.BoolVar(&s.SuggestFixes, "suggest-fixes", false, "offer arguments that would pass with a denial")
	flags.BoolVar(&s.Version, "version", false, "print the version and exit")
	flags.Func("log-level", "the least `level` that is logged: debug, info, warn or error (variable ASSAY_LOG, default info)",
		func(value string) error { return setLevel(&s.LogLevel, value) })
	for _, limit := range limits {
		usage := fmt.Sprintf("%s (variable %s, default %d)", limit.usage, limit.variable, limit.standard)
		flags.Func(limit.flag, usage, func(value string) error {
			return setPositive(limit.field(&s.Limits), value)
		})
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return Settings{}, err
		}
		return Settings{}, fmt.Errorf("assay: %w", err)
	}
	if flags.NArg() > 0 {
		return Settings{}, fmt.Errorf("assay: unexpected argument %q; a command stands first, and the directory is named with --policy-root DIR", flags.Arg(0))
	}
	return s, nil
}

// refuseAuth refuses a configured authentication: over stdio there is none, so
// it would be absent without anybody noticing.
func refuseAuth(environ []string) error {
	var names []string
	for _, entry := range environ {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "ASSAY_AUTH_") {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil
	}
	slices.Sort(names)
	return fmt.Errorf("assay: %s: stdio has no authentication; unset what configures it", strings.Join(names, ", "))
}

// variable returns the value that counts, which is the last one.
func variable(environ []string, name string) (value string, ok bool) {
	for _, entry := range environ {
		if n, v, found := strings.Cut(entry, "="); found && n == name {
			value, ok = v, true
		}
	}
	return value, ok
}

// maxLimit keeps every sum and product of limits far from overflow.
const maxLimit = 1 << 40

func setPositive(field *int, value string) error {
	n, err := strconv.ParseUint(value, 10, strconv.IntSize-1)
	if err != nil || n == 0 || n > maxLimit {
		return errors.New("want a positive number, in digits")
	}
	*field = int(n)
	return nil
}

func setLevel(level *slog.Level, value string) error {
	switch value {
	case "debug":
		*level = slog.LevelDebug
	case "info":
		*level = slog.LevelInfo
	case "warn":
		*level = slog.LevelWarn
	case "error":
		*level = slog.LevelError
	default:
		return errors.New("want debug, info, warn or error")
	}
	return nil
}
