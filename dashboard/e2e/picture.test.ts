// The pictures of the README: teams as people have them. `cargo xtask pictures` keeps them.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

import { type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { Daemon, PHONE, WIDE, closeBrowser, closePages, signedIn } from "./stage";

const PICTURES = process.env["IRIS_TEST_PICTURES"] ?? resolve(import.meta.dirname, "../../target/screenshots");

const SCRIPT = String.raw`
model: scripted-1
replies:
  - match: "^publish"
    do: [{ permission: { tool: Bash, input: { command: "git push origin main", description: "Publish the release" }, result: ok, then: [{ say: Published }], denied: [{ say: Kept }] } }]
  - match: "^correct"
    do:
      - think: "The total is wrong for more than one piece. Where is it computed?"
      - tool: { name: Glob, input: { pattern: "src/cart/**/*.ts" }, result: "src/cart/total.ts" }
      - tool: { name: Read, input: { file_path: src/cart/total.ts }, result: "export const total = …" }
      - tool: { name: Grep, input: { pattern: "total(", path: src }, result: "src/checkout/pay.ts:40" }
      - tool: { name: Edit, input: { file_path: src/cart/total.ts, old_string: "export const total = (items: Item[]) =>\n  sum(items.map((item) => item.price));", new_string: "export const total = (items: Item[]) =>\n  sum(items.map((item) => item.price * item.count));" }, result: "The file has been updated." }
      - tool: { name: Bash, input: { command: "npm test -- cart" }, result: "14 passed", delay: 300ms }
      - subagent: { type: reviewer, prompt: "Review the change of the total", do: [{ tool: { name: Read, input: { file_path: src/cart/total.ts } } }, { say: "It is right." }] }
      - cost: 0.34
      - usage: { input: 12000, output: 3400 }
      - say: "The total counts **pieces** now.\n\n- changed src/cart/total.ts\n- 14 tests pass"
  - match: "^check"
    do:
      - tool: { name: Read, input: { file_path: src/theme.css }, result: ":root {}" }
      - mcp:
          server: iris
          tool: ask_question
          arguments:
            question: "Which palette should the checkout use?"
            type: choice
            context: "The old one fails **AA contrast** on the pay button (3.1:1)."
            options:
              - { label: Keep the old one, value: keep, description: "The finding of the audit stays open" }
              - { label: The new one everywhere, value: new, description: "12 files change", recommended: true }
            defaultResponse: keep
            timeoutMinutes: 120
      - say: "{{result}}"
  - match: "^name"
    do: [{ mcp: { server: iris, tool: ask_question, arguments: { question: "What should the package be called?", type: blocking, timeoutMinutes: 240 } } }, { say: "{{result}}" }]
default: [{ say: "Done." }]
`;

let daemon: Daemon;
beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  daemon = await Daemon.start({ backend: SCRIPT, docs: SCRIPT, shop: SCRIPT });
  await daemon.tell("shop", "correct the total of the cart: it is wrong for more than one piece", 0);
  await daemon.tell("shop", "check the colours of the checkout");
  await daemon.tell("backend", "publish the release");
  await daemon.tell("docs", "name the package");
});
afterEach(async () => expect(await closePages()).toEqual([]));
afterAll(async () => {
  await closeBrowser();
  await daemon.close();
});

/** Where the projects of a test are says nothing to anybody. */
async function inbox(page: Page) {
  await page.route("**/api/questions/pending", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replaceAll(`${daemon.home}/projects`, "/home/ada") });
  });
  await page.reload();
  for (const words of ["git push origin main", "Which palette", "What should the package"]) await page.getByText(words).first().waitFor();
  await page.getByText("/home/ada/backend").first().waitFor();
}

test("the inbox", async () => {
  const page = await signedIn(daemon, { viewport: WIDE });
  await inbox(page);
  await page.screenshot({ path: join(PICTURES, "readme-inbox-wide-light.png") });
});

test("the inbox on a phone", async () => {
  const page = await signedIn(daemon, { viewport: PHONE, colorScheme: "dark", isMobile: true, hasTouch: true });
  await inbox(page);
  await page.screenshot({ path: join(PICTURES, "readme-inbox-phone-dark.png") });
});

test("a conversation", async () => {
  const page = await signedIn(daemon, { viewport: WIDE });
  const { session } = (await daemon.call("GET", "/api/questions/pending")).questions.find(({ team }: { team: string }) => team === "shop");
  await page.goto(`${daemon.url}/session/${session}`);
  await page.getByText("Which palette").first().waitFor();
  await page.keyboard.press("Home");
  await page.getByText("correct the total of the cart").first().waitFor();
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(PICTURES, "readme-session-wide-light.png") });
});
