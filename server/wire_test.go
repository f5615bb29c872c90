package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const ping = `{"jsonrpc":"2.0","id":"ping","method":"ping"}`
const pong = `{"jsonrpc":"2.0","id":"ping","result":{}}`

// decide is a call that is allowed by the policy of namesRoot, with the id as
// written.
func decide(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"assay_policy_decide","arguments":{"tool":"ls","policy":"names.yaml"}}}`
}

const allowed = `"result":{"content":[{"type":"text","text":"{\"allowed\":true,\"reason\":\"Allowed by policy\"}"}],"structuredContent":{"allowed":true,"reason":"Allowed by policy"},"isError":false}`

// failedWith is the result of a call that has no decision.
func failedWith(code, message string) string {
	payload := `{"allowed":false,"error":{"code":` + strconv.Quote(code) + `,"message":` + strconv.Quote(message) + `}}`
	return `"result":{"content":[{"type":"text","text":` + strconv.Quote(payload) + `}],"structuredContent":` + payload + `,"isError":true}`
}

func respond(id, result string) string { return `{"jsonrpc":"2.0","id":` + id + `,` + result + `}` }

func refused(code int, message string) string {
	return fmt.Sprintf(`"error":{"code":%d,"message":%q}`, code, message)
}

func namesRoot(t testing.TB) string {
	return policyRoot(t, map[string]string{"names.yaml": "blocklist: [rm]\n"})
}

func TestAnAllowSaysIsErrorFalseAndADenialTrue(t *testing.T) {
	p := startServer(t, namesRoot(t))
	p.send(decide("1"))
	if got, want := p.receive(), respond("1", allowed); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p.send(strings.Replace(decide("2"), `"ls"`, `"rm"`, 1))
	want := respond("2", `"result":{"content":[{"type":"text","text":"{\"allowed\":false,\"matches\":[\"Tool 'rm' is blocked by policy\"]}"}],"structuredContent":{"allowed":false,"matches":["Tool 'rm' is blocked by policy"]},"isError":true}`)
	if got := p.receive(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLinesThatGetNoResponse(t *testing.T) {
	call := decide("1")
	nested := func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"ping","x":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`
	}
	lines := map[string]string{
		"an empty line":                      "",
		"spaces":                             "  \t ",
		"no JSON":                            "hello",
		"an object that does not end":        call[:len(call)-1],
		"something behind the object":        call + "x",
		"two objects":                        call + call,
		"a comma too many":                   call[:len(call)-1] + ",}",
		"a control character in a string":    `{"jsonrpc":"2.0","id":"` + "\x01" + `","method":"ping"}`,
		"an unknown escape":                  `{"jsonrpc":"2.0","id":"\x","method":"ping"}`,
		"a number with a leading zero":       `{"jsonrpc":"2.0","id":01,"method":"ping"}`,
		"a byte-order mark":                  "\uFEFF" + call,
		"invalid UTF-8":                      `{"jsonrpc":"2.0","id":"` + "\xff" + `","method":"ping"}`,
		"an overlong UTF-8 sequence":         `{"jsonrpc":"2.0","id":"` + "\xc0\xaf" + `","method":"ping"}`,
		"a surrogate in UTF-8":               `{"jsonrpc":"2.0","id":"` + "\xed\xa0\x80" + `","method":"ping"}`,
		"513 levels":                         nested(513),
		"a batch":                            "[" + call + "]",
		"an empty batch":                     "[]",
		"a bare number":                      "1",
		"a bare string":                      `"ping"`,
		"null":                               "null",
		"no jsonrpc":                         `{"id":1,"method":"ping"}`,
		"jsonrpc 1.0":                        `{"jsonrpc":"1.0","id":1,"method":"ping"}`,
		"jsonrpc as a number":                `{"jsonrpc":2.0,"id":1,"method":"ping"}`,
		"jsonrpc in capitals":                `{"JSONRPC":"2.0","id":1,"method":"ping"}`,
		"a null id":                          `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
		"a boolean id":                       `{"jsonrpc":"2.0","id":true,"method":"ping"}`,
		"an id that is an object":            `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		"an id that is a list":               `{"jsonrpc":"2.0","id":[1],"method":"ping"}`,
		"no method":                          `{"jsonrpc":"2.0","id":1}`,
		"a null method":                      `{"jsonrpc":"2.0","id":1,"method":null}`,
		"a method that is a number":          `{"jsonrpc":"2.0","id":1,"method":1}`,
		"a response":                         `{"jsonrpc":"2.0","id":1,"result":{}}`,
		"a repeated jsonrpc":                 `{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}`,
		"a repeated id":                      `{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}`,
		"a repeated id, one of them escaped": `{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"ping"}`,
		"a repeated method":                  `{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}`,
		"repeated params":                    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{}}`,
		"an unknown notification":            `{"jsonrpc":"2.0","method":"notifications/nothing"}`,
		"a notification of a known method":   `{"jsonrpc":"2.0","method":"tools/call","params":{}}`,
		"a notification that it initialized": `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		"a cancellation of nothing":          `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`,
		"a cancellation without an id":       `{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		"a cancellation of a wrong type":     `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
	}
	p := startServer(t, namesRoot(t))
	for name, line := range lines {
		p.send(line, ping)
		// Answers of these lines would come before or after the pong.
		if got := p.receive(); got != pong {
			t.Errorf("%s is answered: %s", name, got)
		}
	}
	if rest, code := p.rest(); len(rest) != 0 || code != 0 {
		t.Errorf("exit %d, and there is more: %q", code, rest)
	}
}

