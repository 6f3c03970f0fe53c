// From page to page: each begins at its top, and who goes back finds it where they left it.
import { type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, PHONE, WIDE, closeBrowser, closePages, signedIn } from "./stage";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT, beacon: SCRIPT, comet: SCRIPT, delta: SCRIPT });
  for (const team of ["atlas", "beacon", "comet", "delta"]) await daemon.tell(team, "many");
});
afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

const top = (page: Page) => page.locator("main").evaluate((main) => Math.round(main.scrollTop));

test.each([WIDE, PHONE])("a page begins at its top, and is found again where it was left, $width wide", async (viewport) => {
  const page = await signedIn(daemon, { viewport });
  await page.getByRole("article").nth(3).waitFor();
  await page.locator("main").evaluate((main) => (main.scrollTop = 600));
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  await expect.poll(() => top(page)).toBe(0);
  await page.getByRole("region", { name: "Config" }).getByText("config.yaml").waitFor();
  await page.locator("main").evaluate((main) => (main.scrollTop = 300));
  await page.getByRole("link", { name: "Inbox" }).click();
  await page.getByRole("article").nth(3).waitFor();
  await expect.poll(() => top(page)).toBe(0);
  await page.goBack();
  await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  await expect.poll(() => top(page)).toBe(300);
  await page.goBack();
  await page.getByRole("article").nth(3).waitFor();
  await expect.poll(() => top(page)).toBe(600);
});

test("so is a list of the inbox", async () => {
  const page = await signedIn(daemon);
  await page.getByRole("article").nth(3).waitFor();
  await page.locator("main").evaluate((main) => (main.scrollTop = 600));
  // By name: the tabs are out of view.
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("option", { name: "Decided questions" }).click();
  await page.getByText("Nothing decided lately").waitFor();
  expect(await top(page)).toBe(0);
  await page.goBack();
  await expect.poll(() => top(page)).toBe(600);
});
