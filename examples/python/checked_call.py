#!/usr/bin/env python3
"""Ask assay-mcp-server before a tool call, with the standard library alone.

    go build -o bin/assay-mcp-server ./server/cmd/assay-mcp-server
    python3 examples/python/checked_call.py bin/assay-mcp-server examples/policies

The part to copy is `cleared`: it says yes only to a result that says so in
every way the server can say it, and no to anything it does not understand.
"""

import json
import subprocess
import sys
from types import SimpleNamespace


class Server:
    """A server child process and a synchronous exchange over its pipes."""

    def __init__(self, binary, policy_root):
        self._process = subprocess.Popen(
            [binary, "--policy-root", policy_root, "--log-level", "error"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self._last_id = 0
        self._request(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "checked-call", "version": "1"},
            },
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self._process.stdin.close()
        self._process.wait(timeout=10)

    def call_tool(self, name, arguments):
        """Returns the CallToolResult, as the official clients shape it."""
        result = self._request("tools/call", {"name": name, "arguments": arguments})
        return SimpleNamespace(
            content=[SimpleNamespace(**item) for item in result["content"]],
            isError=result.get("isError"),
        )

    def _send(self, message):
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _request(self, method, params):
        self._last_id += 1
        self._send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the server ended the exchange")
        answer = json.loads(line)
        if answer.get("id") != self._last_id:
            raise RuntimeError("an answer to another request")
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]


def cleared(result, met=frozenset()):
    """Returns (True, payload) only for an allow whose obligations are all met.

    `met` names the kinds of obligation that the caller has already met, such
    as {"approval_required"}. Everything else is a no: a denial, a failure, a
    text that is no JSON, a member that is missing.
    """
    try:
        payload = json.loads(result.content[0].text)
    except (AttributeError, IndexError, TypeError, ValueError):
        return False, {}
    if not isinstance(payload, dict):
        return False, {}
    obligations = payload.get("obligations", [])
    if not isinstance(obligations, list) or not all(isinstance(o, dict) for o in obligations):
        return False, payload
    unmet = [o for o in obligations if o.get("kind") not in met]
    go = result.isError is False and payload.get("allowed") is True and not unmet
    return go, payload


def main(binary, policy_root):
    with Server(binary, policy_root) as server:
        # A model asks for too much, reads why not, and asks again.
        percent = 50
        for _ in range(3):
            arguments = {"percent": percent}
            go, payload = cleared(
                server.call_tool(
                    "assay_check_args",
                    {"tool": "apply_discount", "arguments": arguments, "policy": "discounts.yaml"},
                )
            )
            print(f"apply_discount {arguments}: {'allowed' if go else 'denied'}")
            if go:
                break
            for violation in payload.get("violations", []):
                print(f"  {violation['path']}: {violation['suggestion']}")
            percent = 30

        # Order: the prerequisite first.
        for history in ([], ["verify_identity"]):
            go, payload = cleared(
                server.call_tool(
                    "assay_check_sequence",
                    {"history": history, "next_tool": "delete_customer", "policy": "sequence.yaml"},
                )
            )
            print(f"delete_customer after {history}: {'allowed' if go else 'denied'}")
            for violation in payload.get("violations", []):
                print(f"  {violation['suggestion']}")

        # An allow with a duty is not yet a go.
        result = server.call_tool(
            "assay_check_args",
            {"tool": "delete_customer", "arguments": {"ticket": "T-7"}, "policy": "support-agent.yaml"},
        )
        go, payload = cleared(result)
        duties = ", ".join(o["kind"] for o in payload.get("obligations", []))
        print(f"delete_customer: {'allowed' if go else 'not yet'} ({duties})")
        go, _ = cleared(result, met={"approval_required"})
        print(f"delete_customer, approved: {'allowed' if go else 'denied'}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: checked_call.py SERVER_BINARY POLICY_ROOT")
    main(sys.argv[1], sys.argv[2])
