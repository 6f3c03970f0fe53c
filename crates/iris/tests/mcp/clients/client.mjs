// What any client does, with the official packages: the one of the older revision and the one of the newer.
// Arguments: sdk|client, http|stdio, and the address and token or the program. Writes what it saw as one line of JSON.
const [which, way, where, secret] = process.argv.slice(2);
const older = which === "sdk";
const from = (path) => import(older ? `@modelcontextprotocol/sdk/client/${path}.js` : path);
const { Client } = await from(older ? "index" : "@modelcontextprotocol/client");
const web = older ? await from("streamableHttp") : await from("@modelcontextprotocol/client");
const pipe = older ? await from("stdio") : await from("@modelcontextprotocol/client/stdio");

const transport =
  way === "http"
    ? new web.StreamableHTTPClientTransport(new URL(where), {
        requestInit: { headers: { Authorization: `Bearer ${secret}` } },
      })
    : new pipe.StdioClientTransport({ command: where, args: ["mcp"], env: { IRIS_HOME: secret, HOME: secret } });
const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(transport);

const { tools } = await client.listTools();
const progress = [];
const options = { onprogress: (one) => progress.push(one.message), timeout: 3000, resetTimeoutOnProgress: true };
const tell = (message) => ({ name: "team_tell", arguments: { toTeam: "alpha", message, timeout: 0 } });
const call = (tool, options) => (older ? client.callTool(tool, undefined, options) : client.callTool(tool, options));
// Works for longer than the client would wait without a word.
const told = await call(tell("write slowly"), options);
const refused = await call({ name: "team_tell", arguments: { toTeam: "nobody", message: "x" } });
const stop = new AbortController();
setTimeout(() => stop.abort("no more"), 1000);
const cancelled = await call(tell("work"), { signal: stop.signal }).then(
  () => false,
  () => true,
);
const { resources } = await client.listResources();
const { contents } = await client.readResource({ uri: "iris://teams" });
const { messages } = await client.getPrompt({ name: "ask_team", arguments: { team: "beta", question: "why?" } });
console.log(
  JSON.stringify({
    tools: tools.length,
    progress: progress.length,
    response: told.structuredContent.response,
    refused: refused.isError,
    cancelled,
    resources: resources.length,
    teams: JSON.parse(contents[0].text).teams.length,
    prompt: messages.length,
  }),
);
await client.close();
process.exit(0);
