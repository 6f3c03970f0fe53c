import { type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, PHONE, closeBrowser, closePages, forgive, signedIn } from "./stage";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT, beacon: SCRIPT, comet: SCRIPT, delta: SCRIPT });
});
afterEach(async () => {
  // First, so that nothing of a test that failed is left for the next.
  await daemon.call("POST", "/api/agents/stop");
  for (const { id } of (await daemon.call("GET", "/api/questions/pending")).questions) await daemon.call("POST", `/api/questions/${id}/cancel`, {});
  expect(await closePages()).toEqual([]);
});
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

const card = (page: Page, team: string) => page.getByRole("article", { name: `Question of ${team}` });

/** A press on a card that has just come or moved is taken for a slip. */
const SEEN = 700;

/** The agent went on: its turn ended, and this is what it said. */
async function answerOf(turn: string): Promise<string> {
  for (let left = 1000; left > 0; left--) {
    const found = await daemon.call("GET", `/api/turns/${turn}`);
    if (found.finishedAt != null) return found.response;
    await new Promise((wait) => setTimeout(wait, 20));
  }
  throw new Error(`turn ${turn} did not end`);
}

test("a question shows up in the inbox, the badge and the title, and is answered with the mouse", async () => {
  const page = await signedIn(daemon);
  await page.getByText("Nobody needs you").first().waitFor();
  const { turnId } = await daemon.tell("atlas", "ask");
  await card(page, "atlas").getByText("Which colour for the button?").waitFor();
  await page.getByLabel("1 need you").waitFor();
  expect(await page.title()).toBe("(1) Inbox · Iris");
  await card(page, "atlas").getByRole("button", { name: "Blue" }).click();
  await page.getByText("Nobody needs you").first().waitFor();
  expect(await answerOf(turnId)).toBe("Blue it is");
  await page.getByText("Answered: Blue").waitFor();
  await page.waitForFunction(() => document.title === "Inbox · Iris");
  await page.getByRole("link", { name: "Decided" }).click();
  await page.getByText(/answered by user: Blue/).first().waitFor();
});

test("what was answered before is given once more with one press", async () => {
  for (let times = 0; times < 2; times++) {
    const { turnId } = await daemon.tell("delta", "pick");
    await expect.poll(async () => (await daemon.call("GET", "/api/questions/pending")).questions.length).toBe(1);
    const [{ id }] = (await daemon.call("GET", "/api/questions/pending")).questions;
    await daemon.call("POST", `/api/questions/${id}/answer`, { response: { value: "Light" } });
    await answerOf(turnId);
  }
  const page = await signedIn(daemon);
  const { turnId } = await daemon.tell("delta", "pick");
  await card(page, "delta").getByText("Answered before with Light, 2 of 2 times, last by user").waitFor();
  await new Promise((seen) => setTimeout(seen, SEEN));
  await card(page, "delta").getByRole("button", { name: "The same again" }).click();
  expect(await answerOf(turnId)).toContain('"value": "Light"');
});

test("a press on a card that was not current goes where it was aimed", async () => {
  const page = await signedIn(daemon);
  const first = await daemon.tell("atlas", "approve seven");
  await card(page, "atlas").waitFor();
  const second = await daemon.tell("beacon", "approve eight");
  const refuse = card(page, "beacon").getByRole("button", { name: "Refuse" });
  await refuse.waitFor();
  await new Promise((seen) => setTimeout(seen, SEEN));
  const box = await refuse.boundingBox();
  expect(box).not.toBeNull();
  // Near its left edge, where the row has the least room to move.
  await page.mouse.move((box?.x ?? 0) + 5, (box?.y ?? 0) + 10);
  await page.mouse.down();
  // The card is current from here on, and shows so.
  await page.waitForFunction(() => document.activeElement?.closest("article")?.getAttribute("aria-label")?.includes("beacon"));
  expect(await refuse.boundingBox(), "nothing moves under the pointer").toEqual(box);
  await page.mouse.up();
  expect(await answerOf(second.turnId)).toContain("Kept");
  expect((await daemon.call("GET", `/api/turns/${first.turnId}`)).finishedAt).toBeUndefined();
});

