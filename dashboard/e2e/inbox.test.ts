// Many questions at a time: a key is for what is before one's eyes.
import { type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, PHONE, WIDE, closeBrowser, closePages, signedIn } from "./stage";

const MANY = Array.from({ length: 9 }, (_, index) => `team${index + 1}`);
let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT, ...Object.fromEntries(MANY.map((name) => [name, SCRIPT])) }, ["maxProcesses: 20"]);
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

interface Asked {
  id: string;
  team: string;
}

const pending = async (): Promise<Asked[]> => (await daemon.call("GET", "/api/questions/pending")).questions;
const card = (page: Page, team: string) => page.getByRole("article", { name: `Question of ${team}` });
/** A key in the moment in which something moved by itself is taken for a slip. */
const settled = (page: Page) => page.waitForTimeout(700);

/** All of them ask, and the page lists them. Gives their teams from top to bottom. */
async function asked(page: Page, what: string): Promise<string[]> {
  for (const team of MANY) await daemon.tell(team, what);
  await card(page, "team1").waitFor();
  await expect.poll(() => page.getByRole("article").count(), { timeout: 30_000 }).toBe(MANY.length);
  await settled(page);
  return page.getByRole("article").evaluateAll((cards) => cards.map((one) => one.getAttribute("aria-label")?.slice("Question of ".length) ?? ""));
}

const isInView = (page: Page, team: string) =>
  card(page, team).evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

/** Who is answered by what is done, for certain: nobody else is by then. */
async function answeredBy(act: () => Promise<void>): Promise<string[]> {
  const before = await pending();
  await act();
  await new Promise((wait) => setTimeout(wait, 1500));
  const left = new Set((await pending()).map(({ id }) => id));
  return before.filter(({ id }) => !left.has(id)).map(({ team }) => team);
}

test("after an answer the next one in its place is answered, and none that is off the screen", async () => {
  const page = await signedIn(daemon);
  const order = await asked(page, "ask");
  for (let times = 0; times < 6; times++) await page.keyboard.press("j");
  expect(await answeredBy(() => page.keyboard.press("1"))).toEqual([order[6]]);
  expect(await answeredBy(() => page.keyboard.press("1")), "what took its place").toEqual([order[7]]);
  // By the mouse, and then by key: what was below.
  await card(page, order[4] ?? "").scrollIntoViewIfNeeded();
  await settled(page);
  expect(await answeredBy(() => card(page, order[4] ?? "").getByRole("button", { name: "Red" }).click())).toEqual([order[4]]);
  expect(await answeredBy(() => page.keyboard.press("2"))).toEqual([order[5]]);

  // Somebody who has scrolled away is led back first.
  await page.keyboard.press("k");
  for (let times = 0; times < 8; times++) await page.keyboard.press("k");
  expect(await isInView(page, order[0] ?? "")).toBe(true);
  await page.locator("main").hover();
  await page.mouse.wheel(0, 5000);
  await expect.poll(() => isInView(page, order[0] ?? "")).toBe(false);
  await settled(page);
  expect(await answeredBy(() => page.keyboard.press("1")), "only shown").toEqual([]);
  expect(await isInView(page, order[0] ?? "")).toBe(true);
  expect(await answeredBy(() => page.keyboard.press("1"))).toEqual([order[0]]);

  // One that somebody else answers hands the cursor on as well.
  const [now] = await pending().then((all) => all.filter(({ team }) => team === order[1]));
  await daemon.call("POST", `/api/questions/${now?.id}/answer`, { response: { value: "Red" } });
  await card(page, order[1] ?? "").waitFor({ state: "detached" });
  await settled(page);
  expect(await answeredBy(() => page.keyboard.press("2"))).toEqual([order[2]]);
});

test("what moves up when another is answered has been seen, and its buttons are as large as those of the others", async () => {
  const page = await signedIn(daemon);
  const order = await asked(page, "approve moved");
  const widths = () => page.getByRole("button", { name: "Approve" }).evaluateAll((all) => [...new Set(all.map((one) => (one as HTMLElement).offsetWidth))]);
  expect(await widths(), "also of those that nobody has scrolled to").toHaveLength(1);
  expect(await isInView(page, order[2] ?? ""), "the third is out of view").toBe(false);
  await page.keyboard.press("2");
  await card(page, order[0] ?? "").waitFor({ state: "detached" });
  await settled(page);
  expect(await isInView(page, order[2] ?? ""), "it moved up, and nobody scrolled").toBe(true);
  for (const team of order.slice(1, 3)) await card(page, team).getByRole("checkbox").check();
  await page.getByRole("toolbar").getByRole("button", { name: "Approve all 2" }).waitFor();
  expect(await page.getByRole("toolbar").innerText()).not.toContain("not seen whole");
});

