import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { EventStream } from "./stream";

/** The daemon: whether it can be reached, its newest event, and the streams that are open, on which its heart beats. */
const world = { isThere: true, hangs: false, beats: true, newest: 7, open: [] as ReadableStreamDefaultController<Uint8Array>[] };

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(world, { isThere: true, hangs: false, beats: true, newest: 7, open: [] });
  setInterval(() => world.beats && world.open.forEach((open) => open.enqueue(new TextEncoder().encode(":\n\n"))), 5_000);
  vi.stubGlobal("localStorage", { getItem: () => null });
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("document", { visibilityState: "visible", addEventListener: () => {} });
  vi.stubGlobal("fetch", async (path: string, { signal }: { signal: AbortSignal }) => {
    if (!world.isThere) throw new TypeError("no");
    if (world.hangs) await new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
    if (path === "/api/status") return Response.json({ newestEvent: world.newest });
    return new Response(new ReadableStream<Uint8Array>({ start: (open) => (world.open.push(open), signal.addEventListener("abort", () => (world.open.splice(world.open.indexOf(open), 1), open.error(signal.reason)))) }));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("whenever a lost connection is back, everything is read anew, also if no event was missed", async () => {
  const said: string[] = [];
  const stream = new EventStream({ event: () => {}, delta: () => {}, connection: ({ state }) => said.push(state), missed: (upTo) => said.push(`missed up to ${upTo}`) });
  stream.start();
  await vi.advanceTimersByTimeAsync(10);
  expect(said).toEqual(["missed up to 7", "live"]);
  said.length = 0;
  world.isThere = false;
  world.newest = 9;
  world.open.pop()?.close();
  await vi.advanceTimersByTimeAsync(1000);
  expect(new Set(said)).toEqual(new Set(["lost"]));
  said.length = 0;
  world.isThere = true;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(said).toEqual(["missed up to 9", "live"]);
});

test("an attempt that hangs is given up, by itself or at once by who looks", async () => {
  const said: string[] = [];
  const stream = new EventStream({ event: () => {}, delta: () => {}, connection: ({ state }) => said.push(state), missed: () => {} });
  world.hangs = true;
  stream.start();
  await vi.advanceTimersByTimeAsync(9_000);
  expect(said, "it may still come").toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(said).toEqual(["lost"]);
  await vi.advanceTimersByTimeAsync(1_000);
  world.hangs = false;
  stream.retryNow();
  await vi.advanceTimersByTimeAsync(10);
  expect(said, "the one that hangs is not waited for").toEqual(["lost", "live"]);
  stream.retryNow();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(said, "what is there is left alone").toEqual(["lost", "live"]);
});

test("who comes back to a machine that slept does not wait for the silence to be found out", async () => {
  const said: string[] = [];
  const stream = new EventStream({ event: () => {}, delta: () => {}, connection: ({ state }) => said.push(state), missed: () => {} });
  stream.start();
  await vi.advanceTimersByTimeAsync(10);
  vi.setSystemTime(Date.now() + 3_600_000);
  stream.retryNow();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(said).toEqual(["live", "lost", "live"]);
});

test("silence is a lost connection, and a beat of the daemon is none", async () => {
  const said: string[] = [];
  const stream = new EventStream({ event: () => {}, delta: () => {}, connection: ({ state }) => said.push(state), missed: () => {} });
  stream.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(said).toEqual(["live"]);
  world.beats = false;
  await vi.advanceTimersByTimeAsync(13_000);
  expect(said).toEqual(["live", "lost", "live"]);
});

test("who looks at the page of a daemon that was away for long waits three seconds for it", async () => {
  const pauses: number[] = [];
  const stream = new EventStream({ event: () => {}, delta: () => {}, connection: (now) => now.state === "lost" && pauses.push(now.retryAt - Date.now()), missed: () => {} });
  world.isThere = false;
  stream.start();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(3000);
  expect(pauses.length, "it is not asked all the time").toBeLessThan(80);
});
