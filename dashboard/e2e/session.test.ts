import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, PHONE, closeBrowser, closePages, forgive, signedIn, toTheEnds } from "./stage";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: { script: SCRIPT, config: ['color: "#ffcc00"'] }, beacon: SCRIPT, comet: SCRIPT, delta: SCRIPT });
});
afterEach(async () => {
  expect(await closePages()).toEqual([]);
  await daemon.call("POST", "/api/agents/stop");
});
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

test("what an agent did is read at a glance", async () => {
  const { sessionId } = await daemon.tell("atlas", "work", 0);
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/session/${sessionId}`);
  const log = page.getByRole("log");
  await log.getByText("blue", { exact: true }).waitFor();
  // Who speaks, in the colour of the team.
  const banner = log.getByRole("paragraph").filter({ hasText: "scripted-1" });
  expect(await banner.locator("[aria-hidden]").evaluate((avatar) => getComputedStyle(avatar).backgroundColor)).toBe("rgb(255, 204, 0)");
  // Three looks in one line, with what they looked at inside.
  const looks = log.getByRole("button", { name: /1 read, 2 searches/ });
  await looks.click();
  await log.getByRole("button", { name: /Grep/ }).waitFor();
  // A change as a change.
  await log.getByText("added: export const colour = 'blue';").waitFor();
  await log.getByText("removed: export const colour = 'red';").waitFor();
  // A failure is seen without opening anything.
  await log.getByRole("button", { name: /npm run lint.*failed/ }).waitFor();
  // Thoughts are folded.
  expect(await log.getByText("Probably in the form.", { exact: false }).count()).toBe(1);
  await log.getByRole("button", { name: /Thought/ }).click();
  await expect.poll(() => log.getByText("Probably in the form.", { exact: false }).count()).toBe(2);
  // A sub-agent that is done is folded, with its words below it.
  expect(await log.getByText("It is used in the form.").count()).toBe(0);
  await log.getByRole("button", { name: /explorer.*Find every use/ }).click();
  await log.getByText("It is used in the form.").waitFor();
  await log.getByText("$0.04", { exact: true }).waitFor();
  await log.getByText("1,200 in, 340 out").waitFor();
});

test("Home and End lead to the ends of forty turns, and so does the scroll bar", async () => {
  let session = "";
  for (let turn = 0; turn < 40; turn++) {
    const message = turn % 8 === 0 ? "work" : `Say ${"a few words\n\n".repeat((turn % 5) * 6)}`;
    session = (await daemon.call("POST", "/api/teams/tell", { toTeam: "delta", fromTeam: "reader", message, timeout: 0 })).sessionId;
  }
  for (const viewport of [{ width: 1280, height: 800 }, PHONE]) {
    const page = await signedIn(daemon, { viewport });
    await page.goto(`${daemon.url}/session/${session}`);
    const log = page.getByRole("log");
    await log.locator("[data-index]").last().waitFor();
    await page.waitForTimeout(500);
    await toTheEnds(page);
    // Dragged, a bit with every frame.
    await log.evaluate(async (box) => {
      const all = box.scrollTop;
      for (let left = 30; left >= 0; left--) {
        box.scrollTop = (all * left) / 30;
        await new Promise(requestAnimationFrame);
      }
    });
    await page.waitForTimeout(700);
    expect(await log.evaluate((box) => [box.scrollTop, box.querySelector("[data-index]")?.getAttribute("data-index")])).toEqual([0, "0"]);
    await page.close();
  }
});

test("a call that waits for a person says so, and a list is a list", async () => {
  const { sessionId } = await daemon.tell("atlas", "list", 0);
  await daemon.tell("atlas", "approve seven");
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/session/${sessionId}`);
  const log = page.getByRole("log");
  await log.getByRole("button", { name: /Bash make seven waits for you/ }).waitFor();
  await page.getByRole("navigation", { name: "Turns" }).getByText("waits for you").waitFor();
  expect(await page.getByText("at work").count()).toBe(0);
  await log.getByRole("button", { name: /TodoWrite 1 of 3 done · Oil the hinge/ }).click();
  await log.getByRole("listitem").filter({ hasText: "Paint the door" }).getByRole("img", { name: "done" }).waitFor();
  // What it does is known at once, and not only when it does something next.
  await page.goto(`${daemon.url}/fleet`);
  await page.getByRole("region", { name: "Team atlas" }).getByText(/^Bash:? make seven$/).waitFor();
});

