// A network that fails in the wrong moment: nothing stays untrue, nothing is done twice, and nobody loses the page.
import { type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, PHONE, Wire, closeBrowser, closePages, forgive, signedIn } from "./stage";

let daemon: Daemon;
let wire: Wire;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT, beacon: SCRIPT, comet: SCRIPT, delta: SCRIPT });
  wire = await Wire.to(daemon);
});
afterEach(async () => {
  wire.mend();
  await daemon.call("POST", "/api/agents/stop");
  expect(await closePages()).toEqual([]);
});
afterAll(async () => {
  await closeBrowser();
  wire.close();
  await daemon.close();
});

const live = (page: Page) => page.locator('[data-connection="live"]').waitFor();

async function cut(page: Page) {
  wire.cut();
  await page.locator('[data-connection="lost"]').waitFor({ timeout: 60_000, state: "attached" });
}

async function mend(page: Page) {
  wire.mend();
  await page.locator('[data-connection="live"]').waitFor({ timeout: 60_000 });
}

/** Requests are neither answered nor refused from now on. Gives the way to end it; what was swallowed stays so. */
async function swallow(page: Page, path: string | RegExp) {
  let isWhole = false;
  await page.route(path, (route) => (isWhole ? route.continue() : undefined));
  return () => (isWhole = true);
}

/** How many requests were given up from now on. */
function countGivenUp(page: Page) {
  let count = 0;
  page.on("requestfailed", () => count++);
  return () => count;
}

/** What the page says of its connection from now on. */
async function statesOf(page: Page): Promise<() => Promise<string[]>> {
  const said = await page.evaluateHandle(() => {
    const states = new Set<string>();
    new MutationObserver(() => states.add(document.querySelector("[data-connection]")?.getAttribute("data-connection") ?? "")).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-connection"] });
    return states;
  });
  return () => said.evaluate((states) => [...states]);
}

test("one request that fails leaves nothing green that is not", async () => {
  const page = await signedIn(daemon, {}, wire);
  await page.goto(`${wire.url}/fleet`);
  await live(page);
  const { sessionId, turnId } = await daemon.tell("atlas", "slow");
  const row = page.getByRole("region", { name: "Team atlas" }).locator("[data-mood]");
  await row.getByText("working").waitFor();
  const one = new RegExp(`/api/sessions/${sessionId}$`);
  let failed = 0;
  await page.route(one, (route) => (failed++, route.abort("connectionreset")));
  await expect.poll(async () => (await daemon.call("GET", `/api/turns/${turnId}`)).finishedAt, { timeout: 30_000 }).toBeGreaterThan(0);
  await expect.poll(() => failed).toBeGreaterThan(0);
  expect(await row.getByText("working").count()).toBe(1);
  await page.unroute(one);
  await row.getByText("idle").waitFor({ timeout: 60_000 });
  forgive(page);
});

test("a question whose list could not be read is there when the connection is back", async () => {
  const page = await signedIn(daemon, {}, wire);
  await page.goto(`${wire.url}/fleet`);
  await live(page);
  const list = "**/api/questions/pending";
  const heard = page.waitForRequest(list);
  await page.route(list, (route) => route.abort("connectionreset"));
  await daemon.tell("beacon", "ask");
  await heard;
  await cut(page);
  await page.unroute(list);
  await mend(page);
  await page.getByRole("dialog").getByText("Which colour for the button?").waitFor();
  await page.getByLabel("1 need you").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Red" }).click({ delay: 800 });
  forgive(page);
});

test("what was missed and cannot be read is not taken for fresh", async () => {
  const page = await signedIn(daemon, {}, wire);
  await live(page);
  await page.getByText("Nobody needs you").first().waitFor();
  await cut(page);
  const reads = /\/api\/(sessions|teams|questions)/;
  await page.route(reads, (route) => route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify({ title: "busy", status: 503, detail: "the store is busy" }) }));
  wire.mend();
  await page.locator('[data-connection="behind"]').waitFor({ timeout: 60_000 });
  await page.getByText("the store is busy").waitFor({ timeout: 60_000 });
  await page.getByText("Nothing known").waitFor();
  expect(await page.locator("[data-stale]").count()).toBe(1);
  expect(await page.getByText("Nobody needs you").count()).toBe(0);
  await page.unroute(reads);
  await page.locator('[data-connection="live"]').waitFor({ timeout: 60_000 });
  await page.getByText("Nobody needs you").first().waitFor();
  expect(await page.locator("[data-stale]").count()).toBe(0);
  forgive(page);
});

