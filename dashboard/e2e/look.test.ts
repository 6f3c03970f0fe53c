// Every page as people see it: wide and narrow, light and dark. Nothing serious for axe, and a picture of each, kept to be
// looked at.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

import { type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, PHONE, WIDE, closeBrowser, closePages, signedIn, stranger } from "./stage";

const PICTURES = process.env["IRIS_TEST_PICTURES"] ?? resolve(import.meta.dirname, "../../target/screenshots");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let daemon: Daemon;
let empty: Daemon;
let places: { name: string; path: string; fact: string; act?: (page: Page) => Promise<void> }[];

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  empty = await Daemon.start({});
  daemon = await Daemon.start({ atlas: { script: SCRIPT, config: ["maxBudgetUsd: 0.1"] }, beacon: SCRIPT, comet: SCRIPT, delta: SCRIPT, ["a-team-with-a-name-that-is-as-long-as-it-may-be-and-then-longer"]: SCRIPT });
  await daemon.tell("a-team-with-a-name-that-is-as-long-as-it-may-be-and-then-longer", "ask me too");
  for (const text of ["hello", "work on the button, please", "letter", "fail at this"]) await daemon.tell("atlas", text, 0);
  const { sessionId } = await daemon.tell("atlas", "work some more on the button", 0);
  const asked = await daemon.tell("beacon", "ask me something");
  await daemon.tell("comet", "approve clean");
  await daemon.tell("delta", "form");
  await daemon.call("POST", "/api/teams/tell", { toTeam: "delta", fromTeam: "atlas", message: "hang on", timeout: -1 });
  await daemon.call("POST", "/api/teams/tell", { toTeam: "delta", fromTeam: "beacon", message: "fail", timeout: 0 });
  const refused = await daemon.call("POST", "/api/teams/tell", { toTeam: "atlas", fromTeam: "comet", message: "approve tidy", timeout: -1 });
  const tidy = await asks("atlas");
  await daemon.call("POST", `/api/questions/${tidy}/answer`, { response: { value: false, text: "not before the release" } });
  const job = await daemon.call("POST", "/api/jobs", { team: "comet", goal: "Paint the button" });
  await daemon.call("POST", "/api/jobs", { team: "beacon", goal: "ask about the colour of the door" });
  places = [
    { name: "inbox", path: "/inbox", fact: "Which parts?" },
    { name: "edit", path: "/inbox?team=comet", fact: "make clean", act: async (page) => (await page.getByRole("button", { name: "Edit first" }).first().click(), page.getByLabel("command").waitFor()) },
    { name: "withdraw", path: "/inbox?team=comet", fact: "make clean", act: async (page) => (await page.getByLabel("More about the question of comet").first().click(), await page.getByRole("menuitem").click(), page.getByRole("dialog").waitFor()) },
    { name: "decided", path: `/inbox?view=decided&question=${tidy}`, fact: "was to be called with exactly this" },
    { name: "fleet", path: "/fleet", fact: "hang on" },
    { name: "session", path: `/session/${sessionId}`, fact: "the form uses it" },
    { name: "session-decided", path: `/session/${refused.sessionId}`, fact: "refused by user" },
    { name: "session-question", path: `/session/${asked.sessionId}`, fact: "Which colour" },
    { name: "jobs", path: "/jobs", fact: "Paint the button" },
    { name: "job", path: `/job/${job.id}`, fact: "You said: Paint the button" },
    { name: "health", path: "/system", fact: "How long they took" },
    { name: "log", path: "/system?event=20", fact: "Log around event 20" },
    { name: "settings", path: "/settings", fact: "Tokens and browsers" },
    { name: "palette", path: "/fleet", fact: "hang on", act: async (page) => (await page.keyboard.press("Control+k"), page.getByPlaceholder("Go to, or do…").waitFor()) },
    { name: "palette-typed", path: "/fleet", fact: "hang on", act: (page) => typeCommand(page, "team") },
    { name: "palette-nothing", path: "/fleet", fact: "hang on", act: (page) => typeCommand(page, "zzzzqq") },
    { name: "later-soon", path: "/inbox", fact: "Which parts?", act: putAsideTooLate },
    { name: "keys", path: "/fleet", fact: "hang on", act: async (page) => (await page.keyboard.press("?"), page.getByRole("dialog").waitFor()) },
    // At the end: what is put aside is not there any more.
    { name: "notice", path: "/inbox", fact: "Which parts?", act: putAsideTwo },
  ];
});
/** The question that a team has open, once it has. */
async function asks(team: string): Promise<string> {
  for (let left = 500; left > 0; left--) {
    const { questions } = await daemon.call("GET", "/api/questions/pending");
    const asked = questions.find((question: { team: string }) => question.team === team);
    if (asked) return asked.id;
    await new Promise((wait) => setTimeout(wait, 20));
  }
  throw new Error(`${team} asks nothing`);
}

