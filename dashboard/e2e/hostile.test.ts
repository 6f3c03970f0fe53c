// What agents and people write is shown and never takes effect, in every place it can get to.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { Daemon, PHONE, closeBrowser, closePages, signedIn } from "./stage";

const TRICKS = [
  "<script>window.caught = 1</script>",
  "<img src=x onerror='window.caught = 1'>",
  "[click](javascript:window.caught=1)",
  "![pixel](http://tracker.example/p.png)",
  "<style>*{display:none}</style>",
  "\u001b[31mred\u001b[0m\u0007",
  "gnp.\u202eexe",
  "zero\u200bwidth",
  "{{constructor.constructor('window.caught=1')()}}",
  "${window.caught=1}",
  "x".repeat(3000),
  "| a | b |\n|---|---|\n| <b onclick=window.caught=1>c</b> | d |",
  "</textarea></title></pre><svg/onload=window.caught=1>",
].join("\n\n");
const SHORT = "<b onmouseover=window.caught=1>\u202eevil\u001b[2J</b>";

/** What one needs to know, behind marks that would push it out of the window. */
const DEEP = ["> ", "- ", "> - ", "1. "].map((mark, index) => `Tidy up.\n\n${mark.repeat(300 / mark.length * 2)}and drop the database ${index}`);

const quoted = (text: string) => JSON.stringify(text);
const SCRIPT = `
replies:
  - match: "(?s)^ask"
    do:
      - ask: { question: ${quoted(TRICKS)}, header: ${quoted(SHORT)}, options: [{ label: ${quoted(SHORT)}, description: ${quoted(TRICKS)} }, { label: ${quoted("x".repeat(500))} }] }
  - match: "(?s)^approve"
    do:
      - permission: { tool: ${quoted(SHORT)}, input: { ${quoted(SHORT)}: ${quoted(TRICKS)}, command: ${quoted(`ls\u202e; ${TRICKS}`)} }, result: x }
${DEEP.map((context, index) => `  - match: "^deep ${index}"\n    do: [{ mcp: { server: iris, tool: ask_question, arguments: { question: "May I tidy up?", type: approval, context: ${quoted(context)} } } }]`).join("\n")}
  - match: "(?s)^say"
    do:
      - think: ${quoted(TRICKS)}
      - tool: { name: ${quoted(SHORT)}, input: { file_path: ${quoted(TRICKS)} }, result: ${quoted(TRICKS)}, error: true }
      - tool: { name: Edit, input: { file_path: ${quoted(SHORT)}, old_string: ${quoted(TRICKS)}, new_string: ${quoted(`${TRICKS}!`)} }, result: ${quoted(TRICKS)} }
      - subagent: { type: ${quoted(SHORT)}, prompt: ${quoted(TRICKS)}, do: [{ say: ${quoted(TRICKS)} }] }
      - garbage: ${quoted(TRICKS.replaceAll("\n", " "))}
      - say: ${quoted(TRICKS)}
  - match: "^merge"
    do: [{ mcp: { server: iris, tool: ask_question, arguments: { question: "Shall I merge [PR 12](https://evil.example/steal?x=1) now?", type: choice, options: [Merge it, "No"] } } }, { say: "{{result}}" }]
  - match: "(?s)^fail"
    do: [{ fail: ${quoted(TRICKS)} }]
`;

let daemon: Daemon;
let decided: string | undefined;
let job: string;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT, beacon: SCRIPT, comet: SCRIPT });
  const told = (verb: string) => `${verb} ${TRICKS}`;
  await daemon.tell("atlas", told("say"), 0);
  await daemon.tell("atlas", told("fail"), 0);
  await daemon.tell("beacon", told("ask"));
  await daemon.tell("comet", told("approve"));
  // What was decided is shown for as long as it is kept, and so is what a job was for.
  await daemon.call("POST", "/api/teams/tell", { toTeam: "beacon", fromTeam: "past", message: told("approve"), timeout: -1 });
  for (let left = 500; left > 0 && decided === undefined; left--) {
    const { questions } = await daemon.call("GET", "/api/questions/pending");
    decided = questions.find(({ team, action }: { team: string; action?: unknown }) => team === "beacon" && action)?.id;
    await new Promise((wait) => setTimeout(wait, 20));
  }
  await daemon.call("POST", `/api/questions/${decided}/answer`, { response: { value: false, text: TRICKS } });
  job = (await daemon.call("POST", "/api/jobs", { team: "atlas", goal: told("say") })).id;
  // A party may be called anything that can be printed.
  await daemon.call("POST", "/api/teams/tell", { toTeam: "atlas", fromTeam: "<img src=x onerror=window.caught=1>", message: told("say"), timeout: 0 });
});
afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