test.each(["by itself", "at once by who does not want to wait"])("what the network swallows is read again, %s; that it is behind is said on a phone as well", async (how) => {
  const page = await signedIn(daemon, { viewport: PHONE }, wire);
  await page.getByText("Nobody needs you").first().waitFor();
  await cut(page);
  await page.getByRole("alert").getByRole("button", { name: "Try now" }).waitFor();
  const end = await swallow(page, "**/api/questions/pending");
  await daemon.tell("beacon", "ask");
  await expect.poll(async () => (await daemon.call("GET", "/api/questions/pending")).questions.length).toBe(1);
  wire.mend();
  const strip = page.getByRole("status").filter({ hasText: "Catching up" });
  await strip.getByText(/\d+ s old/).waitFor();
  end();
  if (how !== "by itself") await strip.getByRole("button", { name: "Try now" }).click();
  await page.getByText("Which colour for the button?").waitFor({ timeout: 60_000 });
  await strip.waitFor({ state: "detached" });
  forgive(page);
});

test("a read that is swallowed while all else goes well does not look fresh for ever", async () => {
  const page = await signedIn(daemon, {}, wire);
  await live(page);
  await page.getByText("Nobody needs you").first().waitFor();
  const list = "**/api/questions/pending";
  const heard = page.waitForRequest(list);
  const end = await swallow(page, list);
  const givenUp = countGivenUp(page);
  await daemon.tell("beacon", "ask");
  await heard;
  await page.locator('[data-connection="behind"]').waitFor({ timeout: 60_000 });
  expect(await page.getByText("Nobody needs you").count()).toBe(0);
  expect(givenUp(), "it is not waited for that it is given up").toBe(0);
  end();
  await page.getByText("Which colour for the button?").waitFor({ timeout: 60_000 });
  await live(page);
});

test("a session whose change is heard of and not read does not look fresh either", async () => {
  const page = await signedIn(daemon, {}, wire);
  await page.goto(`${wire.url}/fleet`);
  await live(page);
  const { sessionId } = await daemon.tell("atlas", "slow");
  const row = page.getByRole("region", { name: "Team atlas" }).locator("[data-mood]");
  await row.getByText("working").waitFor();
  await live(page);
  const end = await swallow(page, `**/api/sessions/${sessionId}`);
  const givenUp = countGivenUp(page);
  await page.locator('[data-connection="behind"]').waitFor({ timeout: 60_000 });
  expect(await row.getByText("working").count()).toBe(1);
  expect(givenUp()).toBe(0);
  end();
  await row.getByText("idle").waitFor({ timeout: 60_000 });
  await live(page);
});

test.each([
  { what: "the turns of a session", at: (session: string) => `/session/${session}`, read: /\/api\/sessions\/[^/]+\/turns/ },
  { what: "the messages of a turn that runs", at: (session: string) => `/session/${session}`, read: /\/api\/turns\/[^/]+\/messages/ },
  { what: "the log", at: () => "/system", read: /\/api\/events\?kind=/ },
])("who comes back is not live before what was missed is read: $what", async ({ at, read }) => {
  const { sessionId } = await daemon.tell("comet", "hang");
  const page = await signedIn(daemon, {}, wire);
  await page.goto(wire.url + at(sessionId));
  await live(page);
  await cut(page);
  let hasHeard = false;
  const end = await swallow(page, read);
  page.on("request", (request) => read.test(request.url()) && (hasHeard = true));
  const states = await statesOf(page);
  wire.mend();
  await page.locator('[data-connection="behind"]').waitFor({ timeout: 60_000 });
  await expect.poll(() => hasHeard).toBe(true);
  // All else was read long ago by then.
  await page.waitForTimeout(3000);
  expect(await states()).not.toContain("live");
  end();
  await page.locator('[data-connection="live"]').waitFor({ timeout: 60_000 });
  forgive(page);
});