test("what was told for later says when it is due", async () => {
  const { sessionId, turnId } = await daemon.call("POST", "/api/teams/tell", { toTeam: "beacon", fromTeam: "comet", message: "hello", delay: 30 * 60_000, timeout: -1 });
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/session/${sessionId}`);
  await page.getByRole("log").getByText(/waits for its time: .*\d\d:\d\d/).waitFor();
  await page.goto(`${daemon.url}/fleet`);
  await page.getByRole("region", { name: "Team beacon" }).getByText(/asleep until .*\d\d:\d\d/).waitFor();
  await daemon.call("POST", `/api/turns/${turnId}/cancel`, {});
  await page.getByRole("region", { name: "Team beacon" }).getByText(/asleep until/).waitFor({ state: "detached" });
});

test("the fleet names what runs, and counts what waits behind it", async () => {
  await daemon.tell("beacon", "destroy it all");
  await daemon.tell("beacon", "write the release notes");
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/fleet`);
  const row = page.getByRole("region", { name: "Team beacon" }).getByRole("listitem").filter({ hasText: "needs you" });
  await row.getByRole("link", { name: "destroy it all" }).waitFor();
  const { items } = await daemon.call("GET", "/api/sessions");
  const { running } = items.find(({ to, running: id }: { to: string; running?: string }) => to === "beacon" && id);
  const { number } = await daemon.call("GET", `/api/turns/${running}`);
  await row.getByText(new RegExp(`turn ${number}, 1 waiting · Bash:? rm -rf build`)).waitFor();
});

test("words appear while they are written", async () => {
  const { sessionId } = await daemon.tell("beacon", "hello", 0);
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/session/${sessionId}`);
  await page.getByText("You said: hello").first().waitFor();
  await page.getByPlaceholder("Tell beacon").fill("slow");
  await page.keyboard.press("Enter");
  const writing = page.locator("[data-writing]");
  await writing.getByText("one two").waitFor();
  expect(await writing.textContent(), "the end is not written yet").not.toContain("twelve");
  await writing.waitFor({ state: "detached" });
  expect(await page.getByRole("log").getByText("eleven twelve").count(), "said once").toBe(1);
});

test("a question is answered where it is asked", async () => {
  const { sessionId } = await daemon.tell("comet", "ask");
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/session/${sessionId}`);
  await page.getByRole("log").getByRole("group", { name: "Answers" }).getByRole("button", { name: "Blue" }).click();
  await page.getByText("Blue it is").first().waitFor();
});

test("what was decided is seen where it was asked, and what was refused did not fail", async () => {
  const page = await signedIn(daemon);
  const { sessionId } = await daemon.tell("comet", "approve eighteen");
  await page.goto(`${daemon.url}/session/${sessionId}`);
  const log = page.getByRole("log");
  await log.getByRole("article").getByRole("textbox").fill("not before the release");
  await page.keyboard.press("Enter");
  await log.getByText("Kept, because not before the release").first().waitFor();
  const note = log.getByRole("note", { name: "Decided question of comet" }).last();
  await note.getByText(/Run make eighteen\? refused by user .*: not before the release/).waitFor();
  const call = log.getByRole("button", { name: /Bash make eighteen/ });
  await call.getByText("refused by user").waitFor();
  expect(await call.getByText("failed").count()).toBe(0);
  // Between what it asked about and what came after.
  const tops = await Promise.all([call, note, log.getByText("Kept, because").first()].map(async (one) => (await one.boundingBox())?.y ?? 0));
  expect(tops).toEqual(tops.toSorted((one, other) => one - other));
  await note.getByRole("link", { name: "Decided" }).click();
  await page.getByText("was to be called with exactly this").waitFor();
});

