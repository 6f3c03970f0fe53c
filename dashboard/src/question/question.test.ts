import { expect, test } from "vitest";

import type { Event } from "@/api/stream";

import { decisions } from "./decisions";
import { type Question, byUrgency, choices, formValue, needsMe, takesForm } from "./question";
import { isSnoozed, laterTimes } from "./snooze";

const question = (more: Partial<Question>): Question => ({ id: "q", kind: "choice", state: "open", question: "Which?", responseType: "choice", team: "atlas", session: "s", openedAt: 1000, ...more });
const option = (value: string) => ({ value, label: value.toUpperCase() });

test("an approval is answered by 1 and 2", () => {
  expect(choices(question({ kind: "approval", responseType: "boolean", action: { tool: "Bash", input: {} } })).map(({ label, value }) => [label, value])).toEqual([["Approve", true], ["Refuse", false]]);
});

test("a choice offers its options, a text offers nothing", () => {
  expect(choices(question({ options: [option("a"), option("b")] })).map(({ value }) => value)).toEqual(["a", "b"]);
  expect(choices(question({ responseType: "text" }))).toEqual([]);
});

test("several things at once are a form, and have no number keys", () => {
  const two = question({ questions: [{ question: "A?", options: [option("a")], several: false }, { question: "B?", options: [], several: false }], options: [option("a")] });
  expect([takesForm(two), choices(two)]).toEqual([true, []]);
});

test("a form is answered when each of its questions is", () => {
  const asked = [{ question: "A?", several: true }, { question: "B?" }];
  expect(formValue(asked, [["x", "y"], []], ["", " "])).toBeUndefined();
  expect(formValue(asked, [["x", "y"], []], ["z", " four "])).toEqual(["x, y, z", "four"]);
});

test("what is put to nobody is put to everybody", () => {
  expect([needsMe(question({}), "me"), needsMe(question({ askedOf: "me" }), "me"), needsMe(question({ askedOf: "beacon" }), "me")]).toEqual([true, true, false]);
});

test("what stops work comes first, then what waits longest", () => {
  const all = [question({ id: "late", openedAt: 3 }), question({ id: "kind", kind: "preference", openedAt: 1 }), question({ id: "early", openedAt: 2 })];
  expect(all.toSorted(byUrgency).map(({ id }) => id)).toEqual(["early", "late", "kind"]);
});

test("what is put aside comes back", () => {
  const aside = { q: 10_000 };
  expect(isSnoozed(question({}), aside, 9_999)).toBe(true);
  expect(isSnoozed(question({}), aside, 10_001)).toBe(false);
  expect(isSnoozed(question({ id: "other" }), aside, 0)).toBe(false);
  expect(isSnoozed({ ...question({}), deadline: 200_000 } as Question, { q: 1e9 }, 0), "before it runs out").toBe(false);
});

test("every time that is offered is in the future", () => {
  const now = new Date(2026, 1, 3, 23, 59);
  for (const { until } of laterTimes(now)) expect(until).toBeGreaterThan(now.getTime());
});

test("the log tells what was decided, newest first", () => {
  const event = (seq: number, kind: string, data: unknown): Event => ({ seq, at: seq, kind, team: "atlas", session: "s", data });
  const found = decisions([event(1, "question.opened", { id: "a", text: "May it?" }), event(2, "question.answered", { id: "a", by: "user", answer: { type: "refuse", why: "no" } }), event(3, "question.cancelled", { id: "b", why: "its turn ended" })]);
  expect(found.map(({ text, outcome, by, answer }) => [text, outcome, by, answer])).toEqual([["a question from before", "cancelled", undefined, "its turn ended"], ["May it?", "answered", "user", "refused: no"]]);
});