test("two presses in a row are one answer, and none to the card that moves up", async () => {
  const page = await signedIn(daemon);
  const first = await daemon.tell("atlas", "approve nine");
  await card(page, "atlas").waitFor();
  const second = await daemon.tell("beacon", "approve ten");
  const approve = card(page, "atlas").getByRole("button", { name: "Approve" });
  await card(page, "beacon").waitFor();
  await new Promise((seen) => setTimeout(seen, SEEN));
  let sent = 0;
  page.on("request", (request) => (sent += Number(request.url().endsWith("/answer"))));
  const box = await approve.boundingBox();
  expect(box).not.toBeNull();
  await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 10);
  await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 10);
  await card(page, "atlas").waitFor({ state: "detached" });
  await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 10);
  expect(await answerOf(first.turnId)).toBe("It is gone");
  expect(sent).toBe(1);
  expect((await daemon.call("GET", `/api/turns/${second.turnId}`)).finishedAt).toBeUndefined();
});

test("an answer that is not taken says so, by key and together; what the card says is sent by key as well", async () => {
  const page = await signedIn(daemon);
  await daemon.tell("atlas", "approve eleven");
  await card(page, "atlas").waitFor();
  await daemon.tell("beacon", "approve eleven");
  await card(page, "beacon").waitFor();
  await page.route("**/answer", (route) => route.abort("connectionrefused"));
  await page.keyboard.press("1");
  await card(page, "atlas").getByText("Not sent: the daemon cannot be reached").waitFor();
  for (const team of ["atlas", "beacon"]) await card(page, team).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Approve all 2" }).click();
  await page.getByText("2 not sent; each says why").first().waitFor();
  await page.getByText("2 selected").first().waitFor();
  await page.unroute("**/answer");
  await card(page, "beacon").getByLabel("The answer holds").selectOption("for this very action, for a day");
  await card(page, "beacon").getByLabel("The answer holds").blur();
  await page.keyboard.press("1");
  await card(page, "beacon").waitFor({ state: "detached" });
  const { rules } = await daemon.call("GET", "/api/rules");
  expect(JSON.stringify(rules)).toContain("make eleven");
  forgive(page);
});

test("a number answers all that are selected, and the bar says so", async () => {
  const page = await signedIn(daemon);
  const told = await Promise.all(["atlas", "beacon"].map((team) => daemon.tell(team, "ask")));
  for (const team of ["atlas", "beacon"]) await card(page, team).getByRole("checkbox").check();
  await page.getByRole("toolbar", { name: "Answer together" }).getByRole("button", { name: "Blue all 2" }).getByText("2", { exact: true }).waitFor();
  await new Promise((seen) => setTimeout(seen, SEEN));
  await page.keyboard.press("2");
  for (const { turnId } of told) expect(await answerOf(turnId)).toBe("Blue it is");
  await page.getByRole("toolbar", { name: "Answer together" }).waitFor({ state: "detached" });
});

test("by keys alone", async () => {
  const page = await signedIn(daemon);
  const first = await daemon.tell("atlas", "ask");
  await card(page, "atlas").waitFor();
  // It runs out sooner, so it comes above; the cursor stays where it is.
  const second = await daemon.tell("beacon", "approve one");
  await card(page, "beacon").waitFor();
  await page.keyboard.press("1");
  expect(await answerOf(first.turnId)).toBe("Red it is");
  await card(page, "atlas").waitFor({ state: "detached" });
  const third = await daemon.tell("comet", "ask");
  await card(page, "comet").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("2");
  expect(await answerOf(third.turnId)).toBe("Blue it is");
  await card(page, "comet").waitFor({ state: "detached" });
  await page.keyboard.press("k");
  await page.keyboard.press("2");
  expect(await answerOf(second.turnId)).toContain("Kept");
});

