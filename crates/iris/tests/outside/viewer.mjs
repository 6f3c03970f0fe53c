// Opens the viewer of the API. Says as JSON how many operations it shows, and what the browser had to say. Takes one argument,
// also JSON: { chromium, modules, address, token }.
import { createRequire } from "node:module";

const job = JSON.parse(process.argv[2]);
const { chromium } = createRequire(job.modules + "/")("playwright-core");
const browser = await chromium.launch({ executablePath: job.chromium, args: ["--no-sandbox"] });
const context = await browser.newContext({ extraHTTPHeaders: { authorization: `Bearer ${job.token}` } });
const page = await context.newPage();
const said = [];
page.on("console", (message) => said.push(message.text()));
page.on("pageerror", (error) => said.push(error.message));
await page.goto(job.address);
await page.waitForSelector(".opblock");
const operations = await page.locator(".opblock").count();
await browser.close();
console.log(JSON.stringify({ operations, said }));
