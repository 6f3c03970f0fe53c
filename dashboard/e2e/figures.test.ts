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
