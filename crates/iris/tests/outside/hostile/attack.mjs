// A browser that is signed in to Iris visits pages of others, and each of them tries everything. Says as JSON what they
// could read, and what they learnt. Takes one argument, also JSON: { chromium, iris, code, probes, reads, writes }.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";

const job = JSON.parse(process.argv[2]);
const { chromium } = createRequire(job.modules + "/")("playwright-core");
const probes = readFileSync(job.probes, "utf8").split("\n").filter((line) => !line.startsWith("//")).join("\n");
const port = new URL(job.iris).port;

const listen = (handler) => new Promise((done) => {
  const server = createServer(handler).listen(0, "0.0.0.0", () => done({ server, port: server.address().port }));
});

// The attacker's own server. It keeps what browsers send it.
const cookies = new Set();
const evil = await listen((request, response) => {
  if (request.headers.cookie) cookies.add(request.headers.cookie);
  const url = new URL(request.url, "http://x");
  if (url.pathname === "/redirect") {
    response.writeHead(307, { location: url.searchParams.get("to") }).end();
  } else {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>hostile</title><body>");
  }
});
// A server that makes every mistake, to see that the probes would notice.
let effects = 0;
const naive = await listen((request, response) => {
  const allowed = { "access-control-allow-origin": request.headers.origin ?? "*", "access-control-allow-credentials": "true",
    "access-control-allow-headers": "content-type, iris-csrf, authorization", "access-control-allow-methods": "*, DELETE, PUT, PATCH" };
  if (request.method === "POST" || request.method === "DELETE") effects += 1;
  response.writeHead(200, { "content-type": "text/javascript", ...allowed }).end("/* everything */");
});

const browser = await chromium.launch({
  executablePath: job.chromium,
  args: [
    "--no-sandbox",
    `--host-resolver-rules=MAP *.example 127.0.0.1`,
    // Newer browsers keep pages away from this machine by themselves. Here they do not help.
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
  ],
});
const context = await browser.newContext();

// Signs in as the dashboard does.
const own = await context.newPage();
await own.goto(`${job.iris}/health`);
const me = await own.evaluate(async (code) => {
  const answer = await fetch("/api/login", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ code }) });
  const me = await answer.json();
  localStorage.setItem("word", me.csrf);
  return me;
}, job.code);
const asOwn = () => own.evaluate(async () =>
  (await fetch("/api/sessions", { headers: { "iris-csrf": localStorage.getItem("word") } })).status);
const before = await asOwn();

const run = async (page, target) => page.evaluate(`(${probes})(${JSON.stringify(target)}, ${JSON.stringify(job)})`);
const tries = [];
const attack = async (origin, page, target) => {
  for (const [name, read] of await run(page, target)) tries.push({ origin, target, name, read });
};

const hosts = ["evil.example", `127.0.0.1.example`, "127.0.0.1", "localhost"];
for (const host of hosts) {
  const page = await context.newPage();
  await page.goto(`http://${host}:${evil.port}/`);
  await attack(`http://${host}:${evil.port}`, page, job.iris);
  await page.close();
}
// From nowhere: a frame without an origin.
{
  const page = await context.newPage();
  await page.goto(`http://evil.example:${evil.port}/`);
  await page.setContent(`<iframe sandbox="allow-scripts allow-forms allow-popups" srcdoc="<body>"></iframe>`);
  const frame = page.frames().find((frame) => frame !== page.mainFrame());
  await attack("null", frame, job.iris);
  await page.close();
}
// A name that pointed to the attacker when the page was loaded, and points to Iris now.
{
  const page = await context.newPage();
  const rebound = `http://rebound.example:${port}`;
  await page.route(`${rebound}/`, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><body>" }));
  await page.goto(`${rebound}/`);
  await attack(rebound, page, rebound);
  await attack(rebound, page, job.iris);
  await page.close();
}
// Other ways to write the victim's address.
for (const host of ["localhost", "0.0.0.0", "127.0.0.1.example", "[::ffff:127.0.0.1]"]) {
  const page = await context.newPage();
  await page.goto(`http://evil.example:${evil.port}/`);
  await attack(`http://evil.example:${evil.port}`, page, `http://${host}:${port}`);
  await page.close();
}
const after = await asOwn();

const control = await (async () => {
  const page = await context.newPage();
  await page.goto(`http://evil.example:${evil.port}/`);
  const read = (await run(page, `http://127.0.0.1:${naive.port}`)).filter(([, read]) => read).length;
  return { read, effects };
})();

console.log(JSON.stringify({ me, before, after, tries, control, cookies: [...cookies] }));
await browser.close();
evil.server.close();
naive.server.close();
process.exit(0);
