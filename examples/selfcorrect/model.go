package main

import (
	"encoding/json"
	"regexp"
	"strings"

	"example.com/assay/assay"
)

// model is the script that plays a language model. It starts from wrong calls
// and changes them by nothing but the suggestions of a denial.
type model struct {
	goal string
	plan []assay.Call // the calls it wants to make, the next one first
}

// script is what the agent is asked to do, and how the model gets it wrong.
func script() []*model {
	return []*model{
		{
			goal: "refund 450 euros on ticket T-1042",
			plan: []assay.Call{
				{Tool: "refund", Arguments: json.RawMessage(`{"ticket":"T-1042","amount":"450","currency":"euro"}`)},
			},
		},
		{
			goal: "refund the rest in a second call",
			plan: []assay.Call{
				{Tool: "refund", Arguments: json.RawMessage(`{"ticket":"T-1042","amount":200,"currency":"EUR"}`)},
			},
		},
		{
			goal: "look for other tickets, then for all of them",
			plan: []assay.Call{
				{Tool: "search_tickets", Arguments: json.RawMessage(`{"query":"refund"}`)},
				{Tool: "search_tickets", Arguments: json.RawMessage(`{"query":"refund","limit":5000}`)},
			},
		},
		{
			goal: "delete the customer's data",
			plan: []assay.Call{
				{Tool: "delete_customer", Arguments: json.RawMessage(`{"ticket":"T-1042"}`)},
			},
		},
	}
}

// propose returns the next call that the model wants to make.
func (m *model) propose() (assay.Call, bool) {
	if len(m.plan) == 0 {
		return assay.Call{}, false
	}
	return m.plan[0], true
}

// ran tells the model that the call it proposed was executed.
func (m *model) ran(assay.Call) { m.plan = m.plan[1:] }

// denied tells the model why its call was refused. It reports whether the model
// has another idea.
func (m *model) denied(call assay.Call, d assay.Decision) bool {
	var arguments map[string]any
	if json.Unmarshal(call.Arguments, &arguments) != nil {
		return false
	}
	for _, v := range d.Violations {
		switch v.Constraint {
		case "before":
			// Make the missing call first, and ask again afterwards.
			tool, ok := toolIn(v.Suggestion)
			if !ok {
				return false
			}
			m.plan = append([]assay.Call{{Tool: tool, Arguments: onlyTicket(arguments)}}, m.plan...)
			return true
		case "type":
			text, ok := arguments[strings.TrimPrefix(v.Path, "/")].(string)
			if !ok || v.Suggestion != "use a number" {
				return false
			}
			arguments[strings.TrimPrefix(v.Path, "/")] = json.Number(text)
		case "maximum":
			limit, ok := strings.CutPrefix(v.Suggestion, "use a number <= ")
			if !ok {
				return false
			}
			arguments[strings.TrimPrefix(v.Path, "/")] = json.Number(limit)
		case "enum":
			member := quoted.FindStringSubmatch(v.Suggestion)
			if member == nil {
				return false
			}
			arguments[strings.TrimPrefix(v.Path, "/")] = member[1]
		default:
			return false // nothing that this model could repair
		}
	}
	mended, err := json.Marshal(arguments)
	if err != nil {
		return false
	}
	m.plan[0].Arguments = mended
	return true
}

var quoted = regexp.MustCompile(`"([^"]*)"`)

// toolIn finds the name of a tool that a suggestion says to call.
func toolIn(suggestion string) (string, bool) {
	name := quoted.FindStringSubmatch(suggestion)
	if name == nil || !strings.HasPrefix(suggestion, "call ") {
		return "", false
	}
	return name[1], true
}

// onlyTicket keeps the one argument that the tools share.
func onlyTicket(arguments map[string]any) json.RawMessage {
	text, err := json.Marshal(map[string]any{"ticket": arguments["ticket"]})
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return text
}
