// A conversation of a hundred thousand messages.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, closeBrowser, closePages, signedIn, toTheEnds } from "./stage";

const MESSAGES = 100_000;
let daemon: Daemon;
let session: string;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT }, ["responseTimeout: 10m"]);
  const told = await daemon.tell("atlas", `flood ${MESSAGES}`, 0);
  session = told.sessionId;
  expect(told.status).toBe("completed");
}, 300_000);
afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

test("is shown from its end, and says what is still being read", async () => {
  const page = await signedIn(daemon);
  // Only its end is let through at first.
  let go = () => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  await page.route(/\/messages\?.*after=/, async (route) => (await held, route.continue()));
  await page.goto(`${daemon.url}/session/${session}`);
  const log = page.getByRole("log");
  await log.getByText(new RegExp(`^${MESSAGES} `)).waitFor();
  await log.getByText("done", { exact: true }).waitFor();
  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill("nowhere");
  await page.getByText("0 found so far, still reading…").waitFor();
  await page.keyboard.press("Escape");
  // Until it is heard, as with a wheel: what follows the end takes a scroll back that comes in the same moment as a row.
  const gap = log.getByText(/^loading up to 9[89],\d\d\d more…$/);
  const seen = async () => (await log.evaluate((element) => (element.scrollTop = 0)), gap.isVisible());
  await expect.poll(seen, { timeout: 15_000 }).toBe(true);
  expect(await gap.locator("..").getAttribute("aria-busy")).toBe("true");
  go();
  await page.unrouteAll({ behavior: "ignoreErrors" });
}, 240_000);

test("whoever scrolls up while it is being read stays there, and there is always something to see", async () => {
  const page = await signedIn(daemon);
  for (let time = 0; time < 2; time++) {
    await page.goto(`${daemon.url}/session/${session}`);
    const log = page.getByRole("log");
    await log.getByText("done", { exact: true }).waitFor();
    const blank = await log.evaluateHandle(countBlank);
    await log.hover();
    await page.waitForTimeout(300);
    for (let notch = 0; notch < 3; notch++) {
      await page.mouse.wheel(0, -100);
      await page.waitForTimeout(150);
    }
    await page.getByRole("button", { name: "Follow" }).waitFor();
    const inView = () => log.evaluate(firstInView);
    const first = await inView();
    expect(first).toBeGreaterThan(MESSAGES - 100);
    await expect.poll(() => log.locator("[data-index]").last().getAttribute("data-index").then(Number), { timeout: 120_000 }).toBeGreaterThanOrEqual(MESSAGES - 100);
    expect(await inView()).toBe(first);
    expect(await blank.evaluate((seen) => seen.blank)).toBe(0);
  }
}, 400_000);

/** The number that the first row in view says. */
function firstInView(box: Element) {
  const row = [...box.querySelectorAll<HTMLElement>("[data-index]")].find((one) => one.getBoundingClientRect().bottom > box.getBoundingClientRect().top + 1);
  return Number(row?.innerText.split(" ")[0]);
}

/** Counts the frames in which no row is in view. */
function countBlank(box: Element) {
  const seen = { all: 0, blank: 0 };
  const look = () => {
    const { top, bottom } = box.getBoundingClientRect();
    const isThere = [...box.querySelectorAll("[data-index]")].some((row) => row.getBoundingClientRect().bottom > top + 1 && row.getBoundingClientRect().top < bottom);
    seen.all++;
    if (!isThere) seen.blank++;
    requestAnimationFrame(look);
  };
  look();
  return seen;
}

test("is scrolled from end to end with only a screenful of rows", async () => {
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/session/${session}`);
  const log = page.getByRole("log");
  await log.getByText("done", { exact: true }).waitFor({ timeout: 240_000 });
  const rows = () => log.locator("[data-index]").count();
  const last = () => log.locator("[data-index]").last().getAttribute("data-index");
  await expect.poll(async () => Number(await last()), { timeout: 240_000 }).toBeGreaterThanOrEqual(MESSAGES);
  expect(await rows()).toBeLessThan(200);
  // It came in a hundred pages, of which only what they are together is kept.
  const inside = await page.context().newCDPSession(page);
  await inside.send("HeapProfiler.collectGarbage");
  expect((await inside.send("Runtime.getHeapUsage")).usedSize / 1e6).toBeLessThan(150);

  for (const part of [0.75, 0.5, 0.25]) {
    await log.evaluate((element, to) => (element.scrollTop = element.scrollHeight * to), part);
    await expect.poll(async () => Math.abs(Number(await last()) / MESSAGES - part)).toBeLessThan(0.1);
    expect(await rows()).toBeLessThan(200);
  }
  await log.evaluate((element) => (element.scrollTop = 0));
  await log.getByText(`flood ${MESSAGES}`).waitFor();
  await page.getByRole("button", { name: "Follow" }).click();
  await log.getByText("done", { exact: true }).waitFor();
  await toTheEnds(page);
}, 240_000);

test("what happened is in the log, however much was said since", async () => {
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/system`);
  const log = page.getByRole("region", { name: "Log" });
  for (const kind of ["turn.finished", "turn.started", "daemon.started"]) await log.getByText(kind, { exact: true }).first().waitFor();
  // The link that signed this browser in.
  await log.getByLabel("Which events").selectOption("link");
  await log.getByText("link.made").first().waitFor();
  expect(await log.getByText("turn.started").count()).toBe(0);
});
