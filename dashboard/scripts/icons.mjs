// Draws the two PNG icons from icon.svg: the small one as it is, the large one to the edge, for systems that cut icons to a
// shape of their own. With the browser the end-to-end tests use. Run by hand when the drawing changes.
import { readFileSync, writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

const drawing = readFileSync(new URL("../public/icon.svg", import.meta.url), "utf8");
const browser = await chromium.launch({ executablePath: process.env.IRIS_TEST_CHROMIUM ?? "/usr/bin/chromium" });
for (const [size, svg] of [[192, drawing], [512, drawing.replace(/ rx="\d+"/, "")]]) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<body style="margin:0">${svg.replace("<svg", `<svg width="${size}" height="${size}"`)}</body>`);
  const picture = await page.screenshot({ omitBackground: true });
  writeFileSync(new URL(`../public/icon-${size}.png`, import.meta.url), picture);
}
await browser.close();
