// Every time says its zone, and ages grow while one looks.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, closeBrowser, closePages, signedIn } from "./stage";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT, beacon: SCRIPT });
});
afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

test("every time that is shown has its zone, and every age ticks", async () => {
  const page = await signedIn(daemon, { timezoneId: "Asia/Kolkata", locale: "en-GB" });
  const { sessionId } = await daemon.tell("atlas", "hello", 0);
  await daemon.tell("beacon", "approve this");
  const job = await daemon.call("POST", "/api/jobs", { team: "atlas", goal: "Paint the button" });
  await expect.poll(async () => (await daemon.call("GET", `/api/jobs/${job.id}`)).status).toBe("completed");
  await daemon.tell("atlas", "ask");
  const { questions } = await daemon.call("GET", "/api/questions/pending");
  const asked = questions.find(({ team }: { team: string }) => team === "atlas");
  if (asked) await daemon.call("POST", `/api/questions/${asked.id}/answer`, { response: { value: "Red" } });

  for (const [path, fact] of [["/inbox", "make this"], ["/inbox?view=decided", "Decided"], ["/fleet", "ago"], [`/session/${sessionId}`, "You said: hello"], ["/jobs", "Paint the button"], [`/job/${job.id}`, "It came to this"], ["/system", "daemon.started"], ["/settings", "Tokens and browsers"]] as const) {
    await page.goto(daemon.url + path);
    await page.getByText(fact).first().waitFor();
    const bare = await page.evaluate(() => {
      const found: string[] = [];
      for (const time of document.querySelectorAll("time")) if (!time.title.includes("GMT+5:30")) found.push(`${time.textContent} has no zone`);
      const texts = document.createTreeWalker(document.querySelector("main")!, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node; node = texts.nextNode()) if (/\b\d{1,2}:\d{2}\b/.test(node.textContent ?? "") && !node.parentElement?.closest("time, [title*='GMT+5:30'], pre")) found.push(`${node.textContent} is bare`);
      return found;
    });
    expect(bare, path).toEqual([]);
    const age = page.locator("main time").filter({ hasText: /^\d+ s$|^\d m \d+ s$|^\d+ m$/ }).first();
    if (!["/inbox", "/fleet", "/jobs"].includes(path)) continue;
    const before = await age.textContent();
    await expect.poll(() => age.textContent(), { message: path, timeout: 90_000 }).not.toBe(before);
  }
});
