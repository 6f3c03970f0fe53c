// The real daemon in a home of its own, and the real browser. Everything a test starts, it ends.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type Socket, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

import { expect } from "vitest";

import { type Browser, type BrowserContextOptions, type Page, chromium } from "playwright-core";

export const WIDE = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 780 };

const BINARY = process.env["IRIS_TEST_BINARY"] ?? resolve(import.meta.dirname, "../../target/debug/iris");
export const CHROMIUM = process.env["IRIS_TEST_CHROMIUM"] ?? "/usr/bin/chromium";

/** A team's name and its script, see docs/scripted-agent.md, with more of its config if it needs any. */
export type Teams = Record<string, string | { script: string; config: string[] }>;

export class Daemon {
  private child: ChildProcess | undefined;
  private readonly port: number;
  readonly home: string;

  private constructor(home: string, port: number) {
    this.home = home;
    this.port = port;
  }

  static async start(teams: Teams, settings: string[] = [], more: string[] = []): Promise<Daemon> {
    const home = mkdtempSync(join(tmpdir(), "iris-e2e-"));
    const port = await freePort();
    mkdirSync(join(home, "scripts"));
    const lines = ["settings:", `  port: ${port}`, ...settings.map((line) => `  ${line}`), ...more, Object.keys(teams).length ? "teams:" : "teams: {}"];
    for (const [name, team] of Object.entries(teams)) {
      const { script, config } = typeof team === "string" ? { script: team, config: [] } : team;
      mkdirSync(join(home, "projects", name), { recursive: true });
      writeFileSync(join(home, `scripts/${name}.yaml`), script);
      lines.push(`  ${name}:`, `    path: ${home}/projects/${name}`, "    agent: scripted", `    script: ${home}/scripts/${name}.yaml`, `    description: The project ${name}`, ...config.map((line) => `    ${line}`));
    }
    writeFileSync(join(home, "config.yaml"), `${lines.join("\n")}\n`);
    const daemon = new Daemon(home, port);
    await daemon.serve();
    return daemon;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts it, again on the same port if it ran before. Nothing of our own environment reaches it. */
  async serve() {
    const env = { PATH: process.env["PATH"] ?? "", HOME: this.home, IRIS_HOME: this.home };
    const child = spawn(BINARY, ["serve", "--json"], { env, stdio: ["ignore", "pipe", "pipe"] });
    this.child = child;
    let said = "";
    child.stderr?.on("data", (piece: Buffer) => (said = (said + piece.toString()).slice(-4000)));
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    await new Promise<void>((ready, fail) => {
      lines.once("line", () => ready());
      child.once("error", fail);
      child.once("exit", (code) => fail(new Error(`the daemon ended with ${code}: ${said}`)));
    });
  }

  async end(signal: "SIGTERM" | "SIGKILL") {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once("exit", done));
    child.kill(signal);
    await ended;
  }

