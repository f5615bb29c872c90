package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"example.com/assay/assay"
	"example.com/assay/examples/policies"
)

func newAgent(t *testing.T) *agent {
	t.Helper()
	policy, err := assay.ParseFS(policies.FS, "support-agent.yaml", &assay.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	return &agent{policy: policy, out: new(bytes.Buffer)}
}

func TestAnAllowIsForTheBytesThatWereDecided(t *testing.T) {
	a := newAgent(t)
	call := assay.Call{Tool: "search_tickets", Arguments: json.RawMessage(`{"query":"ab"}`)}
	c, d := a.decide(call)
	if c == nil {
		t.Fatalf("denied: %v", d.Err())
	}
	copy(call.Arguments, `{"query":1234}`) // the caller changes what it asked about
	a.run(c)
	if got := string(a.history[0].Arguments); got != `{"query":"ab"}` {
		t.Errorf("ran %s, decided {\"query\":\"ab\"}", got)
	}
}

func TestARefusedCallNeverRuns(t *testing.T) {
	a := newAgent(t)
	for _, call := range []assay.Call{
		{Tool: "drop_database"},
		{Tool: "refund", Arguments: json.RawMessage(`{"ticket":"T-1","amount":201,"currency":"EUR"}`)},
		{Tool: "refund", Arguments: json.RawMessage(`{"ticket":"T-1","amount":"200","currency":"EUR"}`)},
		{Tool: "read_ticket", Arguments: json.RawMessage(`{"ticket":"T-1","ticket":"T-2"}`)},
	} {
		if c, d := a.decide(call); c != nil || d.Err() == nil {
			t.Errorf("%s %s was cleared", call.Tool, call.Arguments)
		}
		refused := fmt.Sprintf("%s %s", call.Tool, call.Arguments)
		a.work(&model{plan: []assay.Call{call}})
		// The model may mend a call; what it must never see run is the call that was refused.
		if slices.Contains(a.outcomes, refused) {
			t.Errorf("ran %s", refused)
		}
	}
}

func TestAnObligationStopsTheAgent(t *testing.T) {
	a := newAgent(t)
	a.history = []assay.Call{{Tool: "verify_identity"}}
	a.work(&model{plan: []assay.Call{{Tool: "delete_customer", Arguments: json.RawMessage(`{"ticket":"T-1"}`)}}})
	if len(a.outcomes) != 0 {
		t.Errorf("ran without approval: %q", a.outcomes)
	}
	if len(a.denials) != 0 {
		t.Errorf("logged as a denial: %q", a.denials)
	}
}

func TestTriesAreBounded(t *testing.T) {
	a := newAgent(t)
	wish := assay.Call{Tool: "search_tickets", Arguments: json.RawMessage(`{"query":"ab"}`)}
	m := &model{}
	for range 2 * maxTries {
		m.plan = append(m.plan, wish)
	}
	a.work(m)
	if len(a.outcomes) != maxTries {
		t.Errorf("made %d tries, want %d", len(a.outcomes), maxTries)
	}
}

func Example() {
	if err := run(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// A support agent asks examples/policies/support-agent.yaml before every tool call.
	//
	// Task 1: refund 450 euros on ticket T-1042
	//   1.  refund {"ticket":"T-1042","amount":"450","currency":"euro"}
	//       denied, E_ARG_SCHEMA
	//         /amount: the value must be a number
	//           -> use a number
	//         /currency: the value must be one of "EUR", "USD", "GBP"
	//           -> use one of "EUR", "USD", "GBP"
	//   2.  refund {"amount":450,"currency":"EUR","ticket":"T-1042"}
	//       denied, E_ARG_SCHEMA
	//         /amount: the number must be <= 200
	//           -> use a number <= 200
	//   3.  refund {"amount":200,"currency":"EUR","ticket":"T-1042"}
	//       denied, E_SEQUENCE
	//         rule before:verify_identity->refund: "refund" was called without an earlier call of "verify_identity"
	//           -> call "verify_identity" before "refund"
	//   4.  verify_identity {"ticket":"T-1042"}
	//       allowed, and it ran
	//   5.  refund {"amount":200,"currency":"EUR","ticket":"T-1042"}
	//       allowed, and it ran
	//
	// Task 2: refund the rest in a second call
	//   1.  refund {"ticket":"T-1042","amount":200,"currency":"EUR"}
	//       denied, E_SEQUENCE
	//         rule max_calls:refund<=1: "refund" was called 2 times; at most 1 allowed
	//           -> do not call "refund" any more
	//       the agent gives up: it knows no other call that serves the task
	//
	// Task 3: look for other tickets, then for all of them
	//   1.  search_tickets {"query":"refund"}
	//       allowed, and it ran
	//   2.  search_tickets {"query":"refund","limit":5000}
	//       denied, E_ARG_SCHEMA
	//         /limit: the number must be <= 50
	//           -> use a number <= 50
	//   3.  search_tickets {"limit":50,"query":"refund"}
	//       allowed, and it ran
	//
	// Task 4: delete the customer's data
	//   1.  delete_customer {"ticket":"T-1042"}
	//       allowed, but not yet: approval_required
	//       the agent stops here; a person has to decide
	//
	// What ran:
	//   verify_identity {"ticket":"T-1042"}
	//   refund {"amount":200,"currency":"EUR","ticket":"T-1042"}
	//   search_tickets {"query":"refund"}
	//   search_tickets {"limit":50,"query":"refund"}
	//
	// What was denied:
	//   refund: E_ARG_SCHEMA
	//   refund: E_ARG_SCHEMA
	//   refund: E_SEQUENCE
	//   refund: E_SEQUENCE
	//   search_tickets: E_ARG_SCHEMA
}
