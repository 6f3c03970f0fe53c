import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, closeBrowser, closePages, forgive, signedIn, stranger } from "./stage";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT });
});
afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

test("a link opens the inbox, and works once", async () => {
  const link = await daemon.link();
  const page = await stranger();
  await page.goto(link);
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/inbox");
  await page.getByText("Nobody needs you").first().waitFor();

  const other = await stranger();
  await other.goto(link);
  await other.getByText("does not work any more").waitFor();
  expect(other.url(), "the code is out of the address").not.toContain("#");
  forgive(other);
});

test("a link signs in the tab that asks for one, also after one that is used up, and leads to where it was to go", async () => {
  const used = await daemon.link();
  await (await stranger()).goto(used);
  const page = await stranger();
  await page.goto(`${daemon.url}/system?event=1`);
  await page.getByRole("heading", { name: "Signed out" }).waitFor();
  await page.waitForLoadState("networkidle");
  const turnedAway = page.waitForResponse("**/api/login");
  await page.goto(used);
  await turnedAway;
  await page.getByText("does not work any more").waitFor();
  expect(page.url(), "the code is out of the address").toBe(`${daemon.url}/login`);
  forgive(page);
  await page.goto(await daemon.link());
  await page.getByRole("heading", { name: "Log around event 1" }).waitFor();
  expect(page.url()).toBe(`${daemon.url}/system?event=1`);

  // Who is signed in has nothing to do there, and a link that does not work takes nothing away.
  await page.goto(`${daemon.url}/login`);
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.goto(used);
  await page.getByRole("link", { name: "To the inbox" }).click();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  forgive(page);
});

test("a tab that asks for a link goes on when another tab was given one", async () => {
  const page = await stranger();
  await page.goto(`${daemon.url}/fleet`);
  await page.getByRole("heading", { name: "Signed out" }).waitFor();
  await page.waitForLoadState("networkidle");
  await (await page.context().newPage()).goto(await daemon.link());
  await page.getByRole("heading", { name: "Fleet" }).waitFor();
});

test("without a credential every page says how to get in", async () => {
  for (const path of ["/", "/fleet", "/session/nobody", "/settings"]) {
    const page = await stranger();
    await page.goto(daemon.url + path);
    await page.getByText("iris link").first().waitFor();
    await page.waitForLoadState("networkidle");
  }
});

test("who was signed in once and is not any more is told so without an error", async () => {
  for (const path of ["/", "/inbox", "/fleet"]) {
    const page = await signedIn(daemon);
    // As after thirty days: the word is still there.
    await page.goto("about:blank");
    await page.context().clearCookies();
    await page.goto(daemon.url + path);
    await page.getByRole("heading", { name: "Signed out" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(page.url()).toBe(`${daemon.url}/login`);
  }
});

test("an event that has not happened yet is said to be that", async () => {
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/system?event=99999999`);
  await page.getByText("There is no event 99999999 yet. These are the nearest.").waitFor();
  await page.waitForTimeout(500);
});

test("signing out ends it everywhere", async () => {
  const page = await signedIn(daemon);
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Signed out" }).waitFor();
  // What was on its way when it ended was turned away.
  forgive(page);
  await page.goto(`${daemon.url}/inbox`);
  await page.getByText("iris link").first().waitFor();
});

test("a token that is made in the settings opens the door, and shows its text once", async () => {
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/settings`);
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByLabel("Name").fill("reader");
  await page.getByRole("button", { name: "Make it" }).click();
  const secret = await page.getByLabel(/Copy it now/).inputValue();
  const ask = (path: string, method = "GET") => fetch(daemon.url + path, { method, headers: { Authorization: `Bearer ${secret}` } });
  expect((await ask("/api/teams")).status).toBe(200);
  expect((await ask("/api/agents/stop", "POST")).status).toBe(403);
  await page.reload();
  await page.getByText("reader", { exact: true }).first().waitFor();
  expect(await page.content()).not.toContain(secret);
});

test("nothing is fetched, run or framed but our own files", async () => {
  const answer = await fetch(`${daemon.url}/inbox`);
  const policy = answer.headers.get("content-security-policy") ?? "";
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) expect(policy).toContain(part);
  expect(policy).not.toContain("unsafe");
  const html = await answer.text();
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*src=)/);
});

test("an address that is no page is no page", async () => {
  for (const path of ["/api/nothing", "/nothing", "/assets/../index.html", "/assets/nothing.js", "/metricsx"]) expect((await fetch(daemon.url + path)).status, path).not.toBe(200);
});

test("a file that never changes is kept, a page is not", async () => {
  const html = await (await fetch(`${daemon.url}/`)).text();
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? "";
  expect((await fetch(daemon.url + script)).headers.get("cache-control")).toContain("immutable");
  expect((await fetch(`${daemon.url}/`)).headers.get("cache-control")).toMatch(/no-cache|no-store/);
});
