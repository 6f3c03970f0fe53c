// What is to be approved, or was done, is long: it is shown whole, nothing is approved unseen by one press, and the page
// stays where it is.
import { type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { Daemon, PHONE, WIDE, closeBrowser, closePages, signedIn } from "./stage";

const lines = (count: number, word: string) => JSON.stringify(Array.from({ length: count }, (_, index) => `${word} ${index + 1}`).join("\n"));

const NAME = "reason_why_this_is_safe_and_was_agreed_with_you_before_".repeat(8);

const SCRIPT = `
replies:
  - match: "^wrote"
    do: [{ tool: { name: Write, input: { file_path: a.txt, content: ${lines(300, "row")} }, result: ok } }, { say: "Written" }]
  - match: "^write"
    do: [{ permission: { tool: Write, input: { file_path: b.txt, content: ${lines(471, "row")} }, result: ok, then: [{ say: "Written" }], denied: [{ say: "Not written" }] } }]
  - match: "^run"
    do: [{ permission: { tool: Bash, input: { command: ${lines(62, "echo")} }, result: ok, then: [{ say: "Ran" }], denied: [{ say: "Not run" }] } }]
${[5, 56, 75, 140, 400].map((length) => `  - match: "^name ${length}$"
    do: [{ permission: { tool: "mcp__crm__${"update_everything_".repeat(12)}", input: { id: 7, "${NAME.slice(0, length)}": "DELETE ALL", zone: "of the customers" }, result: ok, then: [{ say: "Done" }], denied: [{ say: "Not done" }] } }]`).join("\n")}
`;

const PICTURES = process.env["IRIS_TEST_PICTURES"];

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT, beacon: SCRIPT });
});
afterEach(async () => {
  await daemon.call("POST", "/api/agents/stop");
  for (const { id } of await pending()) await daemon.call("POST", `/api/questions/${id}/cancel`, {});
  expect(await closePages()).toEqual([]);
});
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

const pending = async () => (await daemon.call("GET", "/api/questions/pending")).questions;
const card = (page: Page) => page.getByRole("article", { name: "Question of atlas" });
const approve = (page: Page) => card(page).getByRole("group", { name: "Answers" }).getByRole("button").first();
const wait = (ms: number) => new Promise((over) => setTimeout(over, ms));

/** The page itself never scrolls: whatever is long scrolls in its own box. */
const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight);

test("a long change does not blank the conversation that it is in", async () => {
  const told = await daemon.tell("atlas", "wrote", 0);
  for (const viewport of [{ width: 1280, height: 800 }, PHONE]) {
    const page = await signedIn(daemon, { viewport });
    await page.goto(`${daemon.url}/session/${told.sessionId}`);
    const log = page.getByRole("log");
    await log.getByText("300 lines, ").waitFor();
    await wait(300);
    expect(await overflow(page)).toBe(0);
    // Its own length is that of its rows, and not of what is in boxes in them.
    const { all, rows } = await log.evaluate((box) => ({ all: box.scrollHeight, rows: box.querySelector("[data-index]")?.parentElement?.clientHeight ?? 0 }));
    expect(all - rows).toBeLessThan(50);
    const end = await log.getByText("done", { exact: true }).boundingBox();
    expect(end?.y, "its end is on the screen").toBeLessThan(viewport.height);
    expect(await log.getByText("Written").isVisible()).toBe(true);
  }
});

test("a long command says how much is below; one press does not approve what was not seen", async () => {
  const page = await signedIn(daemon);
  await daemon.tell("atlas", "run");
  const below = card(page).locator("[data-below]").first();
  await below.waitFor();
  expect(await below.innerText()).toMatch(/^62 lines, \d\d below: scroll to see them$/);
  await wait(700);
  await approve(page).click();
  await card(page).getByText(/\d\d lines not seen. Press again to approve/).first().waitFor();
  expect(await pending(), "it waits for a second press").toHaveLength(1);
  await wait(6000);
  await page.keyboard.press("1");
  await wait(300);
  expect(await pending(), "a key is one press, too").toHaveLength(1);
  await wait(6000);

  // Who has scrolled through it has seen it.
  await card(page).locator("pre").first().evaluate((box) => (box.scrollTop = box.scrollHeight));
  await card(page).getByText("62 lines, this is the end").waitFor();
  await approve(page).click();
  await card(page).waitFor({ state: "detached" });
  expect(await pending()).toHaveLength(0);
});

