package server_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const denyLS = "tools: {deny: [ls]}\n"
const allowLS = "tools: {allow: [ls]}\n"

// checkLS asks about a call of ls under a policy.
func (p *process) checkLS(policy string) answer {
	p.t.Helper()
	return p.call("assay_check_args", `{"tool":"ls","arguments":{},"policy":"`+policy+`"}`)
}

func TestPathsAndWhatTheyLeadTo(t *testing.T) {
	root := policyRoot(t, map[string]string{
		"deny.yaml": denyLS, "sub/deny.yaml": denyLS, "dir.yaml/x": "", "locked.yaml": denyLS,
		"../outside/allow.yaml": allowLS, "../root-2/allow.yaml": allowLS,
	})
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("deny.yaml", "in-link.yaml")
	link("../sub/deny.yaml", "sub/up-link.yaml")
	link("../outside/allow.yaml", "out-link.yaml")
	link("../outside", "out-dir")
	link(filepath.Join(root, "deny.yaml"), "absolute-link.yaml")
	link("missing.yaml", "dangling.yaml")
	link("loop-b", "loop-a")
	link("loop-a", "loop-b")
	link("/dev/zero", "device-link")
	if err := syscall.Mkfifo(filepath.Join(root, "fifo.yaml"), 0o644); err != nil {
		t.Fatal(err)
	}
	link("fifo.yaml", "fifo-link.yaml")
	socket, err := net.Listen("unix", filepath.Join(root, "socket.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()

	p := startServer(t, root)
	long := strings.Repeat("x", 300)
	for _, test := range []struct{ path, code, message string }{
		{"deny.yaml", "", ""},
		{"./deny.yaml", "", ""},
		{"sub/../deny.yaml", "", ""},
		{"sub//deny.yaml", "", ""},
		{"in-link.yaml", "", ""},
		{"sub/up-link.yaml", "", ""},
		{"missing.yaml", "E_POLICY_NOT_FOUND", "Policy not found: missing.yaml"},
		{"missing/x.yaml", "E_POLICY_NOT_FOUND", "Policy not found: missing/x.yaml"},
		{"dangling.yaml", "E_POLICY_NOT_FOUND", "Policy not found: dangling.yaml"},
		{`\u0064eny.yam`, "E_POLICY_NOT_FOUND", "Policy not found: deny.yam"},
		{`deny.yaml\ud800`, "E_POLICY_NOT_FOUND", "Policy not found: deny.yaml\uFFFD"},
		{"dir.yaml", "E_POLICY_READ", "Policy is not a regular file"},
		{".", "E_POLICY_READ", "Policy is not a regular file"},
		{"sub/", "E_POLICY_READ", "Policy is not a regular file"},
		{"deny.yaml/x", "E_POLICY_READ", "Policy cannot be read"},
		{"loop-a", "E_POLICY_READ", "Policy cannot be read"},
		{`deny.yaml\u0000`, "E_POLICY_READ", "Policy cannot be read"},
		{`\u0000`, "E_POLICY_READ", "Policy cannot be read"},
		{"fifo.yaml", "E_POLICY_READ", "Policy is not a regular file"},
		{"fifo-link.yaml", "E_POLICY_READ", "Policy is not a regular file"},
		{"socket.yaml", "E_POLICY_READ", "Policy cannot be read"},
		{long, "E_POLICY_READ", "Policy cannot be read"},
		{"..", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{"../root/deny.yaml", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{"../outside/allow.yaml", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{"../root-2/allow.yaml", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{"sub/../../outside/allow.yaml", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{"missing/../../outside/allow.yaml", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{"deny.yaml/../../outside/allow.yaml", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{"fifo.yaml/../../outside/allow.yaml", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{"loop-a/../../outside/allow.yaml", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{long + "/../../outside/allow.yaml", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		// The path comes before reading the file, so that a NUL in one that climbs
		// out does not count; nor does one in an absolute path.
		{`\u0000/../../outside/allow.yaml`, "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{`sub/../../\u0000`, "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{`/\u0000`, "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{"out-link.yaml", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{"out-dir/allow.yaml", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{"absolute-link.yaml", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{"device-link", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{"/etc/hostname", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{"/", "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
		{filepath.Join(root, "deny.yaml"), "E_PERMISSION_DENIED", "Policy path leads out of the policy root"},
	} {
		a := p.checkLS(test.path)
		if test.code == "" {
			if a.payload.Code != "E_TOOL_DENIED" {
				t.Errorf("%s: %s", test.path, a.line)
			}
			continue
		}
		if a.failure() != test.code || a.payload.Error.Message != test.message {
			t.Errorf("%s: %s, want %s, %s", test.path, a.line, test.code, test.message)
		}
	}
	if os.Geteuid() == 0 {
		return // root reads what it likes
	}
	if err := os.Chmod(filepath.Join(root, "locked.yaml"), 0); err != nil {
		t.Fatal(err)
	}
	if a := p.checkLS("locked.yaml"); a.failure() != "E_POLICY_READ" {
		t.Errorf("a file without permission: %s", a.line)
	}
}

func TestTheRootIsOpenedOnce(t *testing.T) {
	root := policyRoot(t, map[string]string{"p.yaml": denyLS, "../other/p.yaml": allowLS})
	p := startServer(t, root)
	if a := p.checkLS("p.yaml"); a.payload.Code != "E_TOOL_DENIED" {
		t.Fatal(a.line)
	}
	// Whoever can put another directory in the root's place changes nothing.
	if err := os.Rename(root, root+"-moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", root); err != nil {
		t.Fatal(err)
	}
	if a := p.checkLS("p.yaml"); a.payload.Code != "E_TOOL_DENIED" {
		t.Error(a.line)
	}
}

func TestARootThatIsNoDirectoryIsRefused(t *testing.T) {
	root := policyRoot(t, map[string]string{"file": ""})
	for _, dir := range []string{filepath.Join(root, "missing"), filepath.Join(root, "file")} {
		p := newProcess(t, dir)
		if out, err := p.cmd.CombinedOutput(); err == nil || p.cmd.ProcessState.ExitCode() != 1 ||
			!strings.Contains(string(out), "opening the policy root") || strings.Contains(string(out), root) {
			t.Errorf("%s: %v, %s", filepath.Base(dir), err, out)
		}
	}
}

func TestWhatIsWrongWithAPolicy(t *testing.T) {
	p := startServer(t, policyRoot(t, map[string]string{
		"syntax.yaml": "tools:\n  allow: [secret\n", "root.yaml": "- 1\n", "scalar.yaml": "secret\n", "empty.yaml": "",
		"structure.yaml": "tools: {allows: [secret]}\n", "sequence.yaml": "sequences: [{type: secret}]\n",
	}))
	const sequence = "Invalid sequence policy format"
	for _, test := range []struct{ policy, message, details string }{
		{"syntax.yaml", "Policy YAML is invalid", "some"},
		{"root.yaml", "Policy root must be a mapping", ""},
		{"scalar.yaml", "Policy root must be a mapping", ""},
		{"empty.yaml", "Policy root must be a mapping", ""},
		{"structure.yaml", "Policy structure is invalid", ""},
		{"sequence.yaml", "Policy structure is invalid", ""},
	} {
		a := p.checkLS(test.policy)
		if a.failure() != "E_POLICY_PARSE" || a.payload.Error.Message != test.message {
			t.Errorf("%s: %s", test.policy, a.line)
		}
		if (a.payload.Error.Details == nil) != (test.details == "") {
			t.Errorf("%s: the details are %s", test.policy, a.payload.Error.Details)
		}
		a = p.call("assay_check_sequence", `{"history":[],"next_tool":"ls","policy":"`+test.policy+`"}`)
		if want := `{"allowed":false,"error":{"code":"E_POLICY_PARSE","message":"` + sequence + `"}}`; a.text != want {
			t.Errorf("%s in check_sequence: %s", test.policy, a.text)
		}
	}
}

func TestAPolicyOfExactlyTheLimitPasses(t *testing.T) {
	pad := func(n int) string { return denyLS + "#" + strings.Repeat("x", n-len(denyLS)-1) }
	p := startServer(t, policyRoot(t, map[string]string{"fits.yaml": pad(500), "over.yaml": pad(501)}), "ASSAY_MCP_MAX_POLICY_BYTES=500")
	if a := p.checkLS("fits.yaml"); a.payload.Code != "E_TOOL_DENIED" {
		t.Error(a.line)
	}
	want := `{"allowed":false,"error":{"code":"E_LIMIT_EXCEEDED","message":"Limit exceeded: policy file is larger than 500 bytes"}}`
	for _, call := range [][2]string{
		{"assay_check_args", `{"tool":"ls","arguments":{},"policy":"over.yaml"}`},
		{"assay_check_sequence", `{"history":[],"next_tool":"ls","policy":"over.yaml"}`},
		{"assay_policy_decide", `{"tool":"ls","policy":"over.yaml"}`},
	} {
		if a := p.call(call[0], call[1]); a.text != want {
			t.Errorf("%s: %s", call[0], a.text)
		}
	}
}

// A policy is replaced a thousand times while other calls keep the server busy:
// the first call after a replacement is decided by the new one.
func TestAReplacedPolicyIsInForceForTheNextCall(t *testing.T) {
	root := policyRoot(t, map[string]string{"busy.yaml": denyLS})
	p := startServer(t, root)
	busy := strings.Repeat(`{"jsonrpc":"2.0","id":"busy","method":"tools/call","params":{"name":"assay_check_args","arguments":{"tool":"ls","arguments":{},"policy":"busy.yaml"}}}`+"\n", 8)
	for i := range 1000 {
		text, want := denyLS, false
		if i%3 == 0 {
			text, want = allowLS, true
		}
		if i%7 == 0 {
			text += fmt.Sprintf("name: version %d\n", i) // content that was never seen
		}
		next := filepath.Join(root, "next.yaml")
		if err := os.WriteFile(next, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, filepath.Join(root, "policy.yaml")); err != nil {
			t.Fatal(err)
		}
		p.send(busy + `{"jsonrpc":"2.0","id":"asked","method":"tools/call","params":{"name":"assay_check_args","arguments":{"tool":"ls","arguments":{},"policy":"policy.yaml"}}}`)
		for range 9 {
			a := parseAnswer(t, p.receive())
			if string(a.ID) == `"asked"` && a.allowed() != want {
				t.Fatalf("replacement %d is not in force: %s", i, a.line)
			}
			if string(a.ID) == `"busy"` && a.payload.Code != "E_TOOL_DENIED" {
				t.Fatalf("another policy answers: %s", a.line)
			}
		}
	}
}

// A policy is replaced by complete files while calls that read it run: none of
// them fails.
func TestReplacingAPolicyFailsNoCall(t *testing.T) {
	root := policyRoot(t, map[string]string{"policy.yaml": denyLS})
	p := startServer(t, root)
	ask := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"assay_check_args","arguments":{"tool":"ls","arguments":{},"policy":"policy.yaml"}}}`
	for i := range 1000 {
		next := filepath.Join(root, "next.yaml")
		if err := os.WriteFile(next, []byte(denyLS+strings.Repeat("# padding\n", i%7*1000)), 0o644); err != nil {
			t.Fatal(err)
		}
		p.send(ask, ask, ask, ask)
		if err := os.Rename(next, filepath.Join(root, "policy.yaml")); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if a := parseAnswer(t, p.receive()); a.payload.Code != "E_TOOL_DENIED" {
				t.Fatalf("replacement %d: %s", i, a.line)
			}
		}
	}
}

// A file is written in place all the time: a call is decided by what was in it,
// or fails. Here every prefix of the text denies, so that nothing may allow.
func TestAPolicyThatIsWrittenWhileItIsReadAllowsNothing(t *testing.T) {
	root := policyRoot(t, map[string]string{"policy.yaml": denyLS})
	p := startServer(t, root)
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		long := denyLS + "x-note: " + strings.Repeat("x", 50_000) + "\n"
		for i := 0; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			text := denyLS
			if i%2 == 0 {
				text = long
			}
			if err := os.WriteFile(filepath.Join(root, "policy.yaml"), []byte(text), 0o644); err != nil {
				stopped <- err
				return
			}
		}
	}()
	codes := make(map[string]int)
	for range 2000 {
		a := p.checkLS("policy.yaml")
		if a.allowed() && a.payload.Warning == nil {
			t.Fatalf("allowed: %s", a.line)
		}
		codes[a.payload.Code+a.failure()]++
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	for code := range codes {
		switch code {
		case "E_TOOL_DENIED", "E_POLICY_READ", "E_POLICY_PARSE":
		default:
			t.Errorf("%d answers are %q", codes[code], code)
		}
	}
}

// A symlink is swapped between a policy inside the root and one outside all the
// time: the one outside never decides.
func TestASymlinkThatIsSwappedNeverLeadsOut(t *testing.T) {
	root := policyRoot(t, map[string]string{"in.yaml": denyLS, "../outside/out.yaml": allowLS})
	p := startServer(t, root)
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		targets := []string{"in.yaml", "../outside/out.yaml"}
		for i := 0; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			next := filepath.Join(root, "next")
			if err := os.Symlink(targets[i%2], next); err != nil {
				stopped <- err
				return
			}
			if err := os.Rename(next, filepath.Join(root, "link.yaml")); err != nil {
				stopped <- err
				return
			}
		}
	}()
	for range 2000 {
		a := p.checkLS("link.yaml")
		switch a.payload.Code + a.failure() {
		case "E_TOOL_DENIED", "E_PERMISSION_DENIED", "E_POLICY_NOT_FOUND":
		default:
			t.Fatalf("got %s", a.line)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
}
