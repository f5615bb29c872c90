"""The self-correction walk with the official Python SDK's client.

usage: python walk.py SERVER_BINARY POLICY_ROOT
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

STEPS = [
    ("assay_check_args", {"policy": "discounts.yaml", "tool": "apply_discount", "arguments": {"percent": 50}}),
    ("assay_check_args", {"policy": "discounts.yaml", "tool": "apply_discount", "arguments": {"percent": 30}}),
    ("assay_check_sequence", {"policy": "sequence.yaml", "history": [], "next_tool": "delete_customer"}),
    (
        "assay_check_sequence",
        {"policy": "sequence.yaml", "history": ["verify_identity"], "next_tool": "delete_customer"},
    ),
]


async def main(command, root):
    server = StdioServerParameters(command=command, args=["--policy-root", root, "--log-level", "error"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        out = {"tools": [tool.name for tool in (await session.list_tools()).tools], "steps": []}
        for name, arguments in STEPS:
            # call_tool also validates structuredContent against the tool's output schema.
            result = await session.call_tool(name, arguments)
            is_error = result.is_error if hasattr(result, "is_error") else result.isError
            out["steps"].append({"isError": is_error, "payload": json.loads(result.content[0].text)})
        print(json.dumps(out))


asyncio.run(main(*sys.argv[1:3]))
