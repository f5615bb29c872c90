// Command bench makes the same decisions with assay, with a program written by
// hand for each of them, and with other policy and schema engines, and prints
// what each one costs.
//
//	go run . [-rounds 15] [-only REGEXP] [-json]
//
// Every contestant first has to give the right answer for a call that is to be
// allowed and for one that is to be denied; a wrong one ends the run. What is
// measured is CPU time of the whole process, user and system, so that garbage
// collection counts for whoever made the garbage. The contestants of a row take
// turns, each in slices of a few milliseconds, and the rows take turns as well,
// so that a busy minute of the machine does not fall on one of them. The table
// shows medians; a ratio is the median of the ratios of slices that stood side
// by side.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code: 2 for a wrong command line, 1 for a wrong answer
// of a contestant or a measurement that could not be made.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	rounds := flags.Int("rounds", 15, "how many times each contestant is timed")
	only := flags.String("only", "", "measure the rows whose name matches this regular expression")
	asJSON := flags.Bool("json", false, "print JSON instead of tables")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	wanted, err := regexp.Compile(*only)
	if err != nil || *rounds < 1 || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "bench: usage: bench [-rounds N] [-only REGEXP] [-json], N at least 1")
		return 2
	}
	report, err := measureAll(wanted, *rounds, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	if *asJSON {
		out := json.NewEncoder(stdout)
		out.SetIndent("", "  ")
		err = out.Encode(report)
	} else {
		err = report.print(stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

// measureAll measures the wanted rows of every group.
func measureAll(wanted *regexp.Regexp, rounds int, progress io.Writer) (*report, error) {
	r := newReport(rounds)
	var err error
	if r.Decisions, err = measureRows(decisionRows(), wanted, rounds, progress); err != nil {
		return nil, err
	}
	if r.Processes, err = measureProcesses(wanted, rounds, progress); err != nil {
		return nil, err
	}
	if r.Memory, err = measureMemory(wanted, progress); err != nil {
		return nil, err
	}
	return r, nil
}

// decisionRows are the rows of the first table, in its order.
func decisionRows() []row {
	var rows []row
	for _, group := range [][]row{nameRows(), argumentRows(), sequenceRows(), sessionRows(), patternRows(), loadRows()} {
		rows = append(rows, group...)
	}
	return rows
}
