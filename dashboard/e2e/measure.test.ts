// How fast it is. Times are printed and never asserted, because machines differ; what makes it fast is asserted: how much
// is fetched, in how many requests, and what has to wait for what.
import type { BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, closeBrowser, closePages, signedIn, stranger } from "./stage";

const STREAM = `
default: [{ stream: { text: "${"word ".repeat(4000)}", chunk: 10, every: 4ms } }]
`;

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT, beacon: STREAM });
});
afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

const sorted = (values: number[]) => values.toSorted((one, other) => one - other);
const median = (values: number[]) => sorted(values)[Math.floor(values.length / 2)] ?? 0;

/** A browser that is signed in and has nothing of the page kept from before. */
async function cold(storageState: Awaited<ReturnType<BrowserContext["storageState"]>>) {
  const page = await stranger({ storageState });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${daemon.url}/inbox`);
  await page.waitForFunction(() => document.body.innerText.includes("Nobody needs you"));
  const at = await page.evaluate(() => performance.now());
  return { page, asked, at };
}

test("the first page takes little, and nothing waits for anything it could do without", async () => {
  const storageState = await (await signedIn(daemon)).context().storageState();
  const starts: number[] = [];
  for (let round = 0; round < 5; round++) starts.push((await cold(storageState)).at);
  const { page, asked, at } = await cold(storageState);
  // A debug build of the daemon is slow to compress; that part is told apart.
  const arrived = await page.evaluate(() => Math.max(...(performance.getEntriesByType("resource") as PerformanceResourceTiming[]).filter(({ name }) => name.includes("/assets/")).map(({ responseEnd }) => responseEnd)));
  await page.locator('[data-connection="live"]').waitFor();
  const html = await (await fetch(`${daemon.url}/inbox`)).text();
  // The other pages are fetched later, when nobody waits.
  const files = await page.evaluate(
    (usable) =>
      (performance.getEntriesByType("resource") as (PerformanceResourceTiming & { renderBlockingStatus: string })[])
        .filter(({ startTime }) => startTime <= usable)
        .map(({ name, encodedBodySize, decodedBodySize, renderBlockingStatus }) => ({ path: new URL(name).pathname, sent: encodedBodySize, whole: decodedBodySize, isBlocking: renderBlockingStatus === "blocking" }))
        .filter(({ path }) => !path.startsWith("/api/")),
    at,
  );
  const code = files.filter(({ path }) => /\.(js|css)$/.test(path));
  const sent = files.reduce((sum, file) => sum + file.sent, 0);
  const requests = asked.filter((path) => path.startsWith("/api/"));
  console.log(`first page usable: median ${median(starts).toFixed(0)} ms, slowest ${Math.max(...starts).toFixed(0)} ms (its files were there after ${arrived.toFixed(0)} ms); ${(sent / 1000).toFixed(0)} kB in ${files.length} files, ${requests.length} requests to the API`);

  expect(sent).toBeLessThan(250_000);
  expect(files.length).toBeLessThanOrEqual(10);
  for (const { path, sent: small, whole } of code) expect(small < whole || whole < 1000, `${path} goes over the wire compressed`).toBe(true);
  // Painting waits for the styles and for the few lines that choose between light and dark.
  expect(files.filter(({ path, isBlocking }) => isBlocking && path !== "/theme.js" && !path.endsWith(".css"))).toEqual([]);
  // A file that another file asks for has to wait for it; all of these are asked for by the page itself.
  expect(code.filter(({ path }) => !html.includes(path)).map(({ path }) => path)).toEqual([]);
  // Whether one is signed in, and five different things; what came before the stream had its place is asked for once more, lest an event be missed.
  expect(new Set(requests).size, requests.join(" ")).toBeLessThanOrEqual(6);
  expect(requests.length, requests.join(" ")).toBeLessThanOrEqual(9);
});

test("an event, and frames while it streams", async () => {
  const page = await signedIn(daemon);
  // Nothing stands between it and the daemon.
  await page.unrouteAll();
  await page.getByText("Nobody needs you").first().waitFor();
  const delays: number[] = [];
  for (let round = 0; round < 10; round++) {
    const seen = page.evaluate(
      () =>
        new Promise<number>((found) => {
          const watcher = new MutationObserver(() => {
            if (!document.querySelector("article")) return;
            watcher.disconnect();
            requestAnimationFrame(() => found(Date.now()));
          });
          watcher.observe(document.body, { childList: true, subtree: true });
        }),
    );
    await daemon.tell("atlas", "ask");
    const at = await seen;
    const { questions } = await daemon.call("GET", "/api/questions/pending");
    delays.push(at - questions[0].openedAt);
    await daemon.call("POST", `/api/questions/${questions[0].id}/answer`, { response: { value: "Red" } });
    await page.getByText("Nobody needs you").first().waitFor();
  }
  console.log(`a question seen after it was stored: median ${median(delays)} ms, slowest ${Math.max(...delays)} ms`);

  const { sessionId } = await daemon.tell("beacon", "go");
  await page.goto(`${daemon.url}/session/${sessionId}`);
  await page.locator("[data-writing]").waitFor();
  const frames = await page.evaluate(
    () =>
      new Promise<number[]>((done) => {
        const times: number[] = [];
        let last = performance.now();
        const step = (now: number) => {
          times.push(now - last);
          last = now;
          if (times.length < 240) requestAnimationFrame(step);
          else done(times);
        };
        requestAnimationFrame(step);
      }),
  );
  const ordered = sorted(frames);
  console.log(`frames while it streams: median ${median(frames).toFixed(1)} ms, slowest twentieth ${(ordered[Math.floor(ordered.length * 0.95)] ?? 0).toFixed(1)} ms`);
});