test("who asks is said in a line, where that is more than one sees", async () => {
  const page = await signedIn(daemon);
  const order = await asked(page, "ask");
  const who = page.locator("[data-who]");
  expect(await who.innerText()).toBe(order.join(" · "));
  await who.getByRole("link", { name: "team7" }).click();
  await expect.poll(() => page.getByRole("article").count()).toBe(1);
  await card(page, "team7").waitFor();
  expect(await page.getByLabel("Team", { exact: true }).inputValue()).toBe("team7");
  expect(await who.count(), "one is seen as it is").toBe(0);
});

test("while several are selected the numbers are theirs, and no card shows any", async () => {
  const page = await signedIn(daemon);
  for (const team of ["team1", "team2", "team3"]) await daemon.tell(team, "ask");
  for (const team of ["team1", "team2", "team3"]) await card(page, team).waitFor();
  await settled(page);
  await card(page, "team3").click({ position: { x: 200, y: 8 } });
  const hints = () => page.locator("article kbd.key").evaluateAll((keys) => keys.filter((key) => getComputedStyle(key).visibility === "visible").length);
  expect(await hints()).toBe(2);
  for (const team of ["team1", "team2"]) await card(page, team).getByRole("checkbox").check();
  await card(page, "team3").click({ position: { x: 200, y: 8 } });
  expect(await hints()).toBe(0);
  await settled(page);
  expect((await answeredBy(() => page.keyboard.press("1"))).toSorted()).toEqual(["team1", "team2"]);
});

test("of those that are selected, what another answers leaves the numbers to the others", async () => {
  const page = await signedIn(daemon);
  for (const team of ["team1", "team2", "team3"]) await daemon.tell(team, "ask");
  for (const team of ["team1", "team2", "team3"]) await card(page, team).waitFor();
  for (const team of ["team1", "team2"]) await card(page, team).getByRole("checkbox").check();
  await card(page, "team3").click({ position: { x: 200, y: 8 } });
  const bar = page.getByRole("toolbar", { name: "Answer together" });
  await answeredElsewhere("team2");
  await bar.getByText("1 not in this list any more").waitFor();
  await settled(page);
  expect(await answeredBy(() => page.keyboard.press("1"))).toEqual(["team1"]);
  await bar.waitFor({ state: "detached" });
  // Also if none of them is left.
  for (const team of ["team4", "team5"]) await daemon.tell(team, "ask");
  for (const team of ["team4", "team5"]) await card(page, team).getByRole("checkbox").check();
  await card(page, "team3").click({ position: { x: 200, y: 8 } });
  for (const team of ["team4", "team5"]) await answeredElsewhere(team);
  await bar.getByText("0 selected").waitFor();
  await settled(page);
  expect(await answeredBy(() => page.keyboard.press("1"))).toEqual([]);
  await bar.getByRole("button", { name: "Clear" }).click();
  expect(await answeredBy(() => page.keyboard.press("1"))).toEqual(["team3"]);
});

test("one that is selected alone has the numbers as well, and they are nobody's when another has answered it", async () => {
  const page = await signedIn(daemon);
  for (const team of ["team1", "team2", "team3"]) await daemon.tell(team, "ask");
  for (const team of ["team1", "team2", "team3"]) await card(page, team).waitFor();
  await card(page, "team1").getByRole("checkbox").check();
  await card(page, "team3").click({ position: { x: 200, y: 8 } });
  await settled(page);
  expect(await answeredBy(() => page.keyboard.press("1"))).toEqual(["team1"]);
  const bar = page.getByRole("toolbar", { name: "Answer together" });
  await bar.waitFor({ state: "detached" });
  await card(page, "team2").getByRole("checkbox").check();
  await card(page, "team3").click({ position: { x: 200, y: 8 } });
  await answeredElsewhere("team2");
  await bar.getByText("1 not in this list any more").waitFor();
  await settled(page);
  expect(await answeredBy(() => page.keyboard.press("1"))).toEqual([]);
  await bar.getByRole("button", { name: "Clear" }).click();
  expect(await answeredBy(() => page.keyboard.press("1"))).toEqual(["team3"]);
});