test("what is asked while one reads further up is shown, and numbers answer it where it is", async () => {
  const { sessionId } = await daemon.tell("comet", "hello", 0);
  for (let turn = 0; turn < 12; turn++) await daemon.tell("comet", `hay ${turn}`, 0);
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/session/${sessionId}`);
  await page.getByText("You said: hay 11").first().waitFor();
  await page.getByRole("log").hover();
  await page.mouse.wheel(0, -4000);
  await page.getByRole("button", { name: "Follow" }).waitFor();
  const { turnId } = await daemon.tell("comet", "ask");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Which colour for the button?").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Show what it asks" }).click();
  const card = page.getByRole("log").getByRole("article");
  await card.waitFor();
  await page.getByRole("button", { name: "Show what it asks" }).waitFor({ state: "detached" });
  // Deaf for a moment, so it is pressed until it is heard.
  await expect.poll(async () => (await page.keyboard.press("2"), card.count())).toBe(0);
  await expect.poll(async () => (await daemon.call("GET", `/api/turns/${turnId}`)).response).toBe("Blue it is");
  expect(await dialog.count()).toBe(0);
});

test("what leads back to the end lies over nothing that can be pressed", async () => {
  const tell = (message: string) => daemon.call("POST", "/api/teams/tell", { toTeam: "delta", fromTeam: "atlas", message, timeout: 0 });
  const { sessionId } = await tell("hello");
  for (let turn = 0; turn < 12; turn++) await tell(`hay ${turn}`);
  const page = await signedIn(daemon, { viewport: PHONE });
  await page.goto(`${daemon.url}/session/${sessionId}`);
  await page.getByText("You said: hay 11").first().waitFor();
  await page.getByRole("log").hover();
  await page.mouse.wheel(0, -1000);
  const follow = page.getByRole("button", { name: "Follow" });
  await follow.waitFor();
  const [log, button] = [await page.getByRole("log").boundingBox(), await follow.boundingBox()];
  expect((log?.y ?? 0) + (log?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0);
  await follow.click();
  await follow.waitFor({ state: "detached" });
  await page.waitForTimeout(300);
  expect(await page.getByRole("log").evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight)), "and it is at its end").toBe(0);
});

test("the beginning of an id leads to its session", async () => {
  const { sessionId } = await daemon.tell("atlas", "hello", 0);
  const page = await signedIn(daemon);
  const sessions = (await daemon.call("GET", "/api/sessions")).items.map(({ id }: { id: string }) => id);
  const length = Array.from({ length: sessionId.length }, (_, index) => index + 1).find((count) => sessions.filter((id: string) => id.startsWith(sessionId.slice(0, count))).length === 1) ?? 36;
  await page.goto(`${daemon.url}/session/${sessionId.slice(0, length)}`);
  await page.waitForURL(`**/session/${sessionId}`);
  await page.getByRole("heading", { name: /atlas for you/ }).waitFor();
  await page.goto(`${daemon.url}/session/zzz`);
  await page.getByText("there is no session zzz").first().waitFor();
});

test("an address that leads nowhere is a page that says so", async () => {
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/fleet/`);
  await page.getByRole("heading", { name: "Fleet" }).waitFor();
  await page.goto(`${daemon.url}/zzz`);
  await page.getByText("There is no such page").first().waitFor();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Fleet" }).waitFor();
  await page.getByRole("link", { name: "To the inbox" }).click();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  const program = await fetch(`${daemon.url}/zzz`);
  expect([program.status, program.headers.get("content-type")]).toEqual([401, "application/problem+json"]);
  forgive(page);
});