test("a connection on which nothing happens is live; one that is dead without a word is found out, and another taken", async () => {
  const page = await signedIn(daemon, {}, wire);
  await live(page);
  const said = await statesOf(page);
  await page.waitForTimeout(15_000);
  expect((await said()).filter((state) => state !== "live")).toEqual([]);
  wire.hold();
  await daemon.tell("beacon", "ask");
  await expect.poll(said, { timeout: 60_000 }).toContain("lost");
  await page.getByText("Which colour for the button?").waitFor({ timeout: 60_000 });
  await live(page);
});

test("a page that has heard nothing yet does not say how old it is", async () => {
  const page = await signedIn(daemon, {}, wire);
  await page.route("**/api/status", (route) => route.abort("connectionreset"));
  await page.reload();
  const strip = page.getByRole("alert").filter({ hasText: "Connection lost" });
  await strip.getByText("Nothing was heard yet (the daemon cannot be reached)").waitFor();
  // Nor after the second attempt.
  await page.waitForRequest("**/api/status");
  expect(await strip.innerText()).not.toMatch(/\d s old/);
  await page.unroute("**/api/status");
  await live(page);
  await cut(page);
  await strip.getByText(/What you see is \d+ s old/).waitFor();
  forgive(page);
});

test("a session that was opened without a connection is read when it is back", async () => {
  const { sessionId } = await daemon.tell("comet", "hello there", 0);
  const page = await signedIn(daemon, {}, wire);
  await page.goto(`${wire.url}/session/${sessionId}`);
  await page.getByRole("log").getByText("You said: hello there").waitFor();
  await daemon.tell("delta", "good morning", 0);
  await page.getByRole("link", { name: "Fleet", exact: true }).click();
  const row = page.getByRole("region", { name: "Team delta" }).getByRole("link", { name: "good morning" });
  await row.waitFor();
  await cut(page);
  await row.click();
  await page.waitForURL("**/session/*");
  await mend(page);
  await page.getByRole("log").getByText("You said: good morning").waitFor({ timeout: 60_000 });
  expect(await page.getByRole("alert").count()).toBe(0);
  forgive(page);
});

test("what was never read is not said to be empty", async () => {
  const { sessionId } = await daemon.tell("comet", "hello there", 0);
  const page = await signedIn(daemon, {}, wire);
  await live(page);
  const fetched = () => page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name).join());
  for (const name of ["fleet", "jobs", "health", "settings"]) await expect.poll(fetched, { timeout: 15_000 }).toContain(`/assets/${name}-`);
  await cut(page);
  const main = page.locator("main");
  const unknown = main.getByText("Nothing known");
  const goTo = async (name: string) => {
    await page.getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await unknown.first().waitFor();
  };
  await goTo("Fleet");
  await goTo("Jobs");
  await goTo("Health");
  await page.getByRole("region", { name: "Log" }).getByText("Nothing known").waitFor();
  expect(await main.getByText("Nothing of that kind has happened").count()).toBe(0);
  await goTo("Settings");
  for (const name of ["Rules", "Tokens and browsers", "Config"]) await page.getByRole("region", { name }).getByText("Nothing known").waitFor();
  expect(await main.getByText(/^None/).count()).toBe(0);
  await page.evaluate((to) => (history.pushState(null, "", to), dispatchEvent(new PopStateEvent("popstate"))), `/session/${sessionId}`);
  await page.getByRole("heading", { name: "Session", level: 1 }).waitFor();
  await unknown.waitFor();
  await mend(page);
  await page.getByRole("log").getByText("You said:").first().waitFor({ timeout: 60_000 });
  expect(await unknown.count()).toBe(0);
  forgive(page);
});

test("a session of which nothing could be read is not a new one", async () => {
  const { sessionId } = await daemon.tell("comet", "hello there", 0);
  const page = await signedIn(daemon, {}, wire);
  const turns = /\/api\/sessions\/[^/]+\/turns/;
  await page.route(turns, (route) => route.abort("connectionreset"));
  await page.goto(`${wire.url}/fleet`);
  await page.getByRole("link", { name: `Session ${sessionId.slice(0, 8)}` }).waitFor();
  expect(await page.getByText("A new session").count()).toBe(0);
  await page.unroute(turns);
  await page.getByRole("link", { name: "hello there" }).first().waitFor({ timeout: 60_000 });
  forgive(page);
});

