// What has to be there whole where there is little room, and what is said after something was done.
import { type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, PHONE, closeBrowser, closePages, signedIn } from "./stage";

const PICTURES = process.env["IRIS_TEST_PICTURES"];

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT, beacon: SCRIPT, comet: SCRIPT });
  await daemon.tell("atlas", "ask me");
  await daemon.tell("beacon", "approve clean");
  await daemon.tell("comet", "leave town");
  await daemon.call("POST", "/api/teams/tell", { toTeam: "comet", fromTeam: "beacon", message: "hang on", timeout: -1 });
  for (const fromTeam of ["one", "two"]) await daemon.call("POST", "/api/teams/tell", { toTeam: "atlas", fromTeam, message: "prefer", timeout: -1 });
  const asked = async () => (await daemon.call("GET", "/api/questions/pending")).questions.length;
  for (let left = 500; left > 0 && (await asked()) < 5; left--) await new Promise((wait) => setTimeout(wait, 20));
});
afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

const picture = (page: Page, name: string) => PICTURES && page.screenshot({ path: `${PICTURES}/${name}.png` });

test.each([320, 390, 1440])("the state of a session is never cut, at %s", async (width) => {
  const page = await signedIn(daemon, { viewport: { width, height: 844 } });
  await page.goto(`${daemon.url}/fleet`);
  await page.locator("[data-mood]").nth(3).waitFor();
  // As long as they get.
  await page.evaluate(() => document.querySelectorAll("main li time").forEach((time) => (time.textContent = "23 h 59 m")));
  const words = await page.locator("[data-mood] .font-medium").evaluateAll((all) => all.map((word) => ({ text: word.textContent, cut: word.scrollWidth - word.clientWidth, right: word.getBoundingClientRect().right })));
  expect(words.map(({ text }) => text)).toContain("needs you");
  for (const { text, cut, right } of words) {
    expect(cut, text ?? "").toBeLessThanOrEqual(0);
    expect(right, text ?? "").toBeLessThanOrEqual(width);
  }
  await picture(page, `fleet-${width}`);
});

test("the head of a session has a row less on a phone, and says where its state is known from where there is room", async () => {
  const page = await signedIn(daemon, { viewport: { width: 390, height: 844 } });
  const session = (await daemon.call("GET", "/api/sessions")).items.find(({ stateSource }: { stateSource?: unknown }) => stateSource);
  await page.goto(`${daemon.url}/session/${session.id}`);
  const middle = async (locator: Locator) => ((box) => (box ? box.y + box.height / 2 : NaN))(await locator.boundingBox());
  await page.getByRole("button", { name: "Find" }).waitFor();
  expect(Math.abs((await middle(page.getByRole("button", { name: "Find" }))) - (await middle(page.getByRole("heading", { level: 1 }))))).toBeLessThan(10);
  await page.setViewportSize({ width: 1440, height: 900 });
  const source = page.locator("header [data-mood] > span").nth(1);
  // As long as they get.
  await source.evaluate((line) => line.append(" and something that takes a lot more room than the state above it"));
  expect(await source.evaluate((line) => line.scrollWidth - line.clientWidth)).toBeLessThanOrEqual(0);
});

test.each([320, 390, 1024, 1440])("the filters can be read, at %s", async (width) => {
  const page = await signedIn(daemon, { viewport: { width, height: 844 } });
  await page.goto(`${daemon.url}/inbox?work=stops`);
  await page.getByLabel("Urgency").waitFor();
  // A long one that is not chosen takes no room from what is.
  await page.getByLabel("Kind", { exact: true }).evaluate((select: HTMLSelectElement) => select.add(new Option("what is called by a name of a great many words")));
  for (const name of ["Team", "Kind", "Urgency"]) {
    // As wide as what is chosen would like to be.
    const missing = await page.getByLabel(name, { exact: true }).evaluate((select: HTMLSelectElement) => {
      const free = select.cloneNode(true) as HTMLSelectElement;
      free.value = select.value;
      Object.assign(free.style, { position: "absolute", width: "max-content", flex: "none", fieldSizing: "content" });
      document.body.append(free);
      const missing = free.offsetWidth - select.offsetWidth;
      free.remove();
      return missing;
    });
    expect(missing, name).toBeLessThanOrEqual(1);
  }
  await picture(page, `filters-${width}`);
});