func TestLinesThatAreAnswered(t *testing.T) {
	methodNotFound := refused(-32601, "Method not found")
	invalidParams := refused(-32602, "Invalid params")
	internal := failedWith("E_INTERNAL", "Tool execution failed")
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`
	}
	decideWith := func(arguments string) string {
		return call(`{"name":"assay_policy_decide","arguments":` + arguments + `}`)
	}
	tests := []struct{ name, line, want string }{
		{"spaces around the message", "  " + decide("1") + " \t", allowed},
		{"a carriage return before the newline", decide("1") + "\r", allowed},
		{"512 levels", `{"jsonrpc":"2.0","id":1,"method":"ping","x":` + strings.Repeat("[", 511) + strings.Repeat("]", 511) + `}`, `"result":{}`},
		{"an unknown member of the message, twice", `{"jsonrpc":"2.0","id":1,"x":1,"method":"ping","x":2}`, `"result":{}`},
		{"members with escapes", `{"\u006asonrpc":"2.\u0030","id":1,"method":"pin\u0067"}`, `"result":{}`},
		{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"secret/name"}`, methodNotFound},
		{"an empty method", `{"jsonrpc":"2.0","id":1,"method":""}`, methodNotFound},
		{"a method in capitals", `{"jsonrpc":"2.0","id":1,"method":"PING"}`, methodNotFound},
		{"the server's name for a call", `{"jsonrpc":"2.0","id":1,"method":"assay/call","params":{}}`, methodNotFound},
		{"prompts/list", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, methodNotFound},
		{"prompts/get", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x"}}`, methodNotFound},
		{"resources/list", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, methodNotFound},
		{"resources/read", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///x"}}`, methodNotFound},
		{"logging/setLevel", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`, methodNotFound},
		{"completion/complete", `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}`, methodNotFound},
		{"subscriptions/listen", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}`, methodNotFound},
		{"a notification's name with an id", `{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled","params":{"requestId":1}}`, methodNotFound},
		{"server/discover of a protocol with a handshake", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, methodNotFound},
		{"ping with params", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1}}`, `"result":{}`},
		{"ping with params of a wrong type", `{"jsonrpc":"2.0","id":1,"method":"ping","params":["secret"]}`, invalidParams},
		{"tools/list with a cursor of a wrong type", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":["secret"]}}`, invalidParams},

		{"a call without params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, invalidParams},
		{"a call with null params", call(`null`), invalidParams},
		{"a call whose params are a list", call(`[]`), internal},
		{"a call whose params are a string", call(`"x"`), internal},
		{"a call whose params are a number", call(`0`), internal},
		{"a call without a name", call(`{"arguments":{}}`), internal},
		{"a call whose name is a number", call(`{"name":1,"arguments":{}}`), internal},
		{"a call whose name is null", call(`{"name":null,"arguments":{}}`), internal},
		{"a call of an unknown tool", call(`{"name":"assay_secret","arguments":{}}`), internal},
		{"a call without arguments", call(`{"name":"assay_policy_decide"}`), internal},
		{"a call with null arguments", call(`{"name":"assay_policy_decide","arguments":null}`), internal},
		{"a call whose arguments are a list", call(`{"name":"assay_policy_decide","arguments":[]}`), internal},
		{"a call whose arguments are a string", call(`{"name":"assay_policy_decide","arguments":"{}"}`), internal},
		{"a call whose arguments are a number", call(`{"name":"assay_policy_decide","arguments":7}`), internal},
		{"arguments under another name", call(`{"name":"assay_policy_decide","Arguments":{"tool":"ls","policy":"names.yaml"}}`), internal},
		{"other members beside the arguments", call(`{"name":"assay_policy_decide","NAME":"x","Arguments":{},"x":1,"x":2,"arguments":{"tool":"ls","policy":"names.yaml"}}`), allowed},
		{"a repeated name", call(`{"name":"assay_policy_decide","name":"assay_policy_decide","arguments":{"tool":"ls","policy":"names.yaml"}}`), internal},
		{"repeated arguments", call(`{"name":"assay_policy_decide","arguments":{"tool":"rm","policy":"names.yaml"},"arguments":{"tool":"ls","policy":"names.yaml"}}`), internal},
		{"repeated arguments, one of them escaped", call(`{"name":"assay_policy_decide","arguments":{"tool":"rm","policy":"names.yaml"},"argument\u0073":{"tool":"ls","policy":"names.yaml"}}`), internal},
		{"a repeated tool", decideWith(`{"tool":"rm","tool":"ls","policy":"names.yaml"}`), internal},
		{"a repeated tool, one of them escaped", decideWith(`{"tool":"rm","t\u006fol":"ls","policy":"names.yaml"}`), internal},
		{"a repeated policy", decideWith(`{"tool":"ls","policy":"names.yaml","policy":"names.yaml"}`), internal},
		{"a tool with escapes", decideWith(`{"tool":"\u006cs","policy":"names.yaml"}`), allowed},
		{"members that the tool does not have", decideWith(`{"tool":"ls","policy":"names.yaml","on_error":"allow","x":1,"x":2,"TOOL":"rm"}`), allowed},
		{"an empty tool", decideWith(`{"tool":"","policy":"names.yaml"}`), failedWith("E_INVALID_REQUEST", "Tool name is empty")},
		{"a tool with half a surrogate pair", decideWith(`{"tool":"\ud800","policy":"names.yaml"}`), failedWith("E_INVALID_REQUEST", "Tool name is not valid Unicode")},
		{"a tool with a surrogate pair", decideWith(`{"tool":"\ud83d\ude00","policy":"names.yaml"}`), allowed},
		{"an empty policy", decideWith(`{"tool":"ls","policy":""}`), failedWith("E_INVALID_REQUEST", "Policy path is empty")},

		{"an initialize without params", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, invalidParams},
		{"an initialize with null params", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":null}`, invalidParams},
		{"an initialize whose params are a list", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":["secret"]}`, invalidParams},
		{"an initialize whose version is a number", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":20250618,"capabilities":{},"clientInfo":{"name":"secret","version":"1"}}}`, invalidParams},
		{"an initialize whose client is a string", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":"secret"}}`, invalidParams},
		{"an initialize whose capabilities are a list", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":["secret"],"clientInfo":{"name":"c","version":"1"}}}`, invalidParams},
	}
	p := startServer(t, namesRoot(t))
	for _, test := range tests {
		p.send(test.line)
		if got, want := p.receive(), respond("1", test.want); got != want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, want)
		}
	}
	if rest, code := p.rest(); len(rest) != 0 || code != 0 {
		t.Errorf("exit %d, and there is more: %q", code, rest)
	}
}

func TestRepeatedAndWronglyTypedMembersOfNestedObjects(t *testing.T) {
	p := startServer(t, policyRoot(t, map[string]string{
		"args.yaml": "tools: {allow: [ls]}\n",
		"seq.yaml":  "sequences: [{type: max_calls, tool: rm, max: 0}]\n",
	}))
	args := func(identity string) (string, string) {
		return "assay_check_args", `{"tool":"ls","arguments":{},"policy":"args.yaml","identity":` + identity + `}`
	}
	seq := func(history string) (string, string) {
		return "assay_check_sequence", `{"history":` + history + `,"next_tool":"ls","policy":"seq.yaml"}`
	}
	for name, test := range map[string]struct {
		call    func(string) (string, string)
		value   string
		allowed bool
	}{
		"an identity":                                         {args, `{"server_id":"s","tool_name":"t","schema_hash":"a","meta_hash":"b"}`, true},
		"an identity with other members":                      {args, `{"server_id":"s","x":1,"x":2}`, true},
		"an identity with a repeated member":                  {args, `{"server_id":"s","server_id":"s"}`, false},
		"an identity with an escaped repeated member":         {args, `{"server_id":"s","server\u005fid":"s"}`, false},
		"an identity with a number":                           {args, `{"server_id":1}`, false},
		"an identity with null":                               {args, `{"meta_hash":null}`, false},
		"a null identity":                                     {args, `null`, false},
		"an identity that is a list":                          {args, `[]`, false},
		"an identity that is a string":                        {args, `"x"`, false},
		"a history of names and calls":                        {seq, `["a",{"tool":"b"},{"tool":"c","arguments":{}}]`, true},
		"a history entry with other members":                  {seq, `[{"tool":"b","x":1,"x":2}]`, true},
		"a history entry with a repeated tool":                {seq, `[{"tool":"rm","tool":"b"}]`, false},
		"a history entry with repeated arguments":             {seq, `[{"tool":"b","arguments":{},"arguments":{}}]`, false},
		"a history entry without a tool":                      {seq, `[{"arguments":{}}]`, false},
		"a history entry whose arguments are null":            {seq, `[{"tool":"b","arguments":null}]`, false},
		"a history entry whose arguments are a list":          {seq, `[{"tool":"b","arguments":[]}]`, false},
		"a history entry that is a number":                    {seq, `[1]`, false},
		"a history that is an object":                         {seq, `{}`, false},
		"a repeated history":                                  {seq, `[],"history":[]`, false},
		"next arguments that are an object":                   {seq, `[],"next_arguments":{}`, true},
		"next arguments that are null":                        {seq, `[],"next_arguments":null`, false},
		"next arguments that are a list":                      {seq, `[],"next_arguments":[]`, false},
		"past arguments with a repeated member":               {seq, `[{"tool":"b","arguments":{"x":1,"\u0078":1}}]`, false},
		"past arguments with a repeated member further down":  {seq, `[{"tool":"b","arguments":{"x":[{"y":1,"y":1}]}}]`, false},
		"past arguments with half a surrogate pair":           {seq, `[{"tool":"b","arguments":{"x":"\ud800"}}]`, false},
		"past arguments with half a surrogate pair in a name": {seq, `[{"tool":"b","arguments":{"\udc00":1}}]`, false},
		"past arguments of 129 levels":                        {seq, `[{"tool":"b","arguments":{"x":` + strings.Repeat("[", 128) + strings.Repeat("]", 128) + `}}]`, false},
		"past arguments of 128 levels":                        {seq, `[{"tool":"b","arguments":{"x":` + strings.Repeat("[", 127) + strings.Repeat("]", 127) + `}}]`, true},
		"past arguments with an exponent beyond the bound":    {seq, `[{"tool":"b","arguments":{"x":1e1001}}]`, false},
		"past arguments with an exponent at the bound":        {seq, `[{"tool":"b","arguments":{"x":1e1000}}]`, true},
		"past arguments with a number of 1,001 digits":        {seq, `[{"tool":"b","arguments":{"x":1` + strings.Repeat("0", 1000) + `}}]`, false},
		"next arguments with a repeated member":               {seq, `[],"next_arguments":{"x":1,"\u0078":1}`, false},
		"next arguments with a repeated member further down":  {seq, `[],"next_arguments":{"x":[{"y":1,"y":1}]}`, false},
		"next arguments with half a surrogate pair":           {seq, `[],"next_arguments":{"x":"\ud800"}`, false},
		"next arguments with half a surrogate pair in a name": {seq, `[],"next_arguments":{"\udc00":1}`, false},
		"next arguments of 129 levels":                        {seq, `[],"next_arguments":{"x":` + strings.Repeat("[", 128) + strings.Repeat("]", 128) + `}`, false},
		"next arguments of 128 levels":                        {seq, `[],"next_arguments":{"x":` + strings.Repeat("[", 127) + strings.Repeat("]", 127) + `}`, true},
		"next arguments with an exponent beyond the bound":    {seq, `[],"next_arguments":{"x":1e1001}`, false},
		"next arguments with an exponent at the bound":        {seq, `[],"next_arguments":{"x":1e1000}`, true},
		"next arguments with a number of 1,001 digits":        {seq, `[],"next_arguments":{"x":1` + strings.Repeat("0", 1000) + `}`, false},
		"repeated next arguments":                             {seq, `[],"next_arguments":{},"next_arguments":{}`, false},
	} {
		a := p.call(test.call(test.value))
		switch {
		case test.allowed && !a.allowed():
			t.Errorf("%s is denied: %s", name, a.line)
		case !test.allowed && (a.failure() != "E_INTERNAL" || a.text != `{"allowed":false,"error":{"code":"E_INTERNAL","message":"Tool execution failed"}}`):
			t.Errorf("%s is not E_INTERNAL: %s", name, a.line)
		}
	}
}

func TestAnIDIsEchoedAsItWasSent(t *testing.T) {
	p := startServer(t, namesRoot(t))
	for _, id := range []string{
		`0`, `-0`, `1`, `-1`, `1.5`, `1.0`, `1e3`, `1E+3`, `9007199254740993`, `-9007199254740993`, `18446744073709551617`,
		`0.1000000000000000055511151231257827`, `1e400`, `123456789012345678901234567890`,
		`""`, `"a"`, `"1"`, `"\u0061"`, `"\/"`, `"ü"`, `"\ud800"`, `"` + strings.Repeat("x", 5000) + `"`,
	} {
		for _, line := range []string{decide(id), strings.Replace(ping, `"ping"`, id, 1), `{"jsonrpc":"2.0","id":` + id + `,"method":"no"}`} {
			p.send(line)
			if got := p.receive(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,"`) {
				t.Errorf("id %.40s comes back in %.80s", id, got)
			}
		}
	}
}

func TestRequestsInFlightThatShareAnIDAreEachAnswered(t *testing.T) {
	p := startServer(t, namesRoot(t))
	p.send(slices.Repeat([]string{decide("7")}, 50)...)
	lines, code := p.rest()
	if len(lines) != 50 || code != 0 {
		t.Fatalf("%d answers, exit %d", len(lines), code)
	}
	for _, line := range lines {
		if line != respond("7", allowed) {
			t.Errorf("got %s", line)
		}
	}
}

func TestALastLineWithoutANewlineIsServed(t *testing.T) {
	p := startServer(t, namesRoot(t))
	if _, err := p.stdin.Write([]byte(decide("1"))); err != nil {
		t.Fatal(err)
	}
	if lines, code := p.rest(); len(lines) != 1 || lines[0] != respond("1", allowed) || code != 0 {
		t.Errorf("exit %d, answers %q", code, lines)
	}
}

func TestInitializeNegotiatesEveryRevision(t *testing.T) {
	p := startServer(t, namesRoot(t))
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05",
		"2025-03-26": "2025-03-26",
		"2025-06-18": "2025-06-18",
		"2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", // has no handshake
		"1999-01-01": "2025-11-25",
		"":           "2025-11-25",
	} {
		// One process answers them all: a second initialize is answered too.
		p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + asked + `","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}}`)
		line := p.receive()
		var a struct {
			Result struct {
				Version      string          `json:"protocolVersion"`
				Capabilities json.RawMessage `json:"capabilities"`
				Server       struct{ Name, Version string }
			}
		}
		if err := json.Unmarshal([]byte(strings.Replace(line, "serverInfo", "server", 1)), &a); err != nil {
			t.Fatal(err)
		}
		if a.Result.Version != want || string(a.Result.Capabilities) != `{"tools":{}}` ||
			a.Result.Server.Name != "assay-mcp-server" || a.Result.Server.Version == "" {
			t.Errorf("asked for %q: %s", asked, line)
		}
		p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, decide("2"))
		if got := p.receive(); got != respond("2", allowed) {
			t.Errorf("after %q: %s", asked, got)
		}
	}
}