test("in one's own words", async () => {
  const page = await signedIn(daemon);
  const { turnId } = await daemon.tell("atlas", "ask");
  await card(page, "atlas").waitFor();
  await page.keyboard.press("r");
  // Numbers are words here, not answers.
  await page.keyboard.type("1 shade of green");
  await page.keyboard.press("Enter");
  expect(await answerOf(turnId)).toBe("1 shade of green it is");
});

test("a refusal says why, and what would have run is shown whole", async () => {
  const page = await signedIn(daemon);
  const { turnId } = await daemon.tell("atlas", "approve two");
  await card(page, "atlas").getByRole("group", { name: "What would be done" }).getByText("make two", { exact: true }).waitFor();
  await card(page, "atlas").getByText("Remove what was built", { exact: true }).waitFor();
  await card(page, "atlas").getByLabel("Refuse, and say why").fill("I need it");
  await card(page, "atlas").getByRole("button", { name: "Refuse", exact: true }).last().click();
  expect(await answerOf(turnId)).toContain("Kept, because I need it");
});

test("a plan is read as it was meant, and once", async () => {
  const page = await signedIn(daemon);
  await daemon.tell("atlas", "plan");
  const plan = card(page, "atlas").getByRole("group", { name: "What would be done" });
  await plan.locator("li", { hasText: "Sand it" }).waitFor();
  expect(await plan.getByText("**Sand**").isVisible()).toBe(false);
  await plan.getByText("As it is to the byte").click();
  expect(await plan.getByText("**Sand**").isVisible()).toBe(true);
});

test("several questions at once are one form", async () => {
  const page = await signedIn(daemon);
  const { turnId } = await daemon.tell("atlas", "form");
  const send = card(page, "atlas").getByRole("button", { name: "Send 2 answers" });
  await send.waitFor();
  expect(await send.isDisabled()).toBe(true);
  // No key fills it in; keys lead to where it begins.
  const isAtFirst = () => card(page, "atlas").getByLabel("Server").evaluate((field) => field === document.activeElement);
  await page.keyboard.press("r");
  expect(await isAtFirst()).toBe(true);
  await card(page, "atlas").focus();
  await page.keyboard.press("1");
  await page.getByText("This one is a form").waitFor();
  expect([await isAtFirst(), await card(page, "atlas").getByLabel("Server").isChecked()]).toEqual([true, false]);
  await card(page, "atlas").getByLabel("Server").check();
  await card(page, "atlas").getByLabel("Docs").check();
  await card(page, "atlas").getByLabel("Two").check();
  await send.click();
  expect(await answerOf(turnId)).toMatch(/Server.*Docs.*Two/);
});

test("while one looks at another page, it opens over it; a key too early is no answer", async () => {
  const page = await signedIn(daemon);
  await page.getByRole("link", { name: "Fleet" }).click();
  await page.getByRole("heading", { name: "Fleet" }).waitFor();
  const { turnId } = await daemon.tell("atlas", "approve three");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("heading", { name: "Run make three?" }).waitFor();
  await page.keyboard.press("1");
  expect((await daemon.call("GET", "/api/questions/pending")).questions).toHaveLength(1);
  // Deaf for a moment, so it is pressed until it is heard.
  await expect.poll(async () => (await page.keyboard.press("1"), dialog.count())).toBe(0);
  expect(await answerOf(turnId)).toBe("It is gone");
});

/** The desktop, as far as a page knows of it. */
function desktop() {
  const told: string[] = [];
  class Told {
    static permission = "granted";
    constructor(title: string, { body }: { body: string }) {
      told.push(`${title}: ${body}`);
    }
  }
  Object.assign(window, { Notification: Told, told });
  document.hasFocus = () => false;
  localStorage.setItem("iris.notify", "true");
}

const toldBy = (page: Page) => page.evaluate(() => (window as unknown as { told: string[] }).told);

