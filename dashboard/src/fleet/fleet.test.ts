import { expect, test } from "vitest";

import type { Session, Turn } from "@/api/ask";
import type { Shapes } from "@/api/call";
import type { Event } from "@/api/stream";
import { type TurnEnd, type TurnFigures, bySession, withEvent } from "@/health/turns";
import { type Question, outcomeWord } from "@/question/question";
import { offered } from "@/session/actions";
import { mood } from "@/session/mood";
import { pendingLine } from "@/settings/pending";
import { stateWord, turnTitle } from "@/session/turn-words";
import { describe } from "@/text/event-words";

import { budgets } from "./budget";
import { shownTurn } from "./last-turn";
import { problems } from "./problems";
import { lastEvent, newestStep, step } from "./step";

const session = (more: Partial<Session>): Session => ({ id: "s", from: "user", to: "atlas", state: "idle", stateEvent: 7, stateSince: 1000, stateAgeMs: 0, queued: 0, turns: 1, background: 0, createdAt: 0, usedAt: 0, ...more });
const status = (more: Partial<Shapes["Status"]>) => ({ store: { state: "well" }, waitingSessions: 0, agents: 1, maxAgents: 10, ...more }) as Shapes["Status"];
const asks = (more: Partial<Question>) => [{ session: "s", kind: "approval", blocking: true, openedAt: 500, ...more } as Question];

test("a state says where it is known from and since when", () => {
  expect(mood(session({ state: "processing" }), [], "user")).toEqual({ word: "working", tone: "work", source: "", event: 7, since: 1000 });
  const source = (stateSource: Session["stateSource"]) => mood(session({ stateSource: stateSource ?? null }), [], "user").source;
  expect(source({ seq: 7, kind: "session.stopped", cause: "put_to_sleep" })).toBe("put to sleep");
  expect(source({ seq: 7, kind: "turn.finished" })).toBe("turn finished");
  expect(source({ seq: 7, kind: "turn.finished", cause: "failed" })).toBe("turn finished: failed");
  expect(mood(session({ state: "processing" }), asks({}), "user")).toMatchObject({ word: "needs you", tone: "needs", since: 500 });
  expect(mood(session({ state: "processing" }), asks({ askedOf: "beacon" }), "user")).toMatchObject({ word: "waits for beacon", tone: "held" });
});

test("what it asks without waiting does not hide what it does", () => {
  const question = asks({ blocking: false });
  expect(mood(session({ state: "processing" }), question, "user")).toMatchObject({ word: "working", tone: "work", asks: question[0] });
  expect(mood(session({ state: "processing" }), [...question, ...asks({})], "user")).toMatchObject({ word: "needs you" });
});

test("work between turns is work", () => {
  expect(mood(session({ background: 2 }), [], "user").word).toBe("2 in the background");
  expect(mood(session({ state: "stopped", queued: 1 }), [], "user").word).toBe("waits for a place");
  expect(mood(session({ state: "stopped", queued: 1, waitsFor: "team" }), [], "user").word).toBe("waits for its team");
  expect(mood(session({ state: "processing", background: 2 }), [], "user").word).toBe("2 in the background");
  expect(mood(session({ state: "processing", background: 2, running: "t" }), [], "user").word).toBe("working");
});

test("what was told for later says when", () => {
  const due = new Date().setHours(23, 59, 0, 0);
  expect(mood(session({ state: "stopped" }), [], "user", due).word).toMatch(/^asleep until .*59/);
  expect(mood(session({ state: "stopped" }), [], "user").word).toBe("asleep");
});

test("whoever is waited for is named, also when nobody else may hear the question yet", () => {
  const waits = (from: string, state: string) => mood(session({ from, state }), [], "user");
  expect(waits("atlas", "waiting_for_input")).toMatchObject({ word: "waits for atlas", tone: "held" });
  expect(waits("atlas", "waiting_for_approval")).toMatchObject({ word: "waits for atlas", tone: "held" });
  expect(waits("user", "waiting_for_input")).toMatchObject({ word: "waits for you", tone: "needs" });
  expect(mood(session({ from: "job-7", state: "waiting_for_input" }), asks({ askedOf: "job-7", job: "7" }), "user").word).toBe("needs you");
});

test("a row is about what runs, else about what ran last, and about what waits only if there is nothing else", () => {
  const turn = (id: string, more: Partial<Turn>) => ({ id, ...more }) as Turn;
  const [ran, runs, withdrawn, waits] = [turn("ran", { startedAt: 1, finishedAt: 2 }), turn("runs", { startedAt: 3 }), turn("withdrawn", { finishedAt: 4 }), turn("waits", {})];
  const about = (newest: Turn[], running?: string) => shownTurn(newest, running)?.id;
  expect(about([ran, runs, withdrawn, waits], "runs")).toBe("runs");
  expect(about([ran, withdrawn, waits])).toBe("ran");
  expect(about([withdrawn, waits])).toBe("withdrawn");
  expect(about([waits])).toBe("waits");
});