test("a message between teams is a card, and its answer is in it", async () => {
  const { sessionId } = await daemon.tell("atlas", "letter", 0);
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/session/${sessionId}`);
  await page.getByRole("log").getByText("form", { exact: true }).waitFor();
  await page.getByRole("button", { name: /Answer.*You said: echo/ }).waitFor();
});

test("work that ended with its turn is not said to go on", async () => {
  const page = await signedIn(daemon);
  const log = page.getByRole("log");
  for (const [told, before] of [["stuck", "running"], ["chase", "waits for an answer"]] as const) {
    const { sessionId } = await daemon.tell("atlas", told);
    await page.goto(`${daemon.url}/session/${sessionId}`);
    await log.getByText(before).waitFor();
    await daemon.call("POST", "/api/teams/atlas/sleep", { fromTeam: "user", force: true });
    await expect.poll(() => log.locator(".busy").count()).toBe(0);
  }
  await log.getByRole("button", { name: /^explorer.*cut off/ }).waitFor();
  await log.getByRole("button", { name: /make everything cut off/ }).waitFor();
  await log.getByRole("paragraph").filter({ hasText: /atlas.*delta.*cut off/ }).waitFor();
});

test("of several sessions of a team, each is named by what it is about", async () => {
  for (const goal of ["Paint the gate", "Oil the gate"]) await daemon.call("POST", "/api/jobs", { team: "delta", goal });
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/fleet`);
  await page.getByRole("button", { name: /^Actions for delta for a job: .*Paint the gate/ }).waitFor();
  await page.goto(`${daemon.url}/inbox`);
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Go to, or do…").fill("stop oil");
  await page.getByRole("option", { name: /^Stop at once: delta for a job: .*Oil the gate/ }).click();
  await page.getByRole("dialog", { name: "Stop delta for a job at once?" }).getByText("Oil the gate").waitFor();
});

