import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** What the daemon says, and how long it is silent before each piece. */
let pieces: { text: string; after: number }[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("localStorage", { getItem: () => null });
  const Plain = Request;
  vi.stubGlobal("Request", function (path: string, given: RequestInit) {
    return new Plain(new URL(path, "http://iris"), given);
  });
  vi.stubGlobal("fetch", async (_: Request, { signal }: { signal: AbortSignal }) => {
    const wait = (time: number) => new Promise<void>((done, fail) => (setTimeout(done, time), signal.addEventListener("abort", () => fail(signal.reason))));
    const [first, ...others] = pieces;
    await wait(first?.after ?? Infinity);
    const bytes = (text: string) => new TextEncoder().encode(text);
    const said = new ReadableStream<Uint8Array>({
      start: async (open) => {
        open.enqueue(bytes(first?.text ?? ""));
        for (const { text, after } of others) await wait(after).then(() => open.enqueue(bytes(text)), (error) => open.error(error));
        if (!signal.aborted) open.close();
      },
    });
    return new Response(said, { headers: { "Content-Type": "application/json" } });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** How a request ended, `undefined` while it has not. */
async function ended(method: "GET" | "POST", within: number): Promise<unknown> {
  const { api, body } = await import("./call");
  const asked = method === "GET" ? body(api.GET("/api/status")) : body(api.POST("/api/links"));
  let outcome: unknown;
  asked.then((data) => (outcome = data), (error: unknown) => (outcome = error));
  await vi.advanceTimersByTimeAsync(within);
  return outcome;
}

const NEVER = 1e9;

test("what is swallowed is given up, and what was to be done may have been", async () => {
  pieces = [{ text: "{}", after: NEVER }];
  expect(await ended("GET", 14_000)).toBeUndefined();
  expect(await ended("GET", 16_000)).toMatchObject({ status: 0, kind: "unknown" });
  expect(await ended("POST", 59_000)).toBeUndefined();
  expect(await ended("POST", 61_000)).toMatchObject({ status: 0, kind: "outcome_unknown" });
  pieces = [{ text: '{"newest', after: 1 }, { text: 'Event":3}', after: NEVER }];
  expect(await ended("GET", 16_000), "also in the middle").toMatchObject({ status: 0 });
});

test("what is long may take long", async () => {
  pieces = ['{"newest', "Event", '":3', "}"].map((text) => ({ text, after: 10_000 }));
  expect(await ended("GET", 41_000)).toEqual({ newestEvent: 3 });
});
