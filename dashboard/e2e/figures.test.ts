// Figures that are drawn: they are there, and they are right.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, PHONE, closeBrowser, closePages, signedIn } from "./stage";

const COSTS = "default: [{ cost: 0.2 }, { say: done }]";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: { script: COSTS, config: ["maxBudgetUsd: 0.5"] }, beacon: SCRIPT });
});
afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

test("a budget is used up by the process, and whole again for the next", async () => {
  await daemon.tell("atlas", "one", 0);
  await daemon.tell("beacon", "hello", 0);
  const page = await signedIn(daemon);
  await page.getByRole("link", { name: "Fleet" }).click();
  const bar = page.getByRole("region", { name: "Team atlas" }).getByRole("meter");
  await page.getByLabel("Budget of this process: $0.20 of $0.50").waitFor();
  expect(await bar.getAttribute("aria-valuenow")).toBe("0.2");
  expect(await page.getByRole("region", { name: "Team beacon" }).getByRole("meter").count(), "no budget, no bar").toBe(0);
  await daemon.tell("atlas", "two", 0);
  await page.getByLabel("Budget of this process: $0.40 of $0.50").waitFor();
  await daemon.call("POST", "/api/teams/atlas/sleep", { force: true });
  await bar.waitFor({ state: "detached" });
  await daemon.tell("atlas", "three", 0);
  await page.getByLabel("Budget of this process: $0.20 of $0.50").waitFor();
});

test("a value without neighbours is seen, and the charts leave no hole", async () => {
  const page = await signedIn(daemon);
  for (const [width, columns] of [[PHONE.width, 1], [800, 2], [1280, 3]] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${daemon.url}/system`);
    const figures = page.locator("figure");
    await figures.first().locator("canvas").waitFor();
    const boxes = await figures.evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ top, left, right }) => ({ top, left, right })));
    expect(boxes).toHaveLength(3);
    expect(new Set(boxes.map(({ left }) => left)).size, `columns at ${width}`).toBe(columns);
    for (const top of new Set(boxes.map((box) => box.top))) expect(Math.max(...boxes.filter((box) => box.top === top).map(({ right }) => right)), "each row is full").toBe(Math.max(...boxes.map(({ right }) => right)));
    // All turns ended within a minute or so: there is hardly a line to draw.
    const drawn = await figures.filter({ hasText: "How long they took" }).locator("canvas").evaluate((canvas: HTMLCanvasElement) => {
      const wanted = getComputedStyle(document.documentElement).getPropertyValue("--held").trim();
      const [red, green, blue] = [1, 3, 5].map((at) => parseInt(wanted.slice(at, at + 2), 16));
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      let found = 0;
      for (let at = 0; at < data.length; at += 4) if ([red, green, blue].every((part, of) => Math.abs((data[at + of] ?? 0) - (part ?? 0)) < 8) && (data[at + 3] ?? 0) > 100) found++;
      return found;
    });
    expect(drawn, "dots of the slowest").toBeGreaterThan(8);
  }
});

test("in the fleet nothing is drawn over anything, and what was told has room", async () => {
  const { sessionId } = await daemon.call("POST", "/api/teams/tell", { toTeam: "atlas", fromTeam: "a-party-with-a-name-that-is-quite-long", message: "Please look at all the pages and say what is missing", timeout: 0 });
  await daemon.call("POST", "/api/teams/tell", { toTeam: "beacon", fromTeam: "a-party-with-a-name-that-is-quite-long", message: "leave town", timeout: -1 });
  const page = await signedIn(daemon);
  for (const width of [PHONE.width, 768, 900, 1024, 1280, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${daemon.url}/fleet`);
    await page.getByRole("meter").first().waitFor();
    await page.getByText("needs you").first().waitFor();
    const cells = await page.locator("main section ul > li").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => {
      // What is cut off is as wide as its cell; what sticks out of one is not.
      const boxes = [cell, ...cell.querySelectorAll(":not(.truncate *)")].map((part) => part.getBoundingClientRect()).filter((box) => box.width > 0);
      return { left: Math.min(...boxes.map(({ left }) => left)), right: Math.max(...boxes.map(({ right }) => right)), top: Math.min(...boxes.map(({ top }) => top)), bottom: Math.max(...boxes.map(({ bottom }) => bottom)) };
    })));
    for (const row of cells) for (const [at, one] of row.entries()) for (const other of row.slice(at + 1)) expect(Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1, `cells over each other at ${width}: ${JSON.stringify(row)}`).toBe(false);
    const told = await page.locator(`main a[href="/session/${sessionId}"]`).first().boundingBox();
    expect(told?.width, `at ${width}`).toBeGreaterThan(200);
  }
});

test("what one long session says takes nothing away from what is shown of the others", async () => {
  const page = await signedIn(daemon);
  await daemon.call("POST", "/api/teams/tell", { toTeam: "atlas", fromTeam: "before", message: "one", timeout: 0 });
  const { ended, bad, costUsd } = await daemon.call("GET", "/api/turns/figures");
  const { items: decided } = await daemon.call("GET", "/api/questions/decided");
  // More than any page reads of the log.
  await daemon.tell("beacon", "flood 21000", 0);
  const after = await daemon.call("GET", "/api/turns/figures");
  expect([after.ended, after.bad, after.costUsd]).toEqual([ended + 1, bad, costUsd]);
  await page.goto(`${daemon.url}/fleet`);
  await page.getByText(`$${costUsd.toFixed(2)} today`).waitFor();
  await page.getByRole("region", { name: "Team atlas" }).getByRole("meter").first().waitFor();
  await page.goto(`${daemon.url}/system`);
  await page.getByText(`${ended + 1} ended, ${bad} of them badly`).waitFor();
  await page.goto(`${daemon.url}/inbox?view=decided`);
  if (decided.length === 0) await page.getByText("Nothing decided lately").waitFor();
  else await expect.poll(() => page.locator("main li").count()).toBe(decided.length);
}, 240_000);
