// Whoever closes what lies over the page is where they were before, by keys and for a screen reader.
import { type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, closeBrowser, closePages, signedIn } from "./stage";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT, beacon: SCRIPT, comet: SCRIPT });
  await daemon.tell("atlas", "approve one");
  await daemon.tell("beacon", "hello", 0);
});
afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

interface Case {
  name: string;
  path: string;
  /** What has the focus before. */
  from: (page: Page) => ReturnType<Page["locator"]>;
  open: (page: Page) => Promise<unknown>;
  /** What has it after, if that is another thing. */
  to?: (page: Page) => ReturnType<Page["locator"]>;
}

const row = (page: Page) => page.locator("[data-row]").first();
const card = (page: Page) => page.getByRole("article", { name: "Question of atlas" });
const more = (page: Page) => page.getByLabel("More about the question of atlas");
const actions = (page: Page) => page.getByLabel("Actions for atlas");

/** By name, as one who knows no other way. */
async function command(page: Page, name: string) {
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Go to, or do…").fill(name);
  await page.keyboard.press("Enter");
  await page.getByPlaceholder("Go to, or do…").waitFor({ state: "detached" });
}

const CASES: Case[] = [
  { name: "the palette", path: "/fleet", from: row, open: (page) => page.keyboard.press("Control+k") },
  { name: "the palette, with nothing before it", path: "/fleet", from: (page) => page.locator("body"), open: (page) => page.keyboard.press("Control+k"), to: (page) => page.locator("#main") },
  { name: "the keys", path: "/fleet", from: row, open: (page) => page.keyboard.press("?") },
  { name: "the keys, from the palette", path: "/fleet", from: row, open: (page) => command(page, "Keys") },
  { name: "stop everything", path: "/fleet", from: (page) => page.getByRole("button", { name: "Stop everything" }), open: (page) => page.keyboard.press("Enter") },
  { name: "stop everything, from the palette", path: "/fleet", from: row, open: (page) => command(page, "Stop everything") },
  { name: "tell, from the palette", path: "/fleet", from: row, open: async (page) => (await page.keyboard.press("Control+k"), await page.getByRole("option", { name: "Tell comet" }).click(), page.getByPlaceholder("Tell comet").waitFor()) },
  { name: "the menu of a session", path: "/fleet", from: actions, open: (page) => page.keyboard.press("Enter") },
  { name: "stop a session", path: "/fleet", from: actions, open: async (page) => (await page.keyboard.press("Enter"), page.getByRole("menuitem", { name: /Stop at once/ }).click()) },
  { name: "the menu of a question", path: "/inbox", from: more, open: (page) => page.keyboard.press("Enter") },
  { name: "when to come back to it", path: "/inbox", from: (page) => page.getByLabel("Put aside until later"), open: (page) => page.keyboard.press("Enter") },
  { name: "withdraw a question", path: "/inbox", from: more, open: async (page) => (await page.keyboard.press("Enter"), page.getByRole("menuitem").click()) },
  { name: "a question that comes by itself", path: "/settings", from: (page) => page.getByRole("link", { name: "Jobs" }), open: () => daemon.tell("comet", "ask") },
];

test.each(CASES)("$name", async ({ path, from, open, to = from }) => {
  const page = await signedIn(daemon);
  await page.goto(daemon.url + path);
  await page.locator('[data-connection="live"]').waitFor({ state: "attached" });
  const before = from(page);
  await before.waitFor();
  await before.focus();
  await open(page);
  const over = page.locator('[role="dialog"], [role="menu"]');
  await expect.poll(() => over.count(), { timeout: 15_000 }).toBe(1);
  await page.keyboard.press("Escape");
  await over.waitFor({ state: "detached" });
  await expect.poll(() => to(page).evaluate((element) => element === document.activeElement), { message: "who has the focus", timeout: 5000 }).toBe(true);
});

test("after an answer it is with the next question, and at last with the page", async () => {
  const page = await signedIn(daemon);
  const has = (what: ReturnType<Page["locator"]>) => expect.poll(() => what.evaluateAll((all) => all.some((element) => element === document.activeElement)), { message: "who has the focus", timeout: 5000 }).toBe(true);
  await card(page).waitFor();
  const of = (team: string) => page.getByRole("article", { name: `Question of ${team}` });
  await daemon.tell("beacon", "ask");
  await of("beacon").getByRole("button", { name: "Red" }).focus();
  // What has just moved does not take a press.
  await page.waitForTimeout(700);
  await page.keyboard.press("Enter");
  await of("beacon").waitFor({ state: "detached" });
  await has(page.getByRole("article"));
  // Over another page by keys alone, too.
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await daemon.tell("beacon", "ask");
  await page.getByRole("dialog").getByText("Which colour for the button?").waitFor();
  await page.keyboard.press("r");
  await has(page.getByRole("dialog").getByRole("textbox"));
  await page.keyboard.type("Green");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await has(page.getByRole("link", { name: "Settings" }));
  const { sessionId } = await daemon.tell("beacon", "ask");
  await page.goto(`${daemon.url}/session/${sessionId}`);
  await of("beacon").getByRole("button", { name: "Red" }).click();
  await of("beacon").waitFor({ state: "detached" });
  await has(page.locator("#main"));
});

test("a box that is left gives it to its card, and the search to the conversation", async () => {
  const page = await signedIn(daemon);
  await card(page).getByRole("textbox").focus();
  await page.keyboard.press("Escape");
  expect(await card(page).evaluate((element) => element === document.activeElement)).toBe(true);
  const { items } = await daemon.call("GET", "/api/sessions");
  await page.goto(`${daemon.url}/session/${items.find(({ to }: { to: string }) => to === "atlas").id}`);
  await card(page).getByRole("textbox").focus();
  await page.keyboard.press("Escape");
  expect(await card(page).evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press("/");
  await page.getByLabel("Find in this conversation").press("Escape");
  expect(await page.getByRole("log").evaluate((element) => element === document.activeElement)).toBe(true);
});