test.each([
  [56, "on a phone", PHONE, false],
  [400, "on a phone", PHONE, false],
  [75, "in the modal", WIDE, true],
  [140, "wide", { width: 1440, height: 900 }, false],
  [400, "in the modal on a phone", PHONE, true],
])("a name of %s letters takes no room from what is approved, %s", async (length, where, viewport, isModal) => {
  const page = await signedIn(daemon, { viewport });
  if (isModal) {
    await page.goto(`${daemon.url}/fleet`);
    await page.locator('[data-connection="live"]').waitFor({ state: "attached" });
  }
  await daemon.tell("atlas", `name ${length}`);
  const asked = isModal ? page.getByRole("dialog") : card(page);
  const action = asked.getByRole("group", { name: "What would be done" });
  await action.waitFor();
  await action.getByText(NAME.slice(0, length), { exact: true }).waitFor();
  for (const value of ["7", "DELETE ALL", "of the customers"]) {
    const text = action.locator("dd pre", { hasText: value }).first();
    await text.scrollIntoViewIfNeeded();
    const { width, height } = (await text.boundingBox()) ?? { width: 0, height: 0 };
    expect(width, `${value} has room`).toBeGreaterThan(120);
    expect(height, `${value} is on one line`).toBeLessThan(30);
  }
  for (const part of await action.locator("p, dt, dd").all()) {
    const { x, width } = (await part.boundingBox()) ?? { x: 0, width: 0 };
    expect(x + width, "nothing runs off the screen").toBeLessThanOrEqual(viewport.width);
    expect(await part.evaluate((box) => box.scrollWidth - box.clientWidth), "nor out of its box").toBeLessThanOrEqual(1);
  }
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/exact-name-${length}-${where.replaceAll(" ", "-")}.png` });
});

test.each(["width", "height"])("what has no %s was not seen, whatever it is that takes it", async (side) => {
  const page = await signedIn(daemon);
  await page.addInitScript((squeezed) => {
    const squeeze = () => document.querySelectorAll<HTMLElement>("dd pre").forEach((value) => (value.style[squeezed as "width"] = "0"));
    new MutationObserver(squeeze).observe(document, { childList: true, subtree: true });
  }, side);
  await page.reload();
  await daemon.tell("atlas", "name 5");
  await card(page).locator("dd pre").first().waitFor({ state: "attached" });
  await wait(700);
  await approve(page).click();
  await card(page).getByText(/lines? not seen. Press again to approve/).first().waitFor();
  expect(await pending(), "it waits for a second press").toHaveLength(1);
});

test("what is written is there to the last line, on a phone as well", async () => {
  const page = await signedIn(daemon, { viewport: PHONE, hasTouch: true });
  await daemon.tell("atlas", "write");
  await card(page).getByText("471 lines, ").waitFor();
  expect(await card(page).locator("pre").first().innerText()).toContain("row 471");
  expect(await overflow(page)).toBe(0);
  await wait(700);
  await approve(page).tap();
  await card(page).getByText(/4\d\d lines not seen. Press again to approve/).first().waitFor();
  expect(await pending()).toHaveLength(1);
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/exact-phone.png` });
  await approve(page).tap();
  await card(page).waitFor({ state: "detached" });
});

test("who speaks in the session of another is told as whom", async () => {
  const told = await daemon.call("POST", "/api/teams/tell", { toTeam: "beacon", fromTeam: "atlas", message: "wrote", timeout: 0 });
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/session/${told.sessionId}`);
  await page.getByText("You speak as atlas here").waitFor();
  const own = await daemon.tell("beacon", "wrote", 0);
  await page.goto(`${daemon.url}/session/${own.sessionId}`);
  await page.getByRole("textbox", { name: "Tell beacon" }).waitFor();
  expect(await page.getByText("You speak as").count()).toBe(0);
});

test("commands are a press away, also without a keyboard", async () => {
  for (const viewport of [{ width: 1280, height: 800 }, PHONE]) {
    const page = await signedIn(daemon, { viewport });
    await page.getByRole("button", { name: viewport === PHONE ? "Go to" : "Commands" }).click();
    await page.getByPlaceholder("Go to, or do…").fill("health");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/system");
  }
});

test("what is gone to is not below the bar of several, and the ring of a tab is whole", async () => {
  const page = await signedIn(daemon, { viewport: { width: 1280, height: 400 } });
  for (const team of ["atlas", "beacon"]) await daemon.tell(team, "write");
  await page.getByRole("article").nth(1).waitFor();
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  const bar = await page.getByRole("toolbar", { name: "Answer together" }).boundingBox();
  const head = await page.locator("article:focus").boundingBox();
  expect(head?.y).toBeGreaterThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0));
  const tab = page.getByRole("link", { name: "Decided" });
  await tab.focus();
  expect(await tab.evaluate((link) => Number.parseFloat(getComputedStyle(link).outlineOffset))).toBeLessThanOrEqual(-2);
});
