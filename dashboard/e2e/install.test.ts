// It can be put on a phone's home screen or a desktop, by what Chromium itself says.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { CHROMIUM, Daemon } from "./stage";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await Daemon.start({});
});
afterAll(() => daemon.close());

test("it is installable, and knows its colours", async () => {
  // With a profile: in a window that keeps nothing, nothing can be installed.
  const profile = mkdtempSync(join(tmpdir(), "iris-profile-"));
  const context = await chromium.launchPersistentContext(profile, { executablePath: CHROMIUM });
  try {
    const page = await context.newPage();
    await page.goto(await daemon.link());
    await page.waitForURL("**/inbox");
    const devtools = await context.newCDPSession(page);
    const { url, errors, data } = await devtools.send("Page.getAppManifest");
    expect([url, errors]).toEqual([`${daemon.url}/manifest.webmanifest`, []]);
    const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
    expect(installabilityErrors).toEqual([]);

    const { icons, shortcuts, start_url } = JSON.parse(data ?? "{}") as { icons: { src: string; sizes: string }[]; shortcuts: { url: string }[]; start_url: string };
    for (const { src, sizes } of icons) {
      const real = await page.evaluate(async (address) => {
        const picture = new Image();
        picture.src = address;
        await picture.decode();
        return `${picture.naturalWidth}x${picture.naturalHeight}`;
      }, src);
      if (sizes !== "any") expect(real, src).toBe(sizes);
    }
    for (const address of [start_url, ...shortcuts.map((one) => one.url)]) expect((await fetch(daemon.url + address)).status, address).toBe(200);

    const bars = () => page.locator('meta[name="theme-color"]').evaluateAll((all) => all.map((one) => (one as HTMLMetaElement).content));
    expect(await bars()).toEqual(["#fbfbfa", "#0f1012"]);
    await page.goto(`${daemon.url}/settings`);
    await page.getByLabel("Look", { exact: true }).selectOption("dark");
    expect(await bars()).toEqual(["#0f1012", "#0f1012"]);
    await page.reload();
    await page.getByLabel("Look", { exact: true }).waitFor();
    expect(await bars()).toEqual(["#0f1012", "#0f1012"]);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
});