test("one finds words, and goes from turn to turn", async () => {
  const { sessionId } = await daemon.tell("beacon", "needle in a haystack", 0);
  for (let turn = 0; turn < 30; turn++) await daemon.tell("beacon", `hay ${turn}`, 0);
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/session/${sessionId}`);
  await page.getByText("You said: hay 29").first().waitFor();
  await page.keyboard.press("/");
  await page.getByLabel("Find in this conversation").fill("needle");
  await page.getByText(/^\d of 2 found$/).first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("needle in a haystack", { exact: true }).waitFor();
  const marked = (name: string) => page.evaluate((name) => [...(CSS.highlights.get(name) ?? [])].map(String), name);
  await expect.poll(() => marked("found-here")).toEqual(["needle"]);
  expect(new Set(await marked("found"))).toEqual(new Set(["needle"]));
  await page.getByLabel("Close").click();
  const follow = page.getByRole("button", { name: "Follow" });
  await follow.click();
  await page.getByText("You said: hay 29").first().waitFor();
  await page.getByRole("navigation", { name: "Turns" }).getByText("hay 20").click();
  await expect.poll(async () => (await page.getByRole("region", { name: /Turn/ }).first().textContent()) ?? "").toContain("hay");
  await follow.waitFor();
  // Where one is has an address, in the list as by key, and the list says where that is.
  const turnId = () => new URL(page.url()).searchParams.get("turn");
  const rail = page.getByRole("navigation", { name: "Turns" });
  expect(await rail.locator("[aria-current]").textContent()).toContain("hay 20");
  const there = turnId();
  expect(there).not.toBe(null);
  await page.getByRole("log").focus();
  await page.keyboard.press("k");
  await rail.locator("[aria-current]").getByText("hay 19").waitFor();
  await expect.poll(turnId).not.toBe(there);
  await page.goto(`${daemon.url}/session/${sessionId}?turn=nothing`);
  await page.getByText("There is no turn nothing in this session").waitFor();
});

test("what is folded away is found, by a press and on a phone too", async () => {
  const { sessionId } = await daemon.tell("atlas", "work", 0);
  for (let turn = 0; turn < 8; turn++) await daemon.tell("atlas", `hay ${turn}`, 0);
  const page = await signedIn(daemon, { viewport: PHONE, hasTouch: true, isMobile: true });
  await page.goto(`${daemon.url}/session/${sessionId}`);
  await page.getByText("You said: hay 7").first().waitFor();
  await page.getByRole("button", { name: "Find", exact: true }).tap();
  await page.getByRole("searchbox").fill("used in the form");
  await page.getByText(/^\d of \d found$/).first().waitFor();
  await page.getByRole("log").getByText("It is used in the form.").waitFor();
  await page.getByLabel("Close").tap();
  await page.getByRole("log").getByText("It is used in the form.").waitFor({ state: "detached" });
  await page.getByRole("button", { name: /\d+ turns/ }).tap();
  await page.getByRole("menuitem", { name: /hay 6/ }).tap();
  await page.getByText("You said: hay 6").first().waitFor();
});

test("the fleet says what each is up to, and does what it is told", async () => {
  const page = await signedIn(daemon);
  await page.getByRole("link", { name: "Fleet" }).click();
  const team = page.getByRole("region", { name: "Team comet" });
  await team.getByRole("button", { name: "Tell" }).click();
  // One writes at once: no letter of it is a key of the page.
  await page.keyboard.type("hang on");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /comet for you/ }).waitFor();
  await page.getByText("working").first().waitFor();
  await page.getByLabel("Back to the fleet").click();
  await team.getByText("working").waitFor();
  await team.getByText("hang on").waitFor();
  await team.getByLabel("Actions for comet").first().click();
  await page.getByRole("menuitem", { name: "Stop at once" }).click();
  const confirm = page.getByRole("dialog", { name: "Stop comet for you at once?" });
  await confirm.getByRole("button", { name: "Keep it running" }).click();
  await confirm.waitFor({ state: "detached" });
  await team.getByText("working").waitFor();
  await team.getByLabel("Actions for comet").first().click();
  await page.getByRole("menuitem", { name: "Stop at once" }).click();
  await confirm.getByRole("button", { name: "Stop at once" }).click();
  await team.getByText("asleep").first().waitFor();
  expect(await page.getByRole("region", { name: "Problems" }).getByText("comet").count(), "what somebody stopped is no problem").toBe(0);
  await daemon.tell("comet", "fail", 0);
  await page.getByRole("region", { name: "Problems" }).getByText(/comet for you: the last turn failed .* ago: the model would not/).waitFor();

  // Where it is known from is an event, and that is a press away with what happened around it.
  await team.locator("[data-mood]").first().getByRole("link", { name: /^event \d+$/ }).click();
  await page.getByRole("heading", { name: /^Log around event \d+$/ }).waitFor();
  await page.getByRole("region", { name: "Log" }).locator('[aria-current="true"]').waitFor();
  await page.getByRole("link", { name: "The newest" }).click();
  await page.getByRole("heading", { name: "Log", exact: true }).waitFor();

  // By keys, from row to row and into one; a failure is told again without being written again.
  await page.goto(`${daemon.url}/fleet?team=comet`);
  await expect.poll(() => team.evaluate((card) => card === document.activeElement)).toBe(true);
  await team.getByRole("link", { name: "fail" }).focus();
  await page.keyboard.press("k");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /comet for you/ }).waitFor();
  await page.getByRole("button", { name: "Tell it again" }).last().click();
  expect(await page.getByPlaceholder("Tell comet").inputValue()).toBe("fail");
  expect(await page.getByRole("note").filter({ hasText: "the session was stopped" }).evaluate((note) => note.className), "what somebody stopped is no failure").not.toContain("bad");
});

test("on a phone as well it says where a state is known from, and where a team works", async () => {
  const page = await signedIn(daemon, { viewport: PHONE, isMobile: true, hasTouch: true });
  const { sessionId } = await daemon.tell("atlas", "hello there", 0);
  await page.goto(`${daemon.url}/fleet`);
  const team = page.getByRole("region", { name: "Team atlas" });
  await team.locator('[data-mood="calm"]', { hasText: /event \d+/ }).first().waitFor();
  const { path } = (await daemon.call("GET", "/api/teams")).items.find(({ name }: { name: string }) => name === "atlas");
  const folder = team.getByText(path);
  expect(await folder.evaluate((element) => [element.scrollWidth <= element.clientWidth || getComputedStyle(element).display === "inline", element.getBoundingClientRect().width > 100])).toEqual([true, true]);
  await page.goto(`${daemon.url}/session/${sessionId}`);
  await page.getByRole("banner").or(page.locator("header")).getByText(/event \d+/).first().waitFor();
});

test("what can be done is done by name as well, and everything is stopped only after a question", async () => {
  await daemon.call("POST", "/api/jobs", { team: "beacon", goal: "Paint the fence" });
  const page = await signedIn(daemon);
  const commands = page.getByPlaceholder("Go to, or do…");
  const pick = async (text: string, name: string | RegExp) => {
    await page.keyboard.press("Control+k");
    await commands.fill(text);
    await page.getByRole("option", { name }).first().click();
  };
  await pick("tell comet", "Tell comet…");
  await page.getByRole("dialog").getByPlaceholder("Tell comet").fill("hang on");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /comet for you/ }).waitFor();
  await page.getByText("working").first().waitFor();
  await pick("cancel comet", "Cancel what it does: comet for you");
  await page.getByRole("dialog", { name: "Cancel what comet for you does?" }).getByRole("button", { name: "Cancel it" }).click();
  await page.getByText("1 turn cancelled").first().waitFor();
  await pick("fence", "Job of beacon: Paint the fence");
  await page.getByRole("heading", { name: "Paint the fence" }).waitFor();
  await pick("start a job", "Start a job…");
  await page.getByLabel("What is to be done").waitFor();
  await pick("stop every", "Stop everything…");
  const dialog = page.getByRole("dialog", { name: "Stop every agent?" });
  await dialog.getByRole("button", { name: "Keep them running" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await daemon.call("GET", "/api/status")).agents).toBeGreaterThan(0);
  await pick("stop every", "Stop everything…");
  await dialog.getByRole("button", { name: "Stop everything" }).click();
  await page.getByText(/agents? (was|were) stopped/).first().waitFor();
});

test("everything by name, and from page to page by keys", async () => {
  const page = await signedIn(daemon);
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Go to, or do…").fill("fle");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Fleet" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Go to, or do…").fill("tell atlas");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Tell atlas" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.getByRole("heading", { name: "Health" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("next, previous question").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
});

test("every turn is reached: the rail goes along, and on a phone a number leads to it", async () => {
  let told = { sessionId: "", turnId: "" };
  const turns: string[] = [];
  for (let number = 1; number <= 30; number++) turns.push((told = await daemon.tell("delta", `turn number ${number}`, 0)).turnId);
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/session/${told.sessionId}?turn=${turns[2]}`);
  const rail = page.getByRole("navigation", { name: "Turns" });
  const current = rail.locator("[aria-current]");
  await current.getByText("turn number 3", { exact: true }).waitFor();
  const isShown = () =>
    current.evaluate((element) => {
      const [own, room] = [element.getBoundingClientRect(), element.closest("nav")?.getBoundingClientRect()];
      return room !== undefined && own.top >= room.top - 1 && own.bottom <= room.bottom + 1;
    });
  await expect.poll(isShown).toBe(true);
  await page.getByRole("button", { name: "Follow" }).click();
  await current.getByText("turn number 30", { exact: true }).waitFor();
  await expect.poll(isShown).toBe(true);
  // However one goes on from a turn: by wheel or by key.
  const log = page.getByRole("log");
  const ways = {
    wheel: () => log.hover().then(() => page.mouse.wheel(0, 900)),
    key: () => log.press("PageDown"),
  };
  for (const [name, goOn] of Object.entries(ways)) {
    await page.goto(`${daemon.url}/session/${told.sessionId}?turn=${turns[2]}`);
    await current.getByText("turn number 3", { exact: true }).waitFor();
    await goOn();
    await expect.poll(() => current.getByText("turn number 3", { exact: true }).count(), { message: name }).toBe(0);
    expect(await current.count(), name).toBe(1);
  }

  const phone = await signedIn(daemon, { viewport: PHONE });
  await phone.goto(`${daemon.url}/session/${told.sessionId}`);
  await phone.getByRole("log").getByText("You said: turn number 30").waitFor();
  await phone.getByLabel("Go to turn number").fill("4");
  await phone.keyboard.press("Enter");
  await phone.waitForURL(`**?turn=${turns[3]}`);
  await phone.getByRole("log").getByText("You said: turn number 4", { exact: true }).waitFor();
});