test("who looks elsewhere is told by the desktop, also if what is asked cannot be read just then", async () => {
  const page = await signedIn(daemon);
  await page.addInitScript(desktop);
  await page.reload();
  await page.locator('[data-connection="live"]').waitFor();
  const told = () => toldBy(page);
  await daemon.tell("atlas", "ask");
  await expect.poll(told).toEqual(["atlas needs you: Which colour for the button?"]);
  await page.route(/\/api\/questions\/(?!pending|decided|figures)[^/]+$/, (route) => route.abort("connectionreset"));
  await daemon.tell("beacon", "approve fifteen");
  await expect.poll(async () => (await told()).at(-1)).toMatch(/^beacon needs you: What it asks could not be read yet/);
  forgive(page);
});

/** Without a head every tab counts as looked at. */
const look = (page: Page, state: "visible" | "hidden") =>
  page.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);

test("with many tabs open, the one that is looked at is live, and one of the others tells the desktop", async () => {
  const first = await signedIn(daemon);
  const context = first.context();
  await context.addInitScript(desktop);
  await first.reload();
  const unseen = [first];
  for (let tabs = 1; tabs < 8; tabs++) {
    await look(unseen.at(-1)!, "hidden");
    const next = await context.newPage();
    await next.goto(`${daemon.url}/inbox`);
    await next.getByRole("heading", { name: "Inbox" }).waitFor();
    unseen.push(next);
  }
  const page = unseen.pop()!;
  const stateOf = (tab: Page) => tab.locator("[data-connection]").getAttribute("data-connection");
  const states = () => Promise.all(unseen.map(stateOf));
  await expect.poll(states, { timeout: 30_000 }).toEqual(["live", ...Array.from({ length: 6 }, () => "resting")]);
  await page.locator('[data-connection="live"]').waitFor();

  const { turnId } = await daemon.tell("atlas", "ask");
  await card(page, "atlas").getByRole("button", { name: "Blue" }).click({ delay: 800 });
  expect(await answerOf(turnId)).toBe("Blue it is");
  await expect.poll(async () => (await Promise.all(unseen.map(toldBy))).map((told) => told.length)).toEqual([1, 0, 0, 0, 0, 0, 0]);

  // It is closed, and another takes its place.
  await unseen.shift()!.close();
  await expect.poll(states, { timeout: 30_000 }).toEqual(["live", ...Array.from({ length: 5 }, () => "resting")]);
  const again = await daemon.tell("beacon", "ask");
  await expect.poll(async () => (await Promise.all(unseen.map(toldBy))).map((told) => told.at(-1))).toEqual(["beacon needs you: Which colour for the button?", ...Array.from({ length: 5 }, () => undefined)]);

  // Who looks at one that rested sees what it missed.
  const last = unseen.at(-1)!;
  await look(page, "hidden");
  await look(last, "visible");
  await card(last, "beacon").getByRole("button", { name: "Red" }).click({ delay: 800 });
  expect(await answerOf(again.turnId)).toBe("Red it is");
  await last.locator('[data-connection="live"]').waitFor();
});

test("it never opens while somebody writes, and goes away with Escape", async () => {
  const page = await signedIn(daemon);
  const { sessionId } = await daemon.tell("atlas", "hello", 0);
  await page.goto(`${daemon.url}/session/${sessionId}`);
  await page.getByPlaceholder("Tell atlas").fill("half a sent");
  await daemon.tell("beacon", "ask");
  await page.getByLabel("1 need you").waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.getByPlaceholder("Tell atlas").blur();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect((await daemon.call("GET", "/api/questions/pending")).questions).toHaveLength(1);
});

test("on a phone, with a thumb", async () => {
  const page = await signedIn(daemon, { viewport: PHONE, hasTouch: true, isMobile: true });
  const { turnId } = await daemon.tell("atlas", "ask");
  const button = card(page, "atlas").getByRole("button", { name: "Red" });
  await button.waitFor();
  expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the page").toBe(true);
  await button.tap();
  expect(await answerOf(turnId)).toBe("Red it is");
});

