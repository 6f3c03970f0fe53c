import { beforeEach, expect, test, vi } from "vitest";

import type { Question } from "@/question/question";

import { type Item, keysOf, listItems } from "./list";
import { Transcript } from "./transcript";

interface Asked {
  after?: number;
  before?: number;
  limit: number;
}

const world = vi.hoisted(() => ({ messages: 0, asked: [] as unknown[], hold: undefined as Promise<void> | undefined }));

vi.mock("@/api/live", () => ({ lookAt: () => () => {}, onEvent: () => () => {}, onDelta: () => () => {}, onGap: () => () => {} }));
vi.mock("@/api/call", async (load) => ({
  ...(await load<object>()),
  body: (answer: unknown) => answer,
  api: {
    async GET(path: string, { params: { query } }: { params: { query: Asked } }) {
      if (path === "/api/sessions/{id}/turns") return { items: [{ id: "t", number: 1, message: "go", state: "completed", startedAt: 1, finishedAt: 2, attempts: 1, acceptedAt: 0 }] };
      world.asked.push(query.before === undefined ? `after ${query.after}` : "newest");
      if (query.after !== undefined) await world.hold;
      const first = query.before === undefined ? (query.after ?? 0) + 1 : Math.max(1, world.messages - query.limit + 1);
      const last = Math.min(world.messages, first + query.limit - 1);
      const items = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({ seq: first + index, at: first + index, type: "assistant", text: `message ${first + index}` }));
      return { items, next: items.length === query.limit ? String(query.before === undefined ? last : first) : null };
    },
  },
}));

beforeEach(() => {
  world.asked = [];
  world.hold = undefined;
  vi.stubGlobal("requestAnimationFrame", () => 1);
  vi.stubGlobal("cancelAnimationFrame", () => {});
});

const brief = (item: Item) => (item.kind === "row" && item.row.kind === "say" ? item.row.text : item.kind === "gap" ? `gap of ${item.most}` : item.kind);
const shown = (transcript: Transcript) => listItems(transcript, []).map(brief);

test("a short turn takes one request", async () => {
  world.messages = 3;
  const transcript = new Transcript("s");
  transcript.open();
  await transcript.readAll(() => false);
  expect(shown(transcript)).toEqual(["tell", "speaker", "message 1", "message 2", "message 3", "end"]);
  expect(world.asked).toEqual(["newest"]);
});

test("what was decided stands where it was asked", async () => {
  world.messages = 3;
  const transcript = new Transcript("s");
  transcript.open();
  await transcript.readAll(() => false);
  const asked = (id: string, openedAt: number, more: Partial<Question> = {}) => ({ id, openedAt, turn: "t", state: "answered", question: id, ...more }) as Question;
  const decided = [asked("last", 9), asked("first", 1), asked("second", 2), asked("of another", 2, { turn: "u" }), asked("changed", 2, { state: "superseded" })];
  const name = (item: Item) => (item.kind === "decided" ? item.key : brief(item));
  expect(listItems(transcript, [], decided).map(name)).toEqual(["tell", "speaker", "message 1", "first", "message 2", "second", "message 3", "last", "end"]);
});

test("of a long turn the newest comes first, and what is missing before it is said to be", async () => {
  world.messages = 3500;
  let go = () => {};
  world.hold = new Promise((resolve) => (go = resolve));
  const transcript = new Transcript("s");
  transcript.open();
  const all = transcript.readAll(() => false);
  let isOver = false;
  void all.then(() => (isOver = true));
  await vi.waitFor(() => expect(world.asked).toEqual(["newest", "after 0"]));
  const early = shown(transcript);
  expect(early.slice(0, 4)).toEqual(["tell", "speaker", "gap of 2500", "message 2501"]);
  expect(early.slice(-2), "no end right after a gap").toEqual(["message 3500", "end"]);
  expect(isOver, "a search is not told that all is read").toBe(false);
  go();
  await all;
  const whole = shown(transcript);
  expect([whole.length, whole.filter((one) => one.startsWith("gap")).length, new Set(whole).size]).toEqual([3503, 0, 3503]);
  expect(whole.slice(2, -1)).toEqual(Array.from({ length: 3500 }, (_, index) => `message ${index + 1}`));
});

test("as long as the keys are the same, nothing is measured anew", async () => {
  world.messages = 3;
  const transcript = new Transcript("s");
  transcript.open();
  await transcript.readAll(() => false);
  const first = keysOf(listItems(transcript, []));
  const again = keysOf(listItems(transcript, []).map((item) => ({ ...item })), first);
  expect(again.keyOf).toBe(first.keyOf);
  const fewer = keysOf(again.items.slice(1), again);
  expect(fewer.keyOf).not.toBe(first.keyOf);
  const last = again.items.length - 1;
  const other = keysOf(again.items.with(last, { ...(again.items[last] as Item), key: "other" }), again);
  expect(other.keyOf(last)).toBe("other");
});