  /** At the end of a test: politely, so that its agents end with it. */
  async close() {
    await this.end("SIGTERM");
    rmSync(this.home, { recursive: true, force: true });
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  async call(method: string, path: string, body?: unknown): Promise<any> {
    const token = readFileSync(join(this.home, "token"), "utf8").trim();
    const answer = await fetch(this.url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  /** Tells a team; waits for the end if a time is given. */
  tell(team: string, message: string, timeout = -1) {
    return this.call("POST", "/api/teams/tell", { toTeam: team, message, timeout });
  }

  /** A link that signs a browser in. */
  async link(): Promise<string> {
    return this.url + (await this.call("POST", "/api/links")).path;
  }
}

/** A wire between a browser and the daemon that can be cut, with whatever is on its way. */
export class Wire {
  readonly url: string;
  private isWhole = true;
  private readonly ends = new Set<Socket>();
  private readonly server;

  private constructor(port: number, server: ReturnType<typeof createServer>) {
    this.url = `http://127.0.0.1:${port}`;
    this.server = server;
  }

  static async to(daemon: Daemon): Promise<Wire> {
    const server = createServer();
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    const wire = new Wire((server.address() as { port: number }).port, server);
    server.on("connection", (near) => wire.join(near, Number(new URL(daemon.url).port)));
    return wire;
  }

  private join(near: Socket, port: number) {
    if (!this.isWhole) return near.destroy();
    const far = connect(port, "127.0.0.1");
    for (const [end, other] of [[near, far], [far, near]] as const) {
      this.ends.add(end);
      end.on("error", () => other.destroy());
      end.on("close", () => (this.ends.delete(end), other.destroy()));
      end.pipe(other);
    }
  }

  cut() {
    this.isWhole = false;
    for (const end of this.ends) end.destroy();
  }

  /** What is connected is never heard of again, and not closed either. What connects from now on is. */
  hold() {
    for (const end of this.ends) end.unpipe().pause();
  }

  mend() {
    this.isWhole = true;
  }

  close() {
    this.cut();
    this.server.close();
  }
}

let browser: Browser | undefined;

/** A browser that has never been here, signed in by a link. */
export async function signedIn(daemon: Daemon, options: BrowserContextOptions = {}, through: Pick<Wire, "url"> = daemon): Promise<Page> {
  const page = await stranger(options);
  // A page whose requests are watched from its start can be kept from them later. Else one that is busy when that begins
  // sends the next ones as before.
  await page.route("**/nobody-asks-for-this", (route) => route.continue());
  await page.goto((await daemon.link()).replace(daemon.url, through.url));
  await page.waitForURL("**/inbox");
  // Keys mean nothing before the page is there.
  await page.getByRole("heading", { name: "Inbox" }).waitFor({ state: "attached" });
  return page;
}

/** Every page that is open, and what went wrong in it. */
const opened = new Map<Page, string[]>();

/** A browser that has never been here. What goes wrong in its pages is kept. */
export async function stranger(options: BrowserContextOptions = {}): Promise<Page> {
  browser ??= await chromium.launch({ executablePath: CHROMIUM });
  const context = await browser.newContext({ viewport: WIDE, ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const found: string[] = [];
  opened.set(page, found);
  page.on("console", (message) => message.type() === "error" && found.push(`${message.text()} ${message.location().url}`));
  page.on("pageerror", (error) => found.push(String(error)));
  page.on("dialog", (dialog) => (found.push(`said ${dialog.message()}`), void dialog.dismiss()));
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (hostname !== "127.0.0.1" && protocol !== "data:") found.push(`asked for ${request.url()}`);
  });
  return page;
}

/** Closes every page and gives what went wrong in them: errors in the console, exceptions, requests to others. */
export async function closePages(): Promise<string[]> {
  const found = [...opened.values()].flat();
  const contexts = [...opened.keys()].map((page) => page.context());
  opened.clear();
  await Promise.all(contexts.map((context) => context.close()));
  return found;
}

/** From end to end of a conversation by its keys, whoever has the focus. */
export async function toTheEnds(page: Page) {
  const log = page.getByRole("log");
  const place = () => log.evaluate((box) => ({ top: Math.round(box.scrollTop), below: Math.round(box.scrollHeight - box.scrollTop - box.clientHeight), first: box.querySelector("[data-index]")?.getAttribute("data-index") }));
  const keys = [["Home", "End"], ["Control+Home", "Control+End"]] as const;
  for (const isFocused of [true, false]) {
    for (const [first, last] of keys) {
      await (isFocused ? log.focus() : page.evaluate(() => (document.activeElement as HTMLElement).blur()));
      for (const [key, is] of [[first, { top: 0, first: "0" }], [last, { below: 0 }], [first, { top: 0, first: "0" }], [last, { below: 0 }]] as const) {
        await page.keyboard.press(key);
        // It is there, and stays there while what came into view is read and measured.
        for (const pause of [700, 700]) {
          await page.waitForTimeout(pause);
          expect(await place(), `${key}${isFocused ? "" : " with the focus nowhere"}`).toMatchObject(is);
        }
      }
    }
  }
}

/** Forgets what went wrong so far: for a test in which the daemon is meant to be gone for a while. */
export function forgive(page: Page) {
  opened.get(page)?.splice(0);
}

export async function closeBrowser() {
  await browser?.close();
  browser = undefined;
}

function freePort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => found(port));
    });
  });
}