test("of two who answer at once, one wins and the other is told", async () => {
  const [one, other] = [await signedIn(daemon), await signedIn(daemon)];
  const { turnId } = await daemon.tell("atlas", "ask");
  await card(other, "atlas").waitFor();
  // The other's answer is on its way when the first one's arrives.
  let letGo = () => {};
  const held = new Promise<void>((go) => (letGo = go));
  const isSent = new Promise<void>((sent) => void other.route("**/answer", async (route) => (sent(), await held, await route.continue())));
  await card(other, "atlas").getByRole("button", { name: "Red" }).click();
  await isSent;
  await card(one, "atlas").getByRole("button", { name: "Blue" }).click();
  expect(await answerOf(turnId)).toBe("Blue it is");
  letGo();
  await other.getByText("Not needed any more").waitFor();
});

test("similar ones are answered together", async () => {
  const page = await signedIn(daemon);
  const turns = await Promise.all(["atlas", "beacon", "comet"].map((team) => daemon.tell(team, "approve four")));
  for (const team of ["atlas", "beacon", "comet"]) await card(page, team).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Approve all 3" }).click();
  for (const { turnId } of turns) expect(await answerOf(turnId)).toBe("It is gone");
});

test("a yes to something risky takes two presses", async () => {
  const page = await signedIn(daemon);
  const { turnId } = await daemon.tell("atlas", "destroy");
  await card(page, "atlas").getByText("high risk").waitFor();
  await card(page, "atlas").getByRole("button", { name: "Approve" }).click();
  await card(page, "atlas").getByRole("button", { name: "Press again to approve" }).waitFor();
  expect((await daemon.call("GET", "/api/questions/pending")).questions).toHaveLength(1);
  await card(page, "atlas").getByRole("button", { name: "Press again to approve" }).click();
  expect(await answerOf(turnId)).toBe("It is gone");
});

test("two presses that come as one are not two", async () => {
  const page = await signedIn(daemon);
  const { turnId } = await daemon.tell("atlas", "destroy");
  const asked = card(page, "atlas");
  const yes = asked.getByRole("button", { name: /^(Approve|Wait|Too soon|Press again)/ });
  await yes.waitFor();
  await new Promise((seen) => setTimeout(seen, SEEN));
  const isOver = () => asked.getByRole("button", { name: "Approve", exact: true }).waitFor();
  await yes.dblclick();
  await asked.getByRole("button", { name: "Too soon" }).waitFor();
  await isOver();
  await yes.focus();
  for (let down = 0; down < 20; down++) await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await asked.getByRole("button", { name: "Press again to approve" }).waitFor();
  await isOver();
  await page.keyboard.press("1");
  await page.keyboard.press("1");
  await asked.getByRole("button", { name: "Too soon" }).waitFor();
  expect((await daemon.call("GET", "/api/questions/pending")).questions).toHaveLength(1);
  await asked.getByRole("button", { name: "Press again to approve" }).waitFor();
  await page.keyboard.press("1");
  expect(await answerOf(turnId)).toBe("It is gone");
});

test("so does a yes to what an agent asks leave for in its own words", async () => {
  const page = await signedIn(daemon);
  await daemon.tell("atlas", "leave town");
  await card(page, "atlas").getByText("it cannot be known").waitFor();
  await card(page, "atlas").getByRole("checkbox").check();
  await page.getByText("1 selected").first().waitFor();
  expect(await page.getByRole("toolbar").getByRole("button", { name: "Approve" }).count(), "nor is it approved with others").toBe(0);
  await page.keyboard.press("1");
  await card(page, "atlas").getByRole("button", { name: "Press again to approve" }).waitFor();
  expect((await daemon.call("GET", "/api/questions/pending")).questions).toHaveLength(1);
  await page.keyboard.press("1");
  await card(page, "atlas").waitFor({ state: "detached" });
});

test("what the agent recommends is marked, and answered as it was offered", async () => {
  const page = await signedIn(daemon);
  const { turnId } = await daemon.tell("atlas", "prefer");
  await card(page, "atlas").getByRole("button", { name: "Oak · recommended" }).click();
  expect(await answerOf(turnId)).toBe("Oak (Recommended) it is");
});