test("a page that cannot be fetched leaves the frame, and comes by itself", async () => {
  const page = await signedIn(daemon, {}, wire);
  const file = /\/assets\/jobs-.*\.js$/;
  await page.route(file, (route) => route.abort("connectionreset"));
  await page.reload();
  await live(page);
  await cut(page);
  await page.getByRole("link", { name: "Jobs" }).click();
  await page.getByText("This page could not be fetched").waitFor();
  await page.getByRole("link", { name: "Inbox" }).click();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.getByRole("link", { name: "Jobs" }).click();
  await page.getByText("This page could not be fetched").waitFor();
  await page.unroute(file);
  await mend(page);
  await page.getByRole("heading", { name: "Jobs", exact: true }).waitFor({ timeout: 60_000 });
  forgive(page);
});

test("pages that were never gone to are there without a connection", async () => {
  const page = await signedIn(daemon, {}, wire);
  await live(page);
  await page.waitForFunction(() => ["fleet", "jobs", "health", "settings", "palette", "help"].every((name) => performance.getEntriesByType("resource").some((one) => one.name.includes(`/assets/${name}-`))), undefined, { timeout: 60_000 });
  await cut(page);
  for (const name of ["Fleet", "Jobs", "Health", "Settings"]) {
    await page.getByRole("link", { name }).click();
    await page.getByRole("heading", { name, exact: true }).waitFor();
  }
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Go to, or do…").waitFor();
  await mend(page);
  forgive(page);
});

test("what is sent again because its answer was lost is done once", async () => {
  const { sessionId } = await daemon.tell("atlas", "hello", 0);
  const page = await signedIn(daemon, {}, wire);
  await page.goto(`${wire.url}/session/${sessionId}`);
  await live(page);
  /** Lets the first request through and keeps its answer. */
  const loseFirst = async (path: string) => {
    let isFirst = true;
    await page.route(path, async (route) => {
      if (route.request().method() !== "POST" || !isFirst) return route.continue();
      isFirst = false;
      await route.fetch();
      await route.abort("connectionreset");
    });
  };
  await loseFirst("**/api/teams/tell");
  const box = page.getByPlaceholder(/^Tell atlas/);
  await box.fill("deploy it once");
  await box.press("Enter");
  await page.locator("[data-notice]").getByText("cannot be reached").waitFor();
  expect(await box.inputValue()).toBe("deploy it once");
  await box.press("Enter");
  await expect.poll(() => box.inputValue()).toBe("");
  const told = (await daemon.call("GET", `/api/sessions/${sessionId}/turns`)).items as { message: string }[];
  expect(told.filter(({ message }) => message === "deploy it once").length).toBe(1);

  await box.blur();
  await loseFirst("**/answer");
  const asked = await daemon.tell("beacon", "ask");
  const reply = page.getByRole("dialog").getByLabel("Or answer in your own words");
  await reply.fill("Green, not red");
  await reply.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(async () => (await daemon.call("GET", `/api/turns/${asked.turnId}`)).response).toBe("Green, not red it is");
  await page.waitForTimeout(1000);
  expect(await page.getByText("What you wrote was not sent").count(), "it was").toBe(0);

  await loseFirst("**/api/jobs");
  await page.goto(`${wire.url}/jobs?start=yes`);
  await page.getByLabel("What is to be done").fill("release it");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator("[data-notice]").getByText("cannot be reached").first().waitFor();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL("**/job/*");
  expect((await daemon.call("GET", "/api/jobs")).items.length).toBe(1);
  forgive(page);
});

test("that an answer could not be sent is not said any more when it can be", async () => {
  const page = await signedIn(daemon, {}, wire);
  await daemon.tell("atlas", "ask");
  await page.goto(`${wire.url}/inbox`);
  await live(page);
  const card = page.getByRole("article", { name: "Question of atlas" });
  await card.waitFor();
  // When the page has just moved by what is said on top of it, a press is a slip.
  const press = () => page.waitForTimeout(800).then(() => card.getByRole("button", { name: "Blue" }).click());
  await cut(page);
  await press();
  await card.getByText("Not sent: the daemon cannot be reached").waitFor();
  await mend(page);
  await card.getByText("Not sent").waitFor({ state: "detached" });
  await press();
  await card.waitFor({ state: "detached" });
  forgive(page);
});