test("of those that are selected, what is put aside in another tab leaves the numbers to the others as well", async () => {
  const page = await signedIn(daemon);
  for (const team of ["team1", "team2", "team3"]) await daemon.tell(team, "ask");
  for (const team of ["team1", "team2", "team3"]) await card(page, team).waitFor();
  for (const team of ["team1", "team2"]) await card(page, team).getByRole("checkbox").check();
  await card(page, "team3").click({ position: { x: 200, y: 8 } });
  const other = await page.context().newPage();
  await other.goto(`${daemon.url}/inbox`);
  await card(other, "team2").getByLabel("Put aside until later").click();
  await other.getByRole("menuitem").first().click();
  await card(page, "team2").waitFor({ state: "detached" });
  await page.bringToFront();
  await page.getByRole("toolbar", { name: "Answer together" }).getByText("1 not in this list any more").waitFor();
  await settled(page);
  expect(await answeredBy(() => page.keyboard.press("1"))).toEqual(["team1"]);
});

test("a number whose button is out of view shows it, and the next press counts", async () => {
  const page = await signedIn(daemon);
  for (const viewport of [WIDE, PHONE]) {
    await page.setViewportSize(viewport);
    for (const [what, key, label] of [["long", "2", "Delete"], ["many", "9", "Plan 9"]] as const) {
      for (const path of ["/fleet", "/inbox"]) {
        await page.goto(daemon.url + path);
        await page.locator('[data-connection="live"]').waitFor({ state: "attached" });
        await daemon.tell("team1", what);
        const button = page.locator("[data-answers]").getByRole("button", { name: label });
        await button.waitFor();
        await settled(page);
        const isThere = () => button.evaluate((element) => {
          const { left, top, bottom } = element.getBoundingClientRect();
          return [top + 4, bottom - 4].every((y) => element.contains(document.elementFromPoint(left + 20, y)));
        });
        const where = `${what} at ${path}, ${viewport.width} px`;
        expect(await isThere(), where).toBe(false);
        expect(await answeredBy(() => page.keyboard.press(key)), where).toEqual([]);
        expect(await isThere(), where).toBe(true);
        await button.getByText(`Press ${key} again to give this answer`).waitFor();
        expect(await answeredBy(() => page.keyboard.press(key)), where).toEqual(["team1"]);
      }
    }
  }
});

test("a filter by which nothing is open is seen to be one", async () => {
  const page = await signedIn(daemon);
  await daemon.tell("team1", "ask");
  await page.goto(`${daemon.url}/inbox?team=atlas&kind=plan`);
  await page.getByText("Nothing fits the filter").waitFor();
  expect(await page.getByLabel("Team").inputValue()).toBe("atlas");
  expect(await page.getByLabel("Kind").inputValue()).toBe("plan");
  await page.getByLabel("Team").selectOption("All teams");
  await page.getByLabel("Kind").selectOption("All kinds");
  await card(page, "team1").waitFor();
});

test("what a view of the inbox does not list opens over it", async () => {
  const page = await signedIn(daemon);
  for (const address of ["/inbox?view=decided", "/inbox?team=atlas"]) {
    await page.goto(daemon.url + address);
    await page.locator('[data-connection="live"]').waitFor();
    await daemon.tell("team1", "ask");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Which colour for the button?").waitFor();
    await settled(page);
    await dialog.getByRole("button", { name: "Red" }).click();
    await dialog.waitFor({ state: "detached" });
  }
  await page.goto(`${daemon.url}/inbox`);
  await page.locator('[data-connection="live"]').waitFor();
  await daemon.tell("team2", "ask");
  await card(page, "team2").waitFor();
  await page.waitForTimeout(1500);
  expect(await page.getByRole("dialog").count(), "it is listed here").toBe(0);
});

test("what is put aside in one tab is put aside in the others", async () => {
  const page = await signedIn(daemon);
  for (const team of ["team1", "team2"]) await daemon.tell(team, "ask");
  const other = await page.context().newPage();
  await other.goto(`${daemon.url}/inbox`);
  for (const tab of [page, other]) for (const team of ["team1", "team2"]) await card(tab, team).waitFor();
  const aside = async (tab: Page, team: string) => {
    await card(tab, team).getByLabel("Put aside until later").click();
    await tab.getByRole("menuitem").first().click();
  };
  await aside(page, "team1");
  await card(other, "team1").waitFor({ state: "detached" });
  await aside(other, "team2");
  await card(page, "team2").waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("link", { name: "Later" }).getByText("2").waitFor();
});

