import { beforeEach, expect, test, vi } from "vitest";

import { listItems } from "./list";
import { Transcript } from "./transcript";

type Hear = (what: unknown) => void;
const world = vi.hoisted(() => ({ state: "running", event: (() => {}) as Hear, delta: (() => {}) as Hear, gap: (() => {}) as Hear }));

vi.mock("@/api/live", () => {
  const take = (name: "event" | "delta" | "gap") => (hear: Hear) => ((world[name] = hear), () => {});
  return { lookAt: () => () => {}, onEvent: take("event"), onDelta: take("delta"), onGap: take("gap") };
});
vi.mock("@/api/call", async (load) => ({
  ...(await load<object>()),
  body: (answer: unknown) => answer,
  api: {
    async GET(path: string) {
      const turn = { id: "t", number: 1, message: "go", state: world.state, attempts: 1, acceptedAt: 0, ...(world.state === "running" && { startedAt: 1 }) };
      if (path === "/api/turns/{id}") return turn;
      return path === "/api/sessions/{id}/turns" ? { items: [turn] } : { items: [], next: null };
    },
  },
}));

beforeEach(() => {
  vi.stubGlobal("requestAnimationFrame", () => 1);
  vi.stubGlobal("cancelAnimationFrame", () => {});
});

const says = (text: string, anew = false) => world.delta({ session: "s", turn: "t", text, anew });
const message = (seq: number) => world.event({ seq, at: seq, kind: "message", session: "s", turn: "t", data: { type: "assistant", text: "said" } });

async function opened(state: string) {
  world.state = state;
  const transcript = new Transcript("s");
  transcript.open();
  await transcript.readAll(() => false);
  return { transcript, writing: () => transcript.list()[0]?.writing };
}

test("whoever comes while an agent writes is told that it wrote before", async () => {
  const { writing } = await opened("running");
  says("middle of ");
  says("a word");
  expect(writing()).toBe("… middle of a word");
  message(5);
  says("a new one");
  expect(writing(), "from its beginning").toBe("a new one");
});

test("what is heard of a turn from its beginning has no mark", async () => {
  const { writing } = await opened("queued");
  says("all of it");
  expect(writing()).toBe("all of it");
});

test("what the model begins anew is not read twice", async () => {
  const { writing } = await opened("queued");
  says("all of");
  says("", true);
  says("all of it");
  expect(writing()).toBe("all of it");
});

test("words before and after a cut are not one sentence", async () => {
  const { writing, transcript } = await opened("queued");
  says("do not ");
  world.gap(10);
  await transcript.readAll(() => false);
  says("delete it");
  says(" now");
  expect(writing()).toBe("do not  … delete it now");
  world.gap(20);
  message(15);
  says("later");
  expect(writing(), "a message that came late says nothing of what was written after it").toBe("… later");
});

test("while an agent writes, what was said before is listed once", async () => {
  const { transcript } = await opened("running");
  says("one");
  const before = listItems(transcript, []);
  says("two");
  const after = listItems(transcript, []);
  expect(after.map(({ kind }) => kind)).toEqual(["tell", "speaker", "writing"]);
  expect(after.slice(0, 2).every((item, index) => item === before[index])).toBe(true);
});