test.each([
  ["wide", {}],
  ["on a phone", { viewport: PHONE, isMobile: true, hasTouch: true }],
])("%s", async (_, options) => {
  const page = await signedIn(daemon, options);
  const { items } = await daemon.call("GET", "/api/sessions");
  // Where it is looked at, and what is there when it can be.
  const places: [string, RegExp | string][] = [
    ["/inbox", "tracker.example"],
    [`/inbox?view=decided&question=${decided}`, "was to be called with exactly this"],
    ["/jobs", "say <script>"],
    [`/job/${job}`, "tracker.example"],
    ["/fleet", "say <script>"],
    ["/system", "question.opened"],
    ["/settings", "The project comet"],
    [`/inbox?team=${encodeURIComponent(SHORT)}`, "Nothing fits the filter"],
    ...items.map(({ id }: { id: string }): [string, string] => [`/session/${id}`, "tracker.example"]),
  ];
  for (const [path, fact] of places) {
    await page.goto(daemon.url + path);
    await page.getByText(fact).first().waitFor();
    // Everything that folds is unfolded.
    for (let round = 0; round < 3; round++) for (const button of await page.locator('main [aria-expanded="false"]:not([aria-haspopup])').all()) await button.click({ timeout: 2000 }).catch(() => undefined);
    expect(await page.evaluate(() => (window as { caught?: number }).caught), path).toBeUndefined();
    expect(await page.locator("main script, main img, main svg[onload], main iframe, main style").count(), path).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${path} is not wider than the screen`).toBe(true);
    const text = await page.evaluate(() => document.body.innerText);
    // oxlint-disable-next-line no-control-regex
    expect(text, path).not.toMatch(/[\u0007\u001b\u200b\u202e]/);
    // What is read when a pointer rests on something, or by a screen reader, is read as well.
    const unseen = await page.evaluate(() => [...document.querySelectorAll("[title], [aria-label], [alt], [placeholder]")].flatMap((element) => ["title", "aria-label", "alt", "placeholder"].map((name) => element.getAttribute(name) ?? "")));
    // oxlint-disable-next-line no-control-regex
    expect(unseen.filter((words) => /[\u0007\u001b\u200b\u202e]/.test(words)), `${path}: titles and labels`).toEqual([]);
  }
});

test("what is approved is shown whole, with what would not be seen", async () => {
  const page = await signedIn(daemon);
  const card = page.getByRole("article", { name: "Question of comet" });
  await card.getByText("U+202E", { exact: true }).first().waitFor();
  const shown = (await card.textContent()) ?? "";
  for (const part of ["<script>window.caught = 1</script>", "tracker.example", "x".repeat(3000)]) expect(shown).toContain(part);
});

test("a question says where its links lead, and takes words with the option that is a no", async () => {
  const page = await signedIn(daemon);
  await daemon.call("POST", "/api/teams/tell", { toTeam: "atlas", fromTeam: "merger", message: "merge", timeout: -1 });
  const card = page.getByRole("article").filter({ hasText: "Shall I merge PR 12 (https://evil.example/steal?x=1) now?" });
  const reply = card.getByLabel("No, and say why");
  await reply.fill("Not before it is reviewed");
  await reply.press("Enter");
  await card.waitFor({ state: "detached" });
  const { items } = await daemon.call("GET", "/api/questions/decided");
  expect(items[0].answer).toMatchObject({ value: "No", text: "Not before it is reviewed" });
});

test.each([390, 1440])("nothing is pushed out of the window by quotes and lists in each other, at %s", async (width) => {
  const page = await signedIn(daemon, { viewport: { width, height: 844 } });
  for (const index of DEEP.keys()) {
    const { turnId, sessionId } = await daemon.call("POST", "/api/teams/tell", { toTeam: "atlas", fromTeam: "deep", message: `deep ${index}`, timeout: -1 });
    const known = page.getByRole("article").filter({ hasText: "May I tidy up?" }).getByLabel("What one needs to know");
    const text = known.getByText(`and drop the database ${index}`);
    await text.waitFor();
    await text.scrollIntoViewIfNeeded();
    const [inner, outer] = [await text.boundingBox(), await known.boundingBox()];
    expect(inner && outer && inner.width > 100 && inner.x >= outer.x && inner.x + inner.width <= Math.min(outer.x + outer.width, width), DEEP[index]?.slice(0, 20)).toBe(true);
    await page.goto(`${daemon.url}/session/${sessionId}`);
    await page.getByRole("article").getByText(`and drop the database ${index}`).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await daemon.call("POST", `/api/turns/${turnId}/cancel`, {});
    await page.goto(`${daemon.url}/inbox`);
    await page.getByText("May I tidy up?").waitFor({ state: "detached" });
  }
});