test("an answer may hold for a while, and be taken back", async () => {
  const page = await signedIn(daemon);
  const first = await daemon.tell("atlas", "approve five");
  await card(page, "atlas").getByLabel("The answer holds").selectOption("for this very action, for an hour");
  await card(page, "atlas").getByRole("button", { name: "Approve" }).click();
  expect(await answerOf(first.turnId)).toBe("It is gone");
  expect((await daemon.tell("atlas", "approve five", 0)).response, "nobody was asked").toBe("It is gone");
  await page.getByRole("link", { name: "Settings" }).click();
  const rules = page.getByRole("region", { name: "Rules" });
  const rule = rules.getByRole("button", { name: "Take back: Run make five" });
  await rule.click();
  await rule.waitFor({ state: "detached" });
  await daemon.tell("atlas", "approve five");
  await page.getByRole("dialog").getByRole("heading", { name: "Run make five?" }).waitFor();
});

test("that a no holds is said before and after it, and it can be taken back", async () => {
  const page = await signedIn(daemon);
  await daemon.tell("atlas", "approve thirteen");
  await expect.poll(() => card(page, "atlas").getByLabel("The answer holds").locator("option:checked").innerText()).toBe("a yes only now, a no for a day");
  await card(page, "atlas").getByRole("button", { name: "Refuse" }).click();
  await page.getByText(/^Refused\. Until .* whoever in atlas asks the same is refused without anybody being asked$/).first().waitFor();
  expect((await daemon.tell("atlas", "approve thirteen", 0)).response, "nobody was asked").toMatch(/^Kept/);

  await page.getByRole("link", { name: "Decided" }).click();
  await page.getByText(/^answered by a rule: refused$/).first().waitFor();
  expect(await page.locator("main").innerText()).not.toMatch(/rule:\w/);
  await page.getByRole("link", { name: "a rule" }).first().click();
  await page.getByRole("button", { name: /Take back: .*make thirteen/ }).waitFor();

  await page.getByRole("button", { name: "Take the rule back" }).click();
  await page.getByText("Taken back: the next time somebody is asked").first().waitFor();
  await page.getByText("The rule that the link leads to does not hold any more").first().waitFor();
  await daemon.tell("atlas", "approve thirteen");
  await page.getByRole("dialog").getByRole("heading", { name: "Run make thirteen?" }).waitFor();
});

test("what a no leaves behind is taken back by a key as well, also with nothing left in the inbox", async () => {
  const page = await signedIn(daemon);
  await daemon.tell("atlas", "approve fourteen");
  await card(page, "atlas").getByRole("button", { name: "Refuse" }).click();
  await page.getByText("Nobody needs you").first().waitFor();
  await page.getByRole("button", { name: "Take the rule back" }).waitFor();
  await page.keyboard.press("u");
  await page.getByText("Taken back: the next time somebody is asked").first().waitFor();
  // What was decided is still there to the byte, to be looked at and not to be changed.
  await page.getByRole("link", { name: "Decided" }).click();
  await page.getByRole("link", { name: "Run make fourteen?" }).first().click();
  const action = page.getByRole("group", { name: "What would be done" });
  await action.getByText("was to be called with exactly this").waitFor();
  await action.getByText(/^digest [0-9a-f]{64}$/).waitFor();
  expect(await page.getByRole("button", { name: "Edit first" }).count()).toBe(0);
  const [decided] = (await daemon.call("GET", "/api/questions/decided")).items;
  expect(await page.getByRole("link", { name: "atlas", exact: true }).first().getAttribute("href")).toContain(`turn=${decided.turn}`);
});

