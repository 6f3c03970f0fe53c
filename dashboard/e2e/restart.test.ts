import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, closeBrowser, closePages, forgive, signedIn } from "./stage";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT, beacon: SCRIPT });
});
afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

test("a daemon that is killed is shown as gone, and what it does when it is back is seen", async () => {
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/fleet`);
  await page.locator('[data-connection="live"]').waitFor();
  await daemon.tell("atlas", "hello", 0);
  await page.getByText("idle").first().waitFor();

  await page.getByRole("link", { name: "Health" }).click();
  const parts = page.getByRole("region", { name: "Parts" });
  await parts.getByText("runs", { exact: true }).waitFor();
  await daemon.end("SIGKILL");
  await page.getByRole("alert").getByText("Connection lost").waitFor();
  await page.locator('[data-connection="lost"]').waitFor();
  await page.getByRole("alert").getByText("the daemon cannot be reached").waitFor();
  // Nothing looks as if it were known: no green, no beat, and ages stand.
  await expect.poll(() => parts.getByText(/^not known since/).count()).toBe(5);
  expect(await parts.getByText("runs", { exact: true }).count()).toBe(0);
  expect(await parts.locator(".text-good").count()).toBe(0);
  await page.getByRole("link", { name: "Fleet" }).click();
  await page.getByText("idle").first().waitFor();
  const age = page.locator("[data-mood] time").first();
  const stood = await age.textContent();
  await page.waitForTimeout(2500);
  expect(await age.textContent()).toBe(stood);
  // What is asked for now is asked for in vain; that is said once.
  await page.getByRole("link", { name: "Inbox" }).click();
  const failed = page.waitForEvent("requestfailed", (request) => new URL(request.url()).pathname === "/api/status");
  await page.getByRole("link", { name: "Decided" }).click();
  await failed;
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(1);
  await page.getByRole("link", { name: "Fleet" }).click();
  await daemon.serve();
  await page.getByRole("alert").waitFor({ state: "detached" });
  await page.getByText("asleep").first().waitFor();
  // The browser reports requests that went nowhere.
  forgive(page);

  await daemon.tell("beacon", "ask");
  await page.getByRole("dialog").getByText("Which colour for the button?").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Red" }).click({ delay: 800 });
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("an answer that cannot be sent is not lost and not claimed", async () => {
  const page = await signedIn(daemon);
  await daemon.tell("atlas", "ask");
  const card = page.getByRole("article", { name: "Question of atlas" });
  await card.waitFor();
  await page.route("**/answer", (route) => route.abort());
  await card.getByRole("button", { name: "Blue" }).click();
  await card.getByRole("alert").getByText("Not sent").waitFor();
  await page.unroute("**/answer");
  await card.getByRole("button", { name: "Blue" }).click();
  await card.waitFor({ state: "detached" });
  forgive(page);
});
