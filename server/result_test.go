package server

import (
	"encoding/json"
	"testing"
)

func TestTheFixedAnswersAreThoseOfThePayloads(t *testing.T) {
	for _, test := range []struct {
		payload any
		fixed   json.RawMessage
	}{
		{checkArgsPayload{Allowed: true, Violations: []argViolation{}, SuggestedFix: &suggestedFix{}}, plainAllow},
		{checkSequencePayload{Allowed: true, Violations: []sequenceViolation{}, SuggestedFix: &suggestedFix{}}, plainAllow},
		{policyDecidePayload{Allowed: true, Reason: "Allowed by policy"}, plainDecide},
	} {
		if text := newResult(test.payload, false).payload; string(text) != string(test.fixed) {
			t.Errorf("%T is %s, fixed %s", test.payload, text, test.fixed)
		}
	}
}