test("with Later among them, the tabs fit on a phone; a filter that nothing fits can be cleared", async () => {
  const page = await signedIn(daemon, { viewport: PHONE });
  await page.getByLabel("Put aside until later").first().click();
  await page.getByRole("menuitem").first().click();
  const tabs = page.getByRole("navigation", { name: "Which questions" });
  await tabs.getByRole("link", { name: "Later" }).waitFor();
  expect(await tabs.evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(0);
  await picture(page, "tabs-phone");
  await page.goto(`${daemon.url}/inbox?team=nobody`);
  await page.getByText("Nothing fits the filter").waitFor();
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await page.getByRole("article").first().waitFor();
  expect(new URL(page.url()).search).toBe("");
});

test("several answers leave a word, and what is decided can be filtered", async () => {
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/inbox?team=atlas`);
  const doors = page.getByRole("article").filter({ hasText: "Which door?" });
  await expect.poll(() => doors.count()).toBe(2);
  for (const at of [0, 1]) await doors.nth(at).getByRole("checkbox").check();
  await page.getByRole("toolbar").getByRole("button", { name: /Oak/ }).click();
  await page.locator("[data-notice]").getByText("2 answered: Oak").waitFor();
  await picture(page, "together");
  // And of one, which it was. A press in the moment in which cards move is a slip.
  await page.waitForTimeout(700);
  await page.getByRole("article").filter({ hasText: "Which colour" }).getByRole("button", { name: /Blue/ }).click();
  await page.locator("[data-notice]").getByText("Answered: Blue · Which colour for the button?").waitFor();
  await daemon.call("POST", "/api/teams/comet/cancel", {});
  await page.goto(`${daemon.url}/inbox?view=decided`);
  const rows = page.locator("main li");
  await expect.poll(() => rows.count()).toBeGreaterThan(3);
  await page.getByLabel("Team").selectOption("atlas");
  await expect.poll(() => rows.count()).toBe(3);
  // Looking at one keeps the filter.
  await rows.first().getByRole("link").first().click();
  await expect.poll(() => new URL(page.url()).searchParams.get("team")).toBe("atlas");
  await picture(page, "decided-filtered");
});

test("to cancel asks first", async () => {
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/fleet`);
  await page.getByLabel(/Actions for comet for beacon/).click();
  await page.getByRole("menuitem", { name: "Cancel what it does…" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel what comet for beacon does?" });
  await dialog.getByText("Its turn is broken off.").waitFor();
  await picture(page, "cancel");
  await dialog.getByRole("button", { name: "Let it go on" }).click();
  await dialog.waitFor({ state: "detached" });
  const running = async () => (await daemon.call("GET", "/api/sessions")).items.find(({ to, from }: { to: string; from: string }) => to === "comet" && from === "beacon").running;
  expect(await running()).toBeTruthy();
  await page.getByLabel(/Actions for comet for beacon/).click();
  await page.getByRole("menuitem", { name: "Cancel what it does…" }).click();
  await dialog.getByRole("button", { name: "Cancel it" }).click();
  await page.getByText("1 turn cancelled").waitFor();
  await expect.poll(running).toBeFalsy();
});

test("figures stand in one line, and charts at one height", async () => {
  const page = await signedIn(daemon, { viewport: { width: 1440, height: 900 } });
  await page.goto(`${daemon.url}/system`);
  await page.getByText("How long they took").waitFor();
  const tops = async (what: string) => [...new Set(await page.locator(what).evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top))))];
  expect(await tops("main dl dd")).toHaveLength(1);
  expect(await tops("figure [role=img].overflow-hidden")).toHaveLength(1);
  await picture(page, "health-1440");
});