test("what can be done fits what it does", () => {
  const verbs = (more: Partial<Session>) => offered(session(more)).map(({ verb }) => verb);
  expect(verbs({ state: "waiting_for_input", running: "t" }), "it is in the middle of a turn").toEqual(["cancel", "stop"]);
  expect(verbs({ state: "idle" })).toEqual(["sleep", "stop"]);
  expect(verbs({ state: "stopped" })).toEqual(["wake"]);
});

test("no name of the API is shown as it is", () => {
  const states = ["scheduled", "queued", "running", "completed", "failed", "terminated", "cancelled", "of_tomorrow"];
  const said = [
    ...states.map((state) => stateWord({ state })),
    ...["agent", "answer", "task-notification", "of_tomorrow"].map((origin) => turnTitle({ message: "", origin })),
    ...["answered", "defaulted", "expired", "cancelled", "superseded", "of_tomorrow"].map(outcomeWord),
    ...["stopped", "spawning", "idle", "processing", "terminating", "waiting_for_input", "waiting_for_approval", "of_tomorrow"].map((state) => mood(session({ state }), [], "user").word),
    mood(session({}), asks({ kind: "error_recovery" }), "user").source,
  ];
  for (const word of said) expect(word).not.toMatch(/_|task-|defaulted|superseded|terminated|spawning|processing/);
});

const known = { status: status({}), ends: new Map<string, TurnEnd>(), steps: new Map<string, Event>(), asking: new Set<string>(), me: "user", now: 10 * 60_000 };

test("a well fleet has no problems", () => {
  expect(problems({ ...known, sessions: [session({}), session({ id: "t", state: "processing", stateSince: known.now })] })).toEqual([]);
});

test("quiet work is a problem, unless it waits for an answer", () => {
  const quiet = [session({ state: "processing" })];
  expect(problems({ ...known, sessions: quiet }).map(({ key }) => key)).toEqual(["quiet-s"]);
  expect(problems({ ...known, sessions: quiet, asking: new Set(["s"]) })).toEqual([]);
  expect(problems({ ...known, sessions: [session({ state: "processing", heardAt: known.now - 1000 })] }), "it spoke before this page was there").toEqual([]);
  const heard = new Map([["s", { at: known.now } as Event]]);
  expect(problems({ ...known, sessions: quiet, steps: heard })).toEqual([]);
});

test("who waits for a tool is not quiet, and a long wait is no alarm", () => {
  const inCall = (minutes: number, kind = "tool_use") => [session({ state: "processing", stateSince: 0, last: { kind, text: "Bash make", at: known.now - minutes * 60_000 } })];
  expect(problems({ ...known, sessions: inCall(4) })).toEqual([]);
  expect(problems({ ...known, sessions: inCall(6) })).toEqual([{ key: "call-s", text: "atlas for you has waited for a tool for 6 m", isCalm: true, session: "s" }]);
  expect(problems({ ...known, sessions: inCall(4, "tool_result") }).map(({ key }) => key)).toEqual(["quiet-s"]);
  const steps = new Map([["s", { at: known.now - 2 * 60_000, data: { type: "tool_use" } } as Event]]);
  expect(problems({ ...known, sessions: inCall(4, "assistant"), steps }), "it was heard since").toEqual([]);
});

test("a failure is a problem until the next turn runs", () => {
  const ends = new Map([["s", { ending: "failed", at: known.now, turn: "t" } as TurnEnd]]);
  expect(problems({ ...known, sessions: [session({})], ends }).map(({ key }) => key)).toEqual(["end-t"]);
  expect(problems({ ...known, sessions: [session({ running: "u" })], ends })).toEqual([]);
  const said = new Map([["s", { ending: "failed", error: "the model would not", at: known.now - 60_000, turn: "t" } as TurnEnd]]);
  expect(problems({ ...known, sessions: [session({ from: "lee" })], ends: said }).map(({ text }) => text)).toEqual(["atlas for lee: the last turn failed 1 m ago: the model would not"]);
  const wanted = new Map([["s", { ending: "terminated", reason: "stopped", at: known.now, turn: "t" } as TurnEnd]]);
  expect(problems({ ...known, sessions: [session({})], ends: wanted }), "somebody stopped it").toEqual([]);
});

test("a store that cannot write comes before anything else", () => {
  const troubled = status({ store: { state: "troubled", what: "the disk is full", since: 0 }, waitingSessions: 3 });
  expect(problems({ ...known, status: troubled, sessions: [] }).map(({ key }) => key)).toEqual(["store", "pool"]);
});

