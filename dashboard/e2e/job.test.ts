import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { SCRIPT } from "./script";
import { Daemon, PHONE, closeBrowser, closePages, signedIn } from "./stage";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({ atlas: SCRIPT, beacon: SCRIPT });
});
afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

test("a job is started, asks, is answered, and comes to its end", async () => {
  const page = await signedIn(daemon);
  await page.keyboard.press("g");
  await page.keyboard.press("j");
  await page.getByText("No jobs yet").first().waitFor();
  await page.getByRole("button", { name: "Start a job" }).click();
  await page.getByLabel("Team").selectOption("atlas");
  await page.getByLabel("What is to be done").fill("ask for the colour");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByText("needs you").first().waitFor();
  const asked = page.getByRole("article");
  await asked.getByRole("button", { name: "Blue" }).waitFor();
  expect(await page.getByRole("heading", { name: "Which colour for the button?" }).count(), "asked once on the page").toBe(1);
  expect(await asked.getByRole("link", { name: "job", exact: true }).count(), "no link to where one is").toBe(0);
  await asked.getByRole("button", { name: "Blue" }).click();
  await page.getByText("completed").first().waitFor();
  await page.getByText("It came to this").first().waitFor();
  await page.getByRole("region", { name: "What it asked" }).getByText("Blue").waitFor();
  await page.getByRole("log").getByText("Blue it is").waitFor();
  const below = () => page.getByRole("log").evaluate((box) => box.getBoundingClientRect().bottom - Math.max(...[...box.querySelectorAll("[data-index]")].map((row) => row.getBoundingClientRect().bottom)));
  await expect.poll(below, { message: "it is as high as what was said" }).toBeLessThan(40);
  await page.setViewportSize(PHONE);
  await page.goto(`${daemon.url}/jobs`);
  const goal = page.getByRole("link", { name: "ask for the colour" });
  await goal.waitFor();
  expect(await goal.evaluate((link) => link.clientWidth), "on a phone what it is for has the line").toBeGreaterThan(250);
});

test("a job is stopped, and says so at once", async () => {
  const { id } = await daemon.call("POST", "/api/jobs", { team: "beacon", goal: "hang on" });
  const page = await signedIn(daemon);
  await page.goto(`${daemon.url}/job/${id}`);
  await page.getByText("working").first().waitFor();
  const stop = page.getByRole("button", { name: "Stop", exact: true });
  await stop.click();
  await page.getByRole("dialog").getByRole("button", { name: "Let it go on" }).click();
  expect((await daemon.call("GET", `/api/jobs/${id}`)).status).toBe("running");
  await stop.click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop the job" }).click();
  await page.getByText("stopped").first().waitFor();
  expect((await daemon.call("GET", `/api/jobs/${id}`)).status).toBe("stopped");
});
