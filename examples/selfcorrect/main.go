// Selfcorrect shows an agent that asks a policy before every tool call and
// mends its call by the answer. No model and no network: a script plays the
// model and is wrong on purpose.
//
//	go run ./examples/selfcorrect
package main

import (
	"fmt"
	"io"
	"os"

	"example.com/assay/assay"
	"example.com/assay/examples/policies"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run tells the whole story to w.
func run(w io.Writer) error {
	policy, err := assay.ParseFS(policies.FS, "support-agent.yaml", &assay.Options{Strict: true})
	if err != nil {
		return err
	}
	a := &agent{policy: policy, out: w}
	fmt.Fprintln(w, "A support agent asks examples/policies/support-agent.yaml before every tool call.")
	for i, m := range script() {
		fmt.Fprintf(w, "\nTask %d: %s\n", i+1, m.goal)
		a.work(m)
	}
	list(w, "What ran", a.outcomes)
	list(w, "What was denied", a.denials)
	return nil
}

func list(w io.Writer, title string, lines []string) {
	fmt.Fprintf(w, "\n%s:\n", title)
	for _, line := range lines {
		fmt.Fprintln(w, "  "+line)
	}
}