test("what is half written is there when one comes back, and gone when it was sent", async () => {
  const page = await signedIn(daemon);
  const { sessionId } = await daemon.tell("atlas", "ask");
  const reply = card(page, "atlas").getByLabel("Or answer in your own words");
  await reply.fill("neither, but");
  await page.getByRole("link", { name: "Fleet", exact: true }).click();
  await page.getByRole("heading", { name: "Fleet" }).waitFor();
  await page.getByRole("link", { name: "Inbox" }).click();
  expect(await reply.inputValue()).toBe("neither, but");
  await page.reload();
  await expect.poll(() => reply.inputValue()).toBe("neither, but");
  // So is what is half filled in.
  await daemon.tell("team1", "form");
  const form = card(page, "team1");
  await form.getByLabel("Server").check();
  await form.getByLabel("Your own answer to: How many people?").fill("Three, and a dog");
  await page.getByRole("link", { name: "Fleet", exact: true }).click();
  await page.getByRole("heading", { name: "Fleet" }).waitFor();
  await page.getByRole("link", { name: "Inbox" }).click();
  expect(await form.getByLabel("Server").isChecked()).toBe(true);
  expect(await form.getByLabel("Your own answer to: How many people?").inputValue()).toBe("Three, and a dog");
  await page.getByRole("link", { name: "Fleet", exact: true }).click();
  const { id = "" } = (await pending()).find(({ team }) => team === "team1") ?? {};
  await daemon.call("POST", `/api/questions/${id}/cancel`, {});
  await page.getByRole("button", { name: "Show it" }).click();
  expect(await page.getByLabel("What you wrote, to be copied").inputValue()).toBe("Three, and a dog");
  await page.getByRole("button", { name: "Put it away" }).click();
  await page.goto(`${daemon.url}/session/${sessionId}`);
  const box = page.getByPlaceholder(/^Tell atlas/);
  await box.fill("long words");
  await page.getByRole("link", { name: "Fleet", exact: true }).click();
  await page.getByRole("heading", { name: "Fleet" }).waitFor();
  await page.goBack();
  expect(await box.inputValue()).toBe("long words");
  await box.press("Enter");
  await expect.poll(() => box.inputValue()).toBe("");
});

/** Another answers what this team asks. */
async function answeredElsewhere(team: string) {
  const question = (await pending()).find((one) => one.team === team);
  await daemon.call("POST", `/api/questions/${question?.id}/answer`, { response: { value: "Red" } });
}

test("words for a question that another answers meanwhile go to nobody, and stay", async () => {
  const page = await signedIn(daemon);
  for (const team of ["team1", "team2"]) await daemon.tell(team, "ask");
  for (const team of ["team1", "team2"]) await card(page, team).waitFor();
  const kept = page.getByRole("dialog", { name: "What you wrote was not sent" });
  const box = kept.getByLabel("What you wrote, to be copied");
  await card(page, "team1").getByLabel("Or answer in your own words").click();
  await page.keyboard.type("Green, but ");
  const wrote = async () => {
    await answeredElsewhere("team1");
    await card(page, "team1").waitFor({ state: "detached" });
    await page.keyboard.type("first paint 2 or 1 of ours. ");
    await page.keyboard.press("Enter");
  };
  expect(await answeredBy(wrote)).toEqual(["team1"]);
  await kept.getByText(/answered by user.*Red/).waitFor();
  expect((await box.inputValue()).trim()).toBe("Green, but first paint 2 or 1 of ours.");
  await page.keyboard.press("Escape");
  await kept.waitFor({ state: "detached" });
  await settled(page);
  expect(await answeredBy(() => page.keyboard.press("1")), "keys are keys again").toEqual(["team2"]);
});