test("what is wrong in the same way is one line, and the worst comes first", () => {
  const sessions = [session({ id: "h", heldUntil: known.now + 60_000 }), session({ id: "q", state: "processing" }), ...["a", "b", "c"].map((id) => session({ id })), session({ id: "f" })];
  const early = { ending: "terminated", reason: "daemon", error: "iris ended while the turn ran", at: known.now } as TurnEnd;
  const ends = new Map<string, TurnEnd>([...["a", "b", "c"].map((id): [string, TurnEnd] => [id, { ...early, turn: id }]), ["f", { ending: "failed", error: "no", at: known.now, turn: "f" } as TurnEnd]]);
  const found = problems({ ...known, status: status({ waitingSessions: 2 }), sessions, ends });
  expect(found.map(({ key }) => key)).toEqual(["end-f", "ended Iris ended while the turn ran", "quiet-q", "pool", "held-h"]);
  expect(found[1]).toMatchObject({ text: "Iris ended while the turn ran: 3 turns" });
  expect(found[1]?.each?.map(({ turn }) => turn)).toEqual(["a", "b", "c"]);
});

test("events are told in words", () => {
  const said = (kind: string, data: unknown) => describe({ kind, data });
  expect(said("turn.finished", { ending: "failed", error: "no", durationMs: 1500, costUsd: 0 })).toBe("failed after 1.5 s: no");
  expect(said("turn.finished", { ending: "terminated", cause: { reason: "exited", code: 3 }, durationMs: 0 })).toBe("terminated after 0 ms: its agent ended before it did, exit code 3");
  expect(said("session.stopped", { why: "put_to_sleep", exit: { signal: 15 } })).toBe("put to sleep, signal 15");
  expect(said("question.opened", { kind: "error_recovery", text: "Again?" })).toBe("error recovery: Again?");
  expect(said("message", { type: "tool_result", text: "all pass", data: {} })).toBe("tool result: all pass");
  expect(said("kind.of_tomorrow", { a: 1 })).toBe('{"a":1}');
});

test("what the daemon counted is kept up by what comes after it, and by nothing twice", () => {
  const counted: TurnFigures = { since: 0, event: 10, ended: 1, bad: 0, costUsd: 0.5, slots: [], sessions: [{ session: "s", team: "atlas", ended: 1, bad: 0, costUsd: 0.5, spentUsd: 0.5 }] };
  const event = (seq: number, kind: string, data: unknown): Event => ({ seq, at: seq, kind, team: "atlas", session: "s", turn: `t${seq}`, data });
  const failed = { ending: "failed", error: "no", costUsd: 0.25 };
  expect(withEvent(counted, event(10, "turn.finished", failed)), "it is counted in").toBe(counted);
  const after = withEvent(counted, event(11, "turn.finished", failed));
  expect(withEvent(after, event(11, "turn.finished", failed)), "heard twice").toBe(after);
  expect(after).toMatchObject({ event: 11, ended: 2, bad: 1, costUsd: 0.75 });
  expect(bySession(after).get("s")).toMatchObject({ ended: 2, costUsd: 0.75, spentUsd: 0.75, last: { turn: "t11", ending: "failed", error: "no" } });
  expect(bySession(withEvent(after, event(12, "session.ready", { pid: 8 }))).get("s")?.spentUsd, "the next process").toBe(0);
});

test("a setting that waits says what it is and what it will be", () => {
  expect(pendingLine({ key: "settings.port", now: "46123", next: "46124" })).toBe("settings.port: 46123 → 46124");
});

test("a budget is what the config says", () => {
  expect([...budgets({ teams: { a: { maxBudgetUsd: 5 }, b: { maxBudgetUsd: null } } })]).toEqual([["a", 5]]);
  expect(budgets(undefined).size).toBe(0);
});

test("a step is a line", () => {
  const data = (type: string, text: string, calls: unknown[] = []) => ({ data: { type, text, calls } }) as unknown as Event;
  expect(step(data("tool_use", "Bash", [{ name: "Bash", input: {}, meaning: { nature: "shell", about: "make all" } }]))).toBe("Bash make all");
  expect(step(data("tool_use", "Bash")), "kept before calls were told").toBe("Bash");
  expect(step(data("assistant", "First line\nsecond"))).toBe("First line");
  expect(step(data("tool_use", "", [{ name: "x", input: {}, meaning: { nature: "asks", about: "Which?", served: { server: "iris", tool: "ask_question" } } }]))).toBe("ask_question (iris) Which?");
  expect(step(undefined)).toBeUndefined();
});

test("what it did before this page was there is known from the daemon, until something newer is heard", () => {
  const last = { kind: "tool_use", text: "Bash make all", at: 50 };
  expect(newestStep(undefined, last)).toEqual({ kind: "tool_use", at: 50, line: "Bash make all" });
  const heard = { at: 60, data: { type: "assistant", text: "Done" } } as Event;
  expect(newestStep(heard, last)?.line).toBe("Done");
  expect(newestStep({ ...heard, at: 40 }, last)?.line).toBe("Bash make all");
  expect(lastEvent(session({}), { kind: "tool_result", at: 2000, line: "" })).toEqual({ word: "tool result", at: 2000 });
  expect(lastEvent(session({ stateSource: { seq: 7, kind: "turn.finished" } }), undefined)).toEqual({ word: "turn finished", at: 1000 });
});
