// Waits for a call that will not be answered, for longer than anybody watches, and writes what it was told instead.
// Arguments: sdk|client, the address and the token.
const [which, where, secret] = process.argv.slice(2);
const older = which === "sdk";
const from = (path) => import(older ? `@modelcontextprotocol/sdk/client/${path}.js` : "@modelcontextprotocol/client");
const { Client } = await from("index");
const { StreamableHTTPClientTransport } = await from("streamableHttp");

const headers = { Authorization: `Bearer ${secret}` };
const transport = new StreamableHTTPClientTransport(new URL(where), { requestInit: { headers } });
const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(transport);
const tool = { name: "team_tell", arguments: { toTeam: "alpha", message: "work", timeout: 0 } };
const options = { timeout: 600_000 };
const call = older ? client.callTool(tool, undefined, options) : client.callTool(tool, options);
console.log(
  await call.then(
    () => "an answer",
    (error) => error.message,
  ),
);
process.exit(0);
