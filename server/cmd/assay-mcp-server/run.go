package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"example.com/assay/internal/slip"
)

// The exit codes. Serving ends with exitOK, exitError or exitUsage; a check
// ends with exitOK only for an allow without obligations.
const (
	exitOK     = 0
	exitError  = 1 // serve: stdin cannot be read, stdout cannot be written, or the policy root not opened
	exitDenied = 1 // check: a denial, or an allow with obligations
	exitUsage  = 2 // a flag, a variable or a word of the command line is wrong
	exitFailed = 3 // check: no decision could be made, or not be printed
)

// command is what one word on the command line runs. args are those behind it.
type command func(args []string, stdin io.Reader, stdout, stderr io.Writer) int

// commands are the words that may stand first; without a word, serve runs.
var commands = map[string]command{
	"serve":   serve,
	"check":   check,
	"lint":    lintCommand,
	"version": version,
	"help": func(_ []string, _ io.Reader, stdout, stderr io.Writer) int {
		return help(stdout, stderr, helpRoot)
	},
}

// run is the program: it returns the exit code. A word that is no command is
// refused: a misspelt one must not start a server that waits for input.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return serve(args, stdin, stdout, stderr)
	}
	c, ok := commands[args[0]]
	if !ok {
		known := slices.Sorted(maps.Keys(commands))
		return unknownWord(stderr, "command", args[0], known,
			"to serve the policies of a directory, name it with --policy-root DIR; the commands are "+strings.Join(known, ", "))
	}
	return c(args[1:], stdin, stdout, stderr)
}

// fail writes an error, and what to do about it unless that is empty, and
// returns code.
func fail(stderr io.Writer, code int, message, hint string) int {
	fmt.Fprintln(stderr, "error: "+printable(message))
	if hint != "" {
		fmt.Fprintln(stderr, "hint: "+printable(hint))
	}
	return code
}

// unknownWord refuses a word that is none of known. hint is for one that is near
// to none of them.
func unknownWord(stderr io.Writer, kind, word string, known []string, hint string) int {
	if near := nearest(word, known); near != "" {
		hint = "did you mean " + near + "?"
	}
	if len(word) > 64 {
		word = strings.ToValidUTF8(word[:64], "") + "…"
	}
	return fail(stderr, exitUsage, fmt.Sprintf("unknown %s %q", kind, word), hint)
}

// parseFlags parses args, of which nothing but flags may be left. helpText is
// the command's help: it names every flag, so a misspelt one is looked for
// there. instead holds hints for flags that the command does not have. done means
// that code is the exit code.
func parseFlags(flags *flag.FlagSet, args []string, stdout, stderr io.Writer, helpText string, instead map[string]string) (code int, done bool) {
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return help(stdout, stderr, helpText), true
	}
	if err != nil {
		message, hint := flagError(err, flags.Name(), helpText, instead)
		return fail(stderr, exitUsage, message, hint), true
	}
	if flags.NArg() > 0 {
		// What stands there may be half of somebody's arguments, so it is not
		// repeated.
		return fail(stderr, exitUsage, "there is a word on the command line that belongs to no flag",
			"name the policy with --policy FILE, and put a value with spaces into quotes for the shell, such as --args '{\"percent\": 20}'"), true
	}
	return exitOK, false
}

// flagsOf returns the flags of a help text: each begins a line.
func flagsOf(helpText string) (names []string) {
	helpFlag := regexp.MustCompile(`(?m)^  (--[a-z-]+)`)
	for _, match := range helpFlag.FindAllStringSubmatch(helpText, -1) {
		names = append(names, match[1])
	}
	return names
}

// flagError turns an error of package flag into a message and a hint. Values
// are left out of it. instead holds hints for flags that there are not.
func flagError(err error, name, helpText string, instead map[string]string) (message, hint string) {
	text := strings.TrimPrefix(err.Error(), "assay: ")
	hint = "see " + name + " --help"
	if given, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		given = "--" + given
		if strings.Trim(given, "-abcdefghijklmnopqrstuvwxyz") != "" || len(given) > 32 {
			return "unknown flag", hint
		}
		if better := instead[given]; better != "" {
			hint = better
		} else if near := nearest(given, flagsOf(helpText)); near != "" {
			hint = "did you mean " + near + "?"
		}
		return "unknown flag " + given, hint
	}
	if given, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return "flag --" + given + " needs a value", hint
	}
	if i := strings.LastIndex(text, " for flag -"); i >= 0 && strings.HasPrefix(text, "invalid value ") {
		return "flag --" + text[i+len(" for flag -"):], hint
	}
	if strings.HasPrefix(text, "invalid boolean value ") {
		return "a flag that takes no value has one", hint
	}
	if strings.HasPrefix(text, "bad flag syntax") {
		return "a word begins like a flag and is none", hint
	}
	if problem, advice, ok := cutLast(text, "; "); ok {
		return problem, advice
	}
	return text, hint
}

// cutLast is strings.Cut around the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// nearest returns the word of known that is most likely meant, or "".
func nearest(word string, known []string) string {
	slices.Sort(known)
	best, least := "", slip.Far
	for _, k := range known {
		d := slip.Count(word, k)
		if d < least && d < len(k) || best == "" && len(word) > 1 && strings.HasPrefix(k, word) {
			best, least = k, d
		}
	}
	return best
}

// printable returns text with everything escaped that could move a terminal's
// cursor, change its colours or turn the reading direction: names and keys come
// from models and files.
func printable(text string) string {
	if isPrintable(text) {
		return text
	}
	var out strings.Builder
	for i, r := range text {
		switch {
		case r == '\uFFFD' && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&out, `\x%02x`, text[i])
		case strconv.IsPrint(r):
			out.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&out, `\U%08x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// printableJSON returns the same JSON value with the escapes of JSON for what
// printable escapes. Outside of strings JSON has nothing of it but the space
// between values, which stays.
func printableJSON(text []byte) string {
	var out strings.Builder
	for _, r := range string(text) {
		switch {
		case strconv.IsPrint(r), r == '\n', r == '\t', r == '\r':
			out.WriteRune(r) // of a byte that is no UTF-8 it is U+FFFD
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

func isPrintable(text string) bool {
	for i, r := range text {
		if !strconv.IsPrint(r) || r == '\uFFFD' && !strings.HasPrefix(text[i:], "\uFFFD") {
			return false
		}
	}
	return true
}