test("put aside, taken back, filtered", async () => {
  const page = await signedIn(daemon);
  await daemon.tell("atlas", "ask");
  await card(page, "atlas").waitFor();
  await daemon.tell("beacon", "approve six");
  await card(page, "beacon").waitFor();
  await page.keyboard.press("s");
  await card(page, "atlas").waitFor({ state: "detached" });
  await page.getByText(/Put aside until \d.*: atlas: Which colour for the button\?/).first().waitFor();
  await page.getByLabel("1 need you").waitFor();
  await page.keyboard.press("u");
  await card(page, "atlas").waitFor();
  await page.getByLabel("Kind").selectOption("approval");
  await card(page, "atlas").waitFor({ state: "detached" });
  await card(page, "beacon").waitFor();
  await page.reload();
  await card(page, "beacon").waitFor();
  expect(await card(page, "atlas").count(), "the filter is in the address").toBe(0);
});

test("a link to a question leads to it", async () => {
  await daemon.tell("atlas", "ask");
  await daemon.tell("beacon", "ask");
  await expect.poll(async () => (await daemon.call("GET", "/api/questions/pending")).questions.length).toBe(2);
  const { questions } = await daemon.call("GET", "/api/questions/pending");
  const last = questions.find((question: { team: string }) => question.team === "beacon");
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/inbox?question=${last.id}`);
  await card(page, "beacon").waitFor();
  await page.keyboard.press("2");
  await card(page, "beacon").waitFor({ state: "detached" });
  await card(page, "atlas").waitFor();
});

test("a link to what is not open any more says what became of it, and leads to nothing else", async () => {
  const first = await daemon.tell("atlas", "ask");
  await expect.poll(async () => (await daemon.call("GET", "/api/questions/pending")).questions.length).toBe(1);
  const [{ id }] = (await daemon.call("GET", "/api/questions/pending")).questions;
  await daemon.call("POST", `/api/questions/${id}/answer`, { response: { value: "Red" } });
  await answerOf(first.turnId);
  await daemon.tell("beacon", "ask");
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/inbox?question=${id}`);
  const linked = page.getByRole("region", { name: "The question of the link" });
  await linked.getByText("Which colour for the button?").waitFor();
  await linked.getByText(/answered by user .*: Red/).waitFor();
  await card(page, "beacon").waitFor();
  await new Promise((seen) => setTimeout(seen, SEEN));
  await page.keyboard.press("1");
  await page.waitForTimeout(300);
  expect((await daemon.call("GET", "/api/questions/pending")).questions, "a number is no answer to another question").toHaveLength(1);
  await page.keyboard.press("j");
  await page.keyboard.press("1");
  await card(page, "beacon").waitFor({ state: "detached" });
  await page.goto(`${daemon.url}/inbox?question=nothing`);
  await page.getByText("there is no question nothing").first().waitFor();
  await page.goto(`${daemon.url}/job/nothing`);
  await page.getByText("there is no job nothing").first().waitFor();
});

test("an action is changed before it is approved, and what was approved is what runs", async () => {
  const page = await signedIn(daemon);
  const { turnId } = await daemon.tell("atlas", "change staging");
  const asked = card(page, "atlas");
  await asked.getByRole("heading", { name: "Run deploy staging?" }).waitFor();
  const [before] = (await daemon.call("GET", "/api/questions/pending")).questions;
  await asked.getByRole("button", { name: "Edit first" }).click();
  const show = asked.getByRole("button", { name: "Show what it would do" });
  expect(await show.isDisabled(), "nothing is changed yet").toBe(true);
  expect(await asked.getByRole("button", { name: "Approve" }).count(), "the old one cannot be approved meanwhile").toBe(0);
  await asked.getByLabel("timeout").fill("not a number");
  await asked.getByText("timeout is no JSON").waitFor();
  await asked.getByLabel("timeout").fill("90");
  await asked.getByLabel("command").fill("rm -rf staging");
  await asked.getByLabel("command").blur();
  await page.keyboard.press("1");
  expect((await daemon.call("GET", `/api/questions/${before.id}`)).state, "a key is no answer to what is being changed").toBe("open");
  await show.click();

  // As Iris reads it: with a headline, a risk and a digest of its own.
  await asked.getByRole("heading", { name: "Run rm -rf staging?" }).waitFor();
  await asked.getByText("You changed this. It was: Run deploy staging?").waitFor();
  await asked.getByText("high risk").waitFor();
  expect(await page.getByRole("article").count()).toBe(1);
  const [after] = (await daemon.call("GET", "/api/questions/pending")).questions;
  expect([after.action.digest === before.action.digest, after.action.input]).toEqual([false, { command: "rm -rf staging", timeout: 90, env: { A: "1" } }]);
  await expect.poll(async () => (await asked.getByRole("button", { name: /^(Approve|Press again)/ }).click({ timeout: 1000 }).catch(() => undefined), page.getByRole("article").count()), { timeout: 15_000 }).toBe(0);
  expect(await answerOf(turnId)).toMatch(/^Ran rm -rf staging for 90/);
  await page.getByRole("link", { name: "Decided" }).click();
  await page.getByText("changed before it was answered").first().waitFor();
  expect(await page.locator("main").innerText(), "no bare number of a question").not.toContain(after.id);
});

