// The self-correction walk with the official TypeScript SDK's client.
// usage: node walk.mjs SERVER_BINARY POLICY_ROOT
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, root] = process.argv.slice(2);
const transport = new StdioClientTransport({
  command,
  args: ["--policy-root", root, "--log-level", "error"],
});
const client = new Client({ name: "walk-ts", version: "1" });
await client.connect(transport);

const out = { tools: (await client.listTools()).tools.map((t) => t.name), steps: [] };
async function step(name, args) {
  // callTool also validates structuredContent against the tool's output schema.
  const result = await client.callTool({ name, arguments: args });
  out.steps.push({ isError: result.isError, payload: JSON.parse(result.content[0].text) });
}
await step("assay_check_args", { policy: "discounts.yaml", tool: "apply_discount", arguments: { percent: 50 } });
await step("assay_check_args", { policy: "discounts.yaml", tool: "apply_discount", arguments: { percent: 30 } });
await step("assay_check_sequence", { policy: "sequence.yaml", history: [], next_tool: "delete_customer" });
await step("assay_check_sequence", { policy: "sequence.yaml", history: ["verify_identity"], next_tool: "delete_customer" });
await client.close();
console.log(JSON.stringify(out));
