// Package python tests the example client that is written in Python.
package python

import (
	"os/exec"
	"path/filepath"
	"testing"
)

const want = `apply_discount {'percent': 50}: denied
  /percent: use a number <= 30
apply_discount {'percent': 30}: allowed
delete_customer after []: denied
  call "verify_identity" before "delete_customer"
delete_customer after ['verify_identity']: allowed
delete_customer: not yet (approval_required)
delete_customer, approved: allowed
`

func TestTheHelperWalksWithTheRealServer(t *testing.T) {
	python := lookPython(t)
	server := filepath.Join(t.TempDir(), "assay-mcp-server")
	if out, err := exec.Command("go", "build", "-o", server, "example.com/assay/server/cmd/assay-mcp-server").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(python, "checked_call.py", server, "../policies").CombinedOutput()
	if err != nil || string(out) != want {
		t.Errorf("%v, printed:\n%s\nwant:\n%s", err, out, want)
	}
}

// A result that says yes in one way and not in another is a no.
func TestTheHelperClearsNothingInDoubt(t *testing.T) {
	python := lookPython(t)
	const script = `
import sys
sys.dont_write_bytecode = True
from types import SimpleNamespace as N
from checked_call import cleared

def result(text, is_error):
    return N(content=[N(type="text", text=text)], isError=is_error)

no = [
    result('{"allowed": true}', None),
    result('{"allowed": true}', True),
    result('{"allowed": true}', 0),
    result('{"allowed": 1}', False),
    result('{"allowed": "true"}', False),
    result('{"allowed": false}', False),
    result('{}', False),
    result('[]', False),
    result('true', False),
    result('not JSON', False),
    result('{"allowed": true, "obligations": [{"kind": "approval_required"}]}', False),
    result('{"allowed": true, "obligations": {"kind": "approval_required"}}', False),
    result('{"allowed": true, "obligations": ["approval_required"]}', False),
    result('{"allowed": true, "obligations": null}', False),
    N(content=[], isError=False),
    N(content=None, isError=False),
    N(),
]
for r in no:
    assert cleared(r)[0] is False, r
assert cleared(result('{"allowed": true}', False))[0] is True
duty = result('{"allowed": true, "obligations": [{"kind": "approval_required"}]}', False)
assert cleared(duty, met={"redact_args"})[0] is False
assert cleared(duty, met={"approval_required"})[0] is True
`
	if out, err := exec.Command(python, "-c", script).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func lookPython(t *testing.T) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed; the example is not run")
	}
	return python
}