test("it is changed over another page as well, and stays there", async () => {
  const page = await signedIn(daemon);
  await page.getByRole("link", { name: "Fleet" }).click();
  await page.getByRole("heading", { name: "Fleet" }).waitFor();
  const { turnId } = await daemon.tell("beacon", "change preview");
  const dialog = page.getByRole("dialog");
  // A press is deaf at first; once it was heard, the button is gone.
  const command = dialog.getByLabel("command");
  await expect.poll(async () => {
    if (!(await command.isVisible())) await dialog.getByRole("button", { name: "Edit first" }).click({ timeout: 500 }).catch(() => undefined);
    return command.isVisible();
  }, { timeout: 15_000 }).toBe(true);
  await command.fill("deploy preview --dry");
  await dialog.getByRole("button", { name: "Show what it would do" }).click();
  await dialog.getByRole("heading", { name: "Run deploy preview --dry?" }).waitFor();
  // Keys are deaf at first, and the second press must not come at once.
  await expect.poll(async () => (await page.keyboard.press("1"), dialog.count()), { interval: 1500, timeout: 15_000 }).toBe(0);
  expect(await answerOf(turnId)).toMatch(/^Ran deploy preview --dry/);
});

test("a question is withdrawn, once that was confirmed", async () => {
  const page = await signedIn(daemon);
  const { turnId } = await daemon.tell("atlas", "change nothing");
  await card(page, "atlas").getByLabel("More about the question of atlas").click();
  await page.getByRole("menuitem", { name: "Withdraw the question" }).click();
  const confirm = page.getByRole("dialog", { name: "Withdraw the question?" });
  await confirm.getByText("Run deploy nothing?").waitFor();
  await page.keyboard.press("1");
  await confirm.getByRole("button", { name: "Keep it open" }).click();
  expect((await daemon.call("GET", "/api/questions/pending")).questions).toHaveLength(1);
  await card(page, "atlas").getByLabel("More about the question of atlas").click();
  await page.getByRole("menuitem", { name: "Withdraw the question" }).click();
  await confirm.getByRole("button", { name: "Withdraw" }).click();
  await card(page, "atlas").waitFor({ state: "detached" });
  expect(await answerOf(turnId)).toMatch(/^Not done, because .*nobody will answer/);
  await page.getByRole("link", { name: "Decided" }).click();
  await page.getByText("withdrawn by user").first().waitFor();
});

test("of options that are all there is, none may be it, and why is told", async () => {
  const page = await signedIn(daemon);
  const { turnId } = await daemon.tell("atlas", "pick");
  await card(page, "atlas").getByRole("button", { name: "Dark" }).waitFor();
  await card(page, "atlas").getByLabel("None of these, and say why").fill("Purple is what we agreed on");
  await card(page, "atlas").getByRole("button", { name: "None of these" }).click();
  expect(await answerOf(turnId)).toContain("Purple is what we agreed on");
});
