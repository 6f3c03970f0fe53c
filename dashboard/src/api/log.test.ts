import { expect, test, vi } from "vitest";

import { around, back } from "./log";

interface Asked {
  after: number;
  before: number;
  kind: string;
}

/** The numbers of what the log shows, among many of what was said. */
const world = vi.hoisted(() => ({ newest: 0, shown: [] as number[], asked: [] as [number, number][] }));

vi.mock("./call", async (load) => ({
  ...(await load<object>()),
  body: (answer: unknown) => answer,
  api: {
    async GET(path: string, { params: { query } }: { params: { query: Asked } } = { params: { query: { after: 0, before: 0, kind: "" } } }) {
      if (path === "/api/status") return { newestEvent: world.newest };
      world.asked.push([query.after, query.before]);
      return { items: world.shown.filter((seq) => seq > query.after && seq < query.before).map((seq) => ({ seq, kind: `${query.kind}.x` })), next: null };
    },
  },
}));

const numbers = async (wanted: number, before?: number) => {
  world.asked = [];
  const { events, from } = await back(["turn"], wanted, before);
  return { numbers: events.map(({ seq }) => seq), from };
};

test("the log is looked back into until there is enough, however much was said meanwhile", async () => {
  Object.assign(world, { newest: 100_000, shown: [1, 2, 3, 500, 99_000] });
  expect(await numbers(1)).toEqual({ numbers: [99_000], from: 98_001 });
  expect(await numbers(4)).toEqual({ numbers: [1, 2, 3, 500, 99_000], from: 1 });
  expect(world.asked.length, "in a few looks").toBeLessThan(6);
  expect(new Set(world.asked.map(([after]) => after)).size, "none of it twice").toBe(world.asked.length);
  expect(await numbers(9, 500), "what is older than that").toEqual({ numbers: [1, 2, 3], from: 1 });
});

test("it ends, in a log that never ends", async () => {
  Object.assign(world, { newest: 1e12, shown: [] });
  expect((await numbers(1)).from).toBeGreaterThan(1);
  expect(world.asked.length).toBeLessThan(10);
});

test("around what has not happened yet is what happened last, and nothing is asked that would be refused", async () => {
  Object.assign(world, { newest: 100, shown: [10, 98, 99, 100], asked: [] });
  await around(99_999_999, 60, 120);
  expect(world.asked.map(([after]) => after)).toEqual([39]);
  world.asked = [];
  await around(20, 60, 120);
  expect(world.asked.map(([after]) => after)).toEqual([0]);
});
