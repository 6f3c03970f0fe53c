// How fast it is. Nothing is asserted about time: machines differ. Left out unless asked for: IRIS_MEASURE=1 npm run e2e -- measure
import { afterAll, beforeAll, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, closeBrowser, closePages, signedIn, stranger } from "./stage";

const STREAM = `
default: [{ stream: { text: "${"word ".repeat(4000)}", chunk: 10, every: 4ms } }]
`;

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT, beacon: STREAM });
});
afterAll(async () => {
  await closePages();
  await closeBrowser();
  await daemon.close();
});

const sorted = (values: number[]) => values.toSorted((one, other) => one - other);
const median = (values: number[]) => sorted(values)[Math.floor(values.length / 2)] ?? 0;

test.runIf(process.env["IRIS_MEASURE"])("first page, an event, frames while it streams", async () => {
  const starts: number[] = [];
  const storageState = await (await signedIn(daemon)).context().storageState();
  for (let round = 0; round < 5; round++) {
    // Signed in, with nothing of the page kept from before.
    const page = await stranger({ storageState });
    await page.goto(`${daemon.url}/inbox`);
    await page.waitForFunction(() => document.body.innerText.includes("Nobody needs you"));
    starts.push(await page.evaluate(() => performance.now()));
    await page.context().close();
  }
  console.log(`first page usable: median ${median(starts).toFixed(0)} ms, slowest ${Math.max(...starts).toFixed(0)} ms`);

  const page = await signedIn(daemon);
  await page.getByText("Nobody needs you").waitFor();
  const delays: number[] = [];
  for (let round = 0; round < 20; round++) {
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
    await page.getByText("Nobody needs you").waitFor();
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
