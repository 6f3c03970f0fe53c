// Who is waited for, in words, on every page that says so.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, closeBrowser, closePages, signedIn } from "./stage";

const PLAIN = `
default: [{ say: "I looked at the logs and found 3 errors.\\n\\nShould I fix them? (y/n)" }]
`;

let daemon: Daemon;
beforeAll(async () => {
  const forwards = { script: SCRIPT, config: ["grantPermission: forward"] };
  daemon = await Daemon.start({ atlas: SCRIPT, beacon: forwards, comet: PLAIN }, ["agent: { completionAnalysis: { responseTimeout: 8s } }"]);
});
afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

const told = (toTeam: string, message: string, timeout: number) => daemon.call("POST", "/api/teams/tell", { toTeam, fromTeam: "atlas", message, timeout });

test("a question that is put to another party names it, and is no number on our badge", async () => {
  const page = await signedIn(daemon);
  const { sessionId } = await told("beacon", "approve one", -1);
  await page.getByRole("link", { name: "Waiting on others" }).getByText("1").waitFor();
  expect(await page.locator("[data-badge]").count()).toBe(0);
  for (const path of ["/fleet", `/session/${sessionId}`]) {
    await page.goto(daemon.url + path);
    await page.getByText("waits for atlas").first().waitFor();
    expect(await page.locator("body").innerText(), path).not.toContain("waiting_for");
  }
});

test("a question that nobody else hears yet does so too, and shows up when its time has come", async () => {
  const page = await signedIn(daemon);
  const { sessionId } = await told("comet", "look", 0);
  expect((await daemon.call("GET", `/api/sessions/${sessionId}`)).state).toMatch(/^waiting_for_/);
  await page.goto(`${daemon.url}/fleet`);
  const team = page.getByRole("region", { name: "Team comet" });
  await team.getByText("waits for atlas").waitFor();
  expect(await page.locator("body").innerText()).not.toContain("waiting_for");
  await page.goto(`${daemon.url}/session/${sessionId}`);
  await page.getByRole("banner").or(page.locator("header")).getByText("waits for atlas").first().waitFor();
  // Asked while the page is open, and shown without a touch of it.
  await page.goto(`${daemon.url}/inbox`);
  await page.locator('[data-connection="live"]').waitFor();
  await told("comet", "look again", 0);
  await page.getByText("Should I fix them?").first().waitFor({ timeout: 60_000 });
});
