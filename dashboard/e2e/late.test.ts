// Questions that nobody answered in time: that is said, and an answer still counts if it is to.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, closeBrowser, closePages, signedIn } from "./stage";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT, beacon: SCRIPT }, [], ["questions:", "  shortestDeadline: 1ms", "  deadlines: { blocking: 1s }"]);
});
afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

test("what ran out is said in the fleet, and is answered and run again from what was decided", async () => {
  const { sessionId } = await daemon.tell("atlas", "ask");
  await expect.poll(async () => (await daemon.call("GET", "/api/questions/decided")).items.length, { timeout: 20_000 }).toBe(1);
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/fleet`);
  await page.getByRole("link", { name: "1 question ran out today" }).click();
  await page.getByText("ran out of time").waitFor();
  await page.getByRole("link", { name: "Which colour for the button?" }).click();
  await page.getByRole("button", { name: "Answer anyway and run it again" }).click();
  // Words to what has ended are meant for that, whatever else is asked meanwhile.
  const reply = page.locator("[data-reply]");
  await reply.fill("Neither");
  const read = page.waitForResponse("**/api/questions/pending");
  await daemon.tell("beacon", "ask");
  await read;
  await page.waitForTimeout(1000);
  expect(await page.getByText("What you wrote was not sent").count()).toBe(0);
  await reply.fill("");
  await expect.poll(async () => (await daemon.call("GET", "/api/questions/pending")).questions.length, { timeout: 20_000 }).toBe(0);
  await page.getByRole("button", { name: "Red" }).click();
  await page.getByText("Taken: the work is run again with your answer.").waitFor();
  const messages = async () => (await daemon.call("GET", `/api/sessions/${sessionId}/turns`)).items.map(({ message }: { message: string }) => message);
  await expect.poll(async () => (await messages()).at(-1), { timeout: 10_000 }).toContain("Red");
});

test("where only the options are an answer, words say why none of them is", async () => {
  const { id } = await daemon.call("POST", "/api/jobs", { team: "beacon", goal: "hang on" });
  const ask = (question: string, more: object) => daemon.call("POST", `/api/jobs/${id}/questions`, { question, type: "choice", options: [{ value: "oak", label: "Oak" }, { value: "pine", label: "Pine" }], timeoutMinutes: 10, ...more });
  await ask("Which door?", { allowFreeText: false });
  const page = await signedIn(daemon);
  // What the test before this one ran again may still ask something, too.
  const card = (question: string) => page.locator("article", { hasText: question });
  await card("Which door?").getByRole("button", { name: "Oak" }).waitFor();
  await card("Which door?").getByLabel("None of these, and say why").waitFor();
  await ask("Which window?", { allowFreeText: true });
  await card("Which window?").locator("[data-reply]").waitFor();
  expect(await card("Which window?").getByLabel("None of these, and say why").count()).toBe(0);
  await daemon.call("POST", `/api/jobs/${id}/stop`, {});
});