async function typeCommand(page: Page, text: string) {
  await page.keyboard.press("Control+k");
  const typed = page.getByPlaceholder("Go to, or do…");
  for (const letter of text) {
    await typed.pressSequentially(letter);
    // What is spoken is what Enter takes.
    const spoken = () => typed.evaluate((input) => {
      const [named, selected] = [input.getAttribute("aria-activedescendant"), document.querySelector('[role="option"][aria-selected="true"]')];
      return named === (selected?.id ?? null) && (named !== null) === (document.querySelector('[role="option"]') !== null);
    });
    await expect.poll(spoken, { message: `after ${letter} of ${text}` }).toBe(true);
    const isSeen = () => page.evaluate(() => {
      const [one, list] = ['[role="option"][aria-selected="true"]', '[role="listbox"]'].map((what) => document.querySelector(what)?.getBoundingClientRect());
      return !one || !list || (one.top >= list.top - 1 && one.bottom <= list.bottom + 1);
    });
    await expect.poll(isSeen, { message: `seen after ${letter} of ${text}` }).toBe(true);
  }
}

/** In four minutes they all run out. */
async function putAsideTooLate(page: Page) {
  await page.route("**/api/questions/pending", async (route) => {
    const answer = await route.fetch();
    const { questions } = await answer.json();
    await route.fulfill({ response: answer, json: { questions: questions.map((question: object) => ({ ...question, deadline: Date.now() + 240_000 })) } });
  });
  await page.reload();
  await page.getByLabel("Put aside until later").first().click();
  await page.getByText("It runs out too soon to be put aside.").waitFor();
  await page.unroute("**/api/questions/pending");
}

/** Two notices, one after the other: where they are, nothing is to be pressed. */
async function putAsideTwo(page: Page) {
  for (let left = 2; left > 0; left--) {
    await page.getByLabel("Put aside until later").first().click();
    await page.getByRole("menuitem").first().click();
    await page.getByRole("menu").waitFor({ state: "detached" });
  }
  await page.locator("[data-notice]").last().waitFor();
  const isNarrow = (page.viewportSize()?.width ?? 0) < 768;
  const { notices, covered } = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll("[data-notice]")].map((notice) => notice.getBoundingClientRect()).filter(({ height }) => height > 0);
    const isCovered = (of: DOMRect) => of.height > 0 && boxes.some((box) => of.top < box.bottom && box.top < of.bottom && of.left < box.right && box.left < of.right);
    return { notices: boxes.map(({ height }) => height), covered: [...document.querySelectorAll("main button, main textarea, main input, main a, nav a, nav button")].filter((one) => isCovered(one.getBoundingClientRect())).map((one) => one.textContent) };
  });
  expect(covered, "covered by a notice").toEqual([]);
  expect(notices.length, "on a phone one at a time").toBe(isNarrow ? 1 : 2);
  if (isNarrow) expect(notices[0], "small").toBeLessThan(90);
}

afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
  await empty.close();
});

const LOOKS = [
  { name: "wide-light", viewport: WIDE, colorScheme: "light" },
  { name: "wide-dark", viewport: WIDE, colorScheme: "dark" },
  { name: "phone-light", viewport: PHONE, colorScheme: "light", isMobile: true, hasTouch: true },
  { name: "phone-dark", viewport: PHONE, colorScheme: "dark", isMobile: true, hasTouch: true },
] as const;