test("words that are written over another page go to nobody either", async () => {
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/fleet`);
  await page.locator('[data-connection="live"]').waitFor();
  await daemon.tell("team1", "ask");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Or answer in your own words").click();
  await daemon.tell("team2", "ask");
  await expect.poll(async () => (await pending()).length).toBe(2);
  await page.keyboard.type("Green, but ");
  const wrote = async () => {
    await answeredElsewhere("team1");
    // Before anybody can have read that: words go on.
    await page.keyboard.type("wait until some later time, at least 12 min", { delay: 40 });
  };
  expect(await answeredBy(wrote)).toEqual(["team1"]);
  expect(await page.getByLabel("What you wrote, to be copied").inputValue()).toBe("Green, but wait until some later time, at least 12 min");
  expect(new URL(page.url()).pathname, "and nobody was taken elsewhere").toBe("/fleet");
  await page.getByRole("button", { name: "Put it away" }).click();
  await dialog.getByText("Which colour for the button?").waitFor();
});

test("words that nobody is writing in just then stay as well, also on another page, and take nothing from what is done meanwhile", async () => {
  const page = await signedIn(daemon);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const team of ["team1", "team2", "team3"]) await daemon.tell(team, "ask");
  const reply = (team: string) => card(page, team).getByLabel("Or answer in your own words");
  await reply("team1").fill("Green, because the door is green");
  await reply("team2").fill("Grey");
  await reply("team3").fill("Brown");
  await answeredElsewhere("team1");
  const strip = (team: string) => page.getByRole("status").filter({ hasText: `Not open any more: ${team}` });
  await strip("team1").getByText("What you wrote was not sent").waitFor();
  expect(await reply("team3").evaluate((element) => element === document.activeElement), "who writes elsewhere goes on").toBe(true);
  await page.getByRole("link", { name: "Fleet", exact: true }).click();
  await page.getByRole("heading", { name: "Fleet" }).waitFor();
  await answeredElsewhere("team2");
  await strip("team2").waitFor();
  await strip("team2").getByRole("button", { name: "Put it away" }).click();
  await strip("team2").waitFor({ state: "detached" });
  await strip("team1").getByRole("button", { name: "Show it" }).click();
  const kept = page.getByRole("dialog", { name: "What you wrote was not sent" });
  await kept.getByText(/answered by user.*Red/).waitFor();
  await kept.getByRole("button", { name: "Copy" }).click();
  await kept.getByText("Copied").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("Green, because the door is green");
  await kept.getByRole("button", { name: "Put it away" }).click();
  await expect.poll(() => page.getByText("What you wrote was not sent").count()).toBe(0);
  await page.reload();
  await page.getByRole("heading", { name: "Fleet" }).waitFor();
  await page.getByRole("link", { name: "Inbox" }).click();
  await expect.poll(() => reply("team3").inputValue()).toBe("Brown");
  expect(await page.getByText("What you wrote was not sent").count(), "what was put away is").toBe(0);
});

test("words whose own answer came second stay", async () => {
  const page = await signedIn(daemon);
  await daemon.tell("team1", "ask");
  let letGo = () => {};
  const held = new Promise<void>((go) => (letGo = go));
  const isSent = new Promise<void>((sent) => void page.route("**/answer", async (route) => (sent(), await held, await route.continue())));
  await card(page, "team1").getByLabel("Or answer in your own words").fill("Green, but not before noon");
  await page.keyboard.press("Enter");
  await isSent;
  await answeredElsewhere("team1");
  await card(page, "team1").waitFor({ state: "detached" });
  letGo();
  await page.getByText("Not needed any more").waitFor();
  await page.getByRole("button", { name: "Show it" }).click();
  expect(await page.getByLabel("What you wrote, to be copied").inputValue()).toBe("Green, but not before noon");
});

test("what was changed of an action stays field by field, and nothing that was there before", async () => {
  const page = await signedIn(daemon);
  await daemon.tell("team1", "change staging");
  await card(page, "team1").getByRole("button", { name: "Edit first" }).click();
  await card(page, "team1").getByLabel("command").fill("deploy staging --dry");
  await card(page, "team1").getByLabel("timeout").fill("90");
  await card(page, "team1").getByLabel("timeout").blur();
  const [{ id } = { id: "" }] = await pending();
  await daemon.call("POST", `/api/questions/${id}/answer`, { response: { value: false } });
  await page.getByRole("button", { name: "Show it" }).click();
  const kept = page.getByRole("dialog", { name: "What you wrote was not sent" });
  expect(await kept.getByRole("textbox").evaluateAll((all) => all.map((one) => [one.getAttribute("aria-label"), (one as HTMLTextAreaElement).value]))).toEqual([["command", "deploy staging --dry"], ["timeout", "90"]]);
});

test("single keys can be switched off", async () => {
  const page = await signedIn(daemon);
  await daemon.tell("atlas", "ask");
  await card(page, "atlas").waitFor();
  await page.goto(`${daemon.url}/settings`);
  await page.getByLabel("Single keys as commands").click();
  await page.getByRole("link", { name: "Inbox" }).click();
  await card(page, "atlas").waitFor();
  await settled(page);
  expect(await answeredBy(() => page.keyboard.press("1"))).toEqual([]);
  expect(await page.locator("article kbd.key").count()).toBe(0);
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Go to, or do…").waitFor();
  await page.keyboard.press("Escape");
  await card(page, "atlas").getByRole("button", { name: "Red" }).click();
  await card(page, "atlas").waitFor({ state: "detached" });
});