func TestTheStatelessRevision(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	p := startServer(t, namesRoot(t))
	p.send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`)
	if got := p.receive(); !strings.Contains(got, `"supportedVersions":["2026-07-28",`) || !strings.Contains(got, `"capabilities":{"tools":{}}`) {
		t.Errorf("server/discover: %s", got)
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + meta + `}}`)
	if got := p.receive(); !strings.Contains(got, `"resultType":"complete"`) || strings.Contains(got, "ttlMs") {
		t.Errorf("tools/list: %.300s", got)
	}
	p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"assay_policy_decide","arguments":{"tool":"ls","policy":"names.yaml"},` + meta + `}}`)
	got := p.receive()
	if a := parseAnswer(t, got); !a.allowed() || !strings.Contains(got, `"isError":false,"resultType":"complete"`) ||
		!strings.Contains(got, `"io.modelcontextprotocol/serverInfo":{"name":"assay-mcp-server"`) {
		t.Errorf("tools/call: %s", got)
	}
	p.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"assay_policy_decide","arguments":{"tool":"ls","policy":"names.yaml"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	if got := p.receive(); got != respond("4", refused(-32602, "Invalid params")) {
		t.Errorf("tools/call without the client's capabilities: %s", got)
	}
	p.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"assay_policy_decide","arguments":{"tool":"ls","policy":"names.yaml"},` + strings.Replace(meta, "2026-07-28", "2999-01-01", 1) + `}}`)
	if got := p.receive(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":5,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28",`) {
		t.Errorf("tools/call of a revision that does not exist: %s", got)
	}
	p.send(`{"jsonrpc":"2.0","id":6,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{},` + meta + `}}`)
	if got := p.receive(); got != respond("6", refused(-32601, "Method not found")) {
		t.Errorf("initialize: %s", got)
	}
	p.send(decide("7"))
	if got := p.receive(); got != respond("7", allowed) {
		t.Errorf("a call without metadata after it: %s", got)
	}
	p.send(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"assay_policy_decide","arguments":{"tool":"ls","policy":"names.yaml"},"_meta":{"progressToken":1}}}`)
	if got := p.receive(); got != respond("8", allowed) {
		t.Errorf("a call with other metadata: %s", got)
	}
}

func TestToolsListPublishesTheToolsInTheirOrder(t *testing.T) {
	p := startServer(t, namesRoot(t))
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	line := p.receive()
	var a struct {
		Result map[string]json.RawMessage `json:"result"`
	}
	var tools []struct {
		Name, Title, Description string
		Annotations              map[string]any
		InputSchema              schemaNode
		OutputSchema             schemaNode
	}
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(a.Result["tools"], &tools); err != nil {
		t.Fatal(err)
	}
	if len(a.Result) != 1 {
		t.Errorf("tools/list says more than the tools: %v", slices.Collect(maps.Keys(a.Result)))
	}
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
		if tool.Title == "" || !strings.Contains(tool.Description, "Use it") {
			t.Errorf("%s does not say when to use it: %q", tool.Name, tool.Description)
		}
		if want := (map[string]any{"readOnlyHint": true, "idempotentHint": true, "destructiveHint": false, "openWorldHint": false}); fmt.Sprint(tool.Annotations) != fmt.Sprint(want) {
			t.Errorf("%s has the annotations %v", tool.Name, tool.Annotations)
		}
		if tool.InputSchema.Title == "" || tool.OutputSchema.Title == "" {
			t.Errorf("a schema of %s has no title", tool.Name)
		}
		tool.InputSchema.inspect(t, tool.Name+" input", true)
		tool.OutputSchema.inspect(t, tool.Name+" output", false)
	}
	if !slices.Equal(names[:3], []string{"assay_check_args", "assay_check_sequence", "assay_policy_decide"}) {
		t.Errorf("the tools are %v", names)
	}
}

// schemaNode is what the tests look at in a JSON Schema.
type schemaNode struct {
	Title, Description, Type string
	Properties               map[string]*schemaNode
	Additional               any `json:"additionalProperties"`
	MinLength                *int
	Examples                 []any
	Items                    *schemaNode
	OneOf                    []*schemaNode
}

// inspect checks what clients and people are promised of a schema.
func (n *schemaNode) inspect(t *testing.T, path string, input bool) {
	if n == nil {
		return
	}
	if n.Properties != nil {
		if n.Type != "object" {
			t.Errorf("%s has properties and is no object", path)
		}
		if input && n.Additional != false {
			t.Errorf("%s takes additional properties", path)
		}
	}
	for name, property := range n.Properties {
		where := path + "/" + name
		if property.Title == "" || property.Description == "" {
			t.Errorf("%s has no title or description", where)
		}
		if input && (name == "tool" || name == "next_tool" || name == "policy") &&
			(property.MinLength == nil || *property.MinLength != 1 || len(property.Examples) == 0) {
			t.Errorf("%s may be empty or has no example", where)
		}
		property.inspect(t, where, input)
	}
	n.Items.inspect(t, path+"/items", input)
	for _, branch := range n.OneOf {
		branch.inspect(t, path+"/oneOf", input)
	}
}

func TestConfiguredAuthenticationIsRefused(t *testing.T) {
	p := newProcess(t, namesRoot(t), "ASSAY_AUTH_TOKEN=hunter2", "ASSAY_AUTH_MODE=swordfish")
	out, err := p.cmd.CombinedOutput()
	if err == nil || p.cmd.ProcessState.ExitCode() != 2 {
		t.Fatalf("the server starts: %v", err)
	}
	text := string(out)
	if !strings.Contains(text, "ASSAY_AUTH_TOKEN") || !strings.Contains(text, "ASSAY_AUTH_MODE") ||
		strings.Contains(text, "hunter2") || strings.Contains(text, "swordfish") {
		t.Errorf("it says %s", text)
	}
}
