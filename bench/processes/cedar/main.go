// Command cedar reads a Cedar policy file, decides about one call by it and
// prints the verdict.
//
//	cedar POLICY TOOL ARGUMENTS
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/cedar-policy/cedar-go"
)

func main() {
	decision, err := decide(os.Args[1], os.Args[2], os.Args[3])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	fmt.Println(decision)
	if decision != cedar.Allow {
		os.Exit(1)
	}
}

func decide(file, tool, arguments string) (cedar.Decision, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return cedar.Deny, err
	}
	policies, err := cedar.NewPolicySetFromBytes(file, text)
	if err != nil {
		return cedar.Deny, err
	}
	var context cedar.Record
	if err := json.Unmarshal([]byte(arguments), &context); err != nil {
		return cedar.Deny, err
	}
	decision, _ := cedar.Authorize(policies, cedar.EntityMap{}, cedar.Request{
		Principal: cedar.NewEntityUID("Agent", "a"),
		Action:    cedar.NewEntityUID("Action", "call"),
		Resource:  cedar.NewEntityUID("Tool", cedar.String(tool)),
		Context:   context,
	})
	return decision, nil
}