test.each(LOOKS)("$name", async ({ name: look, ...options }) => {
  const page = await signedIn(daemon, options);
  for (const { name, path, fact, act } of places) {
    await page.goto(daemon.url + path);
    await page.getByText(fact).first().waitFor();
    await act?.(page);
    await page.screenshot({ path: join(PICTURES, `${name}-${look}.png`) });
    expect(await serious(page), `${name}, ${look}`).toEqual([]);
    expect(await page.evaluate(() => [document.documentElement, document.querySelector("main")].every((element) => !element || element.scrollWidth <= element.clientWidth)), `${name} is not wider than the screen`).toBe(true);
    if (look.startsWith("phone")) expect(await small(page), `${name}, ${look}: too small for a thumb`).toEqual([]);
  }
  // What comes by itself.
  await page.goto(`${daemon.url}/settings`);
  await page.getByText("Tokens and browsers").first().waitFor();
  // Only what arrives while the page looks opens by itself. On a phone this stands in the page unseen.
  await page.locator('[data-connection="live"]').waitFor({ state: "attached" });
  await daemon.tell("atlas", `approve ${look.replace("-", "_")}`);
  await page.getByRole("dialog").getByRole("heading", { name: /^Run make \w+_\w+\?$/ }).waitFor();
  await page.screenshot({ path: join(PICTURES, `modal-${look}.png`) });
  expect(await serious(page), `modal, ${look}`).toEqual([]);
  // And goes by itself, with words in it.
  const words = page.getByRole("dialog").getByRole("textbox");
  await words.fill("not before the release");
  await words.blur();
  await daemon.call("POST", "/api/teams/atlas/cancel", {});
  await page.getByText("What you wrote was not sent").waitFor();
  await page.screenshot({ path: join(PICTURES, `unsent-${look}.png`) });
  expect(await serious(page), `unsent, ${look}`).toEqual([]);
  if (look.startsWith("phone")) expect(await small(page), `unsent, ${look}: too small for a thumb`).toEqual([]);
  await page.getByRole("button", { name: "Show it" }).click();
  await page.getByRole("dialog").waitFor();
  await page.screenshot({ path: join(PICTURES, `unsent-shown-${look}.png`) });
  expect(await serious(page), `unsent-shown, ${look}`).toEqual([]);
});

test.each([390, 800, 1280, 1440])("no row of the fleet moves while ages grow, at %s", async (width) => {
  const page = await signedIn(daemon, { viewport: { width, height: 900 } });
  await page.goto(`${daemon.url}/fleet`);
  await page.getByText("hang on").first().waitFor();
  await expect.poll(() => page.locator("[data-mood]").count()).toBeGreaterThan(3);
  const heights = () => page.locator("[data-row]").evaluateAll((rows) => rows.map((row) => (row.closest("li") as HTMLElement).offsetHeight));
  const now = await heights();
  await page.locator("[data-row]").first().evaluate(() => document.querySelectorAll("main li time").forEach((time) => (time.textContent = "23 h 59 m")));
  expect(await heights()).toEqual(now);
  const problems = await page.getByRole("region", { name: "Problems" }).boundingBox();
  if (width < 768) expect(problems?.height, "the fleet is seen below what is wrong").toBeLessThan(180);
});

test.each(LOOKS)("with nothing in it, $name", async ({ name: look, ...options }) => {
  const page = await signedIn(empty, options);
  for (const path of ["inbox", "fleet", "jobs", "system", "settings"]) {
    await page.goto(`${empty.url}/${path}`);
    await page.getByText(/No teams yet|None yet|No turn has ended|No jobs yet/).first().waitFor();
    await page.screenshot({ path: join(PICTURES, `empty-${path}-${look}.png`) });
    expect(await serious(page), `${path}, ${look}`).toEqual([]);
  }
});

test.each(LOOKS)("signed out, $name", async ({ name: look, ...options }) => {
  const page = await stranger(options);
  await page.goto(`${daemon.url}/login`);
  await page.getByText("iris link").first().waitFor();
  await page.screenshot({ path: join(PICTURES, `login-${look}.png`) });
  expect(await serious(page)).toEqual([]);
});

/** What is there to be pressed, outside of running text, and is smaller than a thumb. */
const small = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("button:not([role='switch']), select, .field, [role='menuitem'], [role='option'], nav a, [data-row]")]
      .filter((target) => target.checkVisibility({ visibilityProperty: true }) && target.getBoundingClientRect().height < 43.5)
      .map((target) => `${target.tagName} ${target.getAttribute("aria-label") ?? target.textContent} ${target.getBoundingClientRect().height}`),
  );

interface Found {
  impact: string | null;
  id: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** What axe finds serious, by the rules of WCAG 2.2 AA. It is run beside the page, whose policy lets nothing else in. */
async function serious(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const found = await page.evaluate(async (values) => (await (window as unknown as { axe: { run: (options: object) => Promise<{ violations: Found[] }> } }).axe.run({ runOnly: { type: "tag", values } })).violations, tags);
  return found.filter(({ id, impact }) => impact === "serious" || impact === "critical" || ["heading-order", "landmark-unique"].includes(id)).flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`));
}
