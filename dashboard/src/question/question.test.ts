import { expect, test, vi } from "vitest";

import { Refusal } from "@/api/call";
import type { Meaning } from "@/session/tool";

import { byNumber, shared } from "./batch";
import { answeredLine, decidedBy, deciderWords, decision, isAbout, notLet, togetherLine, verdict } from "./decisions";
import { deedLine } from "./deed";
import { fields, written } from "./edit";
import { armedWords, counts } from "./press";
import { unanswered } from "./deadline";
import { type Question, byUrgency, choices, formValue, isRisky, labelled, needsMe, outcome, refusal, takesForm, takesWords } from "./question";
import { isOver, refusedLine } from "./refused";
import { ruleWords } from "./rule";
import { filledIn } from "./schema-form";
import { unseen } from "./seen";
import { comesBack, isSnoozed, laterTimes } from "./snooze";

const question = (more: Partial<Question>): Question => ({ id: "q", kind: "choice", state: "open", question: "Which?", responseType: "choice", way: "ask_user", blocking: true, onDeadline: "fail", team: "atlas", session: "s", openedAt: 1000, ...more });
const MAKE = { tool: "Bash", input: { command: "make" }, meaning: { nature: "shell", about: "make" }, shown: "{}", folder: "/x", digest: "d" };
const option = (value: string) => ({ value, label: value.toUpperCase() });

test("an approval is answered by 1 and 2", () => {
  expect(choices(question({ kind: "approval", responseType: "boolean", action: { tool: "Bash", input: {}, shown: "{}", folder: "/x", digest: "d" } })).map(({ label, value }) => [label, value])).toEqual([["Approve", true], ["Refuse", false]]);
});

test("an approval says the deed in a line, from the action and from nothing else", () => {
  const line = (meaning: Meaning | undefined) => deedLine(question({ question: "May it?", action: { tool: "Tool", input: { command: "nothing at all" }, shown: "", folder: "/home/ada/site", digest: "d", ...(meaning && { meaning }) } }));
  const of = (nature: string, about: string) => line({ nature, about });
  expect(of("shell", "make clean")).toBe("Run make clean?");
  expect(of("shell", "make clean\nrm -rf /\n"), "no line is kept silent").toBe("Run make clean and 1 more line?");
  expect(of("shell", `echo ${"x".repeat(500)}`)).toMatch(/^Run echo x{95}…\?$/);
  expect(of("changes", "/home/ada/site/src/a.ts")).toBe("Edit src/a.ts?");
  expect(of("writes", "/home/ada/site/../.ssh/config"), "what leads out of the folder is named whole").toBe("Write /home/ada/site/../.ssh/config?");
  expect(of("changes", "/etc/hosts")).toBe("Edit /etc/hosts?");
  expect(line({ nature: "unknown", served: { server: "github", tool: "create_issue" } })).toBe("Use create_issue of github?");
  for (const meaning of [undefined, { nature: "plans" }, { nature: "shell" }, { nature: "shell", about: " " }, { nature: "unknown", about: "x" }, { nature: "constructor", about: "x" }]) expect(line(meaning)).toBe("May it?");
});

test("what was decided is a word, a name and what was said with it", () => {
  const word = (more: Partial<Question>) => { const { word, more: said } = verdict(question({ state: "answered", ...more })); return [word, said]; };
  expect(word({ action: MAKE, responseType: "approval", answer: { value: false, text: "not now" } })).toEqual(["refused", "not now"]);
  expect(word({ action: MAKE, responseType: "approval", answer: { value: true } })).toEqual(["approved", undefined]);
  expect(word({ options: [option("red")], answer: { value: "red" } })).toEqual(["answered", "RED"]);
  expect(word({ state: "expired" })).toEqual(["ran out of time", undefined]);
  expect(word({ state: "cancelled", closedWhy: "its turn ended" })).toEqual(["withdrawn", "its turn ended"]);
  expect(deciderWords(question({ closedBy: "user" }))).toBe(" by user");
  expect(deciderWords(question({ closedBy: "rule:7" }))).toBe(" by a rule");
});

test("what was answered just now is said in passing", () => {
  expect(answeredLine(question({ options: [option("green")] }), "green", undefined)).toBe("Answered: GREEN · Which?");
  expect(answeredLine(question({ responseType: "approval", action: MAKE }), true, undefined)).toBe("Approved: Run make");
  expect(answeredLine(question({ responseType: "text" }), `a\nb`, undefined)).toBe("Answered: a · Which?");
  expect(togetherLine([question({ options: [option("green")] }), question({ options: [option("green")] })], "green")).toBe("2 answered: GREEN");
  expect(togetherLine([question({ responseType: "approval", action: MAKE }), question({ responseType: "approval" })], false)).toBe("2 refused");
  expect(togetherLine([question({ options: [option("green")] })], "green")).toBe("Answered: GREEN · Which?");
});

test("a number gives all that are selected the answer that it gives the first", () => {
  const approval = (id: string, more: Partial<Question> = {}) => question({ id, responseType: "approval", action: MAKE, risk: "low", ...more });
  const value = (questions: Question[], index: number) => byNumber(questions, index)?.value;
  expect([value([approval("a"), approval("b")], 0), value([approval("a"), approval("b")], 1)]).toEqual([true, false]);
  const risky = [approval("a"), approval("b", { risk: "high" })];
  expect([value(risky, 0), value(risky, 1)], "no number becomes another").toEqual([undefined, false]);
});

test("a question belongs to the call that it is about, or that asked it", () => {
  const call = { name: "Bash", input: { command: "make" }, meaning: { nature: "shell" }, at: 1000 };
  expect(isAbout(question({ action: MAKE, openedAt: 990 }), call), "heard a little before it").toBe(true);
  expect(isAbout(question({ action: { ...MAKE, input: { command: "rm" } }, openedAt: 990 }), call)).toBe(false);
  expect(isAbout(question({ action: MAKE, openedAt: 3000 }), { ...call, result: { at: 2000, isError: false } }), "a later one").toBe(false);
  expect(isAbout(question({ openedAt: 1001 }), { ...call, meaning: { nature: "asks" } })).toBe(true);
  expect(isAbout(question({ openedAt: 1001 }), call)).toBe(false);
});

test("a call that was not let is told from one that failed", () => {
  const call = { name: "Bash", input: { command: "make" }, meaning: { nature: "shell" }, at: 900, result: { at: 2000, isError: true } };
  const asked = (more: Partial<Question>) => question({ state: "answered", responseType: "approval", action: MAKE, closedAt: 1500, ...more });
  const [no, yes] = [asked({ answer: { value: false } }), asked({ answer: { value: true } })];
  expect(notLet(call, [no])).toBe(no);
  expect(notLet(call, [yes]), "it was let, and failed").toBeUndefined();
  expect(notLet({ ...call, result: { at: 2000, isError: false } }, [no])).toBeUndefined();
  expect(notLet({ ...call, at: 5000, result: { at: 6000, isError: true } }, [no]), "another, later").toBeUndefined();
  const other = asked({ answer: { value: false }, action: { ...MAKE, input: { command: "rm" } } });
  expect(notLet(call, [other, yes]), "two at a time").toBeUndefined();
  const changed = asked({ state: "superseded" });
  expect(notLet(call, [changed, other]), "what it was changed to was refused").toBe(other);
  const late = asked({ state: "expired" });
  expect(notLet(call, [late])).toBe(late);
});

test("an action is changed field by field, and its types are kept", () => {
  const all = fields({ command: "make", timeout: 60, env: { A: "1" } });
  expect(all.map(({ text, isJson }) => [text.replaceAll(/\s/g, ""), isJson])).toEqual([["make", false], ["60", true], ['{"A":"1"}', true]]);
  expect(written(all)).toEqual({ command: "make", timeout: 60, env: { A: "1" } });
  expect(written([{ name: "timeout", text: "soon", isJson: true }])).toBe("timeout is no JSON");
  expect(written([{ name: "__proto__", text: "x", isJson: false }]), "a name is only a name").toEqual(JSON.parse('{"__proto__":"x"}'));
  expect(fields("not an object")).toEqual([]);
});

test("a choice offers its options, a text offers nothing", () => {
  expect(choices(question({ options: [option("a"), option("b")] })).map(({ value }) => value)).toEqual(["a", "b"]);
  expect(choices(question({ responseType: "text" }))).toEqual([]);
});

test("words of one's own are asked for where they are an answer", () => {
  const offered = { options: [option("a"), option("b")] };
  expect([takesWords(question(offered)), takesWords(question({ ...offered, allowFreeText: true })), takesWords(question({ responseType: "approval" })), takesWords(question({ responseType: "text" }))]).toEqual([false, true, true, true]);
  // Else they are why it is none of the options, or why it is the one that is a no.
  const why = (more: Partial<Question>) => ((no) => no && [no.label, no.value])(refusal(question(more)));
  expect([why(offered), why({ ...offered, allowFreeText: true }), why({ responseType: "text" })]).toEqual([["None of these", false], undefined, undefined]);
  expect([why({ options: [option("y"), { value: "n", label: "Not now" }] }), why({ options: [option("yes"), { value: "2", label: "No" }] })]).toEqual([["Not now", "n"], ["No", "2"]]);
});

test("why an answer was not taken is said in the words of this page", () => {
  const line = (status: number, problem: object) => refusedLine("Not taken", new Refusal(status, problem));
  expect(line(422, { detail: "it takes red or blue", hint: "run `iris inbox` to see what it takes" })).toBe("Not taken: it takes red or blue. Choose one of the answers, or write one that fits.");
  expect(line(409, { detail: "the question was answered already by lee, 3 s ago", closed: { state: "answered" }, hint: "nothing was changed; `iris inbox`, or GET /api/questions/pending, lists what is open" })).toBe("Not taken: the question was answered already by lee, 3 s ago. Your answer changed nothing.");
  expect(line(410, { detail: "the time for this question is over, 3 s ago", closed: { state: "expired" }, hint: "to run the work again: `iris answer 7 <answer> --again`" })).toBe("Not taken: the time for this question is over, 3 s ago. Its work can be run again with your answer.");
  expect(line(409, { detail: "what is asked is not what was looked at: its digest is 12", hint: "look at it again with `iris inbox`" })).toBe("Not taken: what is asked is not what you looked at. Look at it again, and answer what you see.");
  expect(line(0, {}), "the daemon is away").toBe("Not taken: the daemon cannot be reached.");
  expect(isOver(new Refusal(409, { detail: "its digest is 12" })), "what has changed can be answered as it is now").toBe(false);
  expect(isOver(new Refusal(409, { closed: { state: "answered" } }))).toBe(true);
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
  expect(needsMe(question({ askedOf: "job-7", job: "7" }), "me"), "a job has nobody else to answer for it").toBe(true);
});

test("what stops work comes first, then what waits longest", () => {
  const all = [question({ id: "late", openedAt: 3 }), question({ id: "kind", kind: "preference", blocking: false, openedAt: 1 }), question({ id: "early", openedAt: 2 })];
  expect(all.toSorted(byUrgency).map(({ id }) => id)).toEqual(["early", "late", "kind"]);
});

test("what runs out first comes before what waits longest", () => {
  const all = [question({ id: "old", openedAt: 1 }), question({ id: "ends", openedAt: 3, deadline: 10 }), question({ id: "ends later", openedAt: 2, deadline: 20 })];
  expect(all.toSorted(byUrgency).map(({ id }) => id)).toEqual(["ends", "ends later", "old"]);
});

test("a risky yes takes two presses, one after the other; a no takes one", () => {
  vi.useFakeTimers();
  const risky = question({ kind: "approval", responseType: "approval", risk: "high" });
  const after = (ms: number, value: boolean) => (vi.advanceTimersByTime(ms), counts(risky, value));
  expect([after(0, true), after(1000, true), after(0, false)]).toEqual([false, true, true]);
  expect([after(0, true), after(30, true), after(30, true), after(590, true), after(590, true)], "a double click, a key that is held").toEqual([false, false, false, false, false]);
  expect([after(1300, true), after(0, true), after(20_000, true)], "the first press was long ago").toEqual([true, false, false]);
  expect(counts(question({ responseType: "approval", risk: "low", action: MAKE }), true)).toBe(true);
  counts(risky, true);
  vi.advanceTimersByTime(1000);
  expect(counts(question({ id: "another", responseType: "approval", risk: "high" }), true), "the first press was for another").toBe(false);
  vi.useRealTimers();
});

test("a yes to lines that were not seen takes two presses, and the second says so", () => {
  vi.useFakeTimers();
  const harmless = question({ id: "long", responseType: "approval", risk: "low", action: MAKE });
  unseen.set(new Map([["long", 43]]));
  expect(shared([harmless]).map(({ value }) => value), "nor is it approved together with others").toEqual([false]);
  expect(counts(harmless, true)).toBe(false);
  vi.advanceTimersByTime(1000);
  expect([armedWords("ready", 43), armedWords("ready", 1), armedWords("ready", 0)]).toEqual(["43 lines not seen. Press again to approve", "1 line not seen. Press again to approve", "Press again to approve"]);
  expect(counts(harmless, true)).toBe(true);
  expect(counts(harmless, false), "a no takes one").toBe(true);
  unseen.set(new Map([["long", 0]]));
  expect(counts(harmless, true), "all of it was seen").toBe(true);
  expect(shared([harmless]).map(({ value }) => value)).toEqual([true, false]);
  vi.useRealTimers();
});

test("what holds by default is said as its button says it", () => {
  const asked = question({ options: [{ value: "opt_a", label: "The blue one" }, option("b")] });
  expect(labelled(asked, { value: "opt_a" })).toBe("The blue one");
  expect(labelled(asked, { value: "something else" })).toBe("something else");
  expect(labelled(question({ questions: [{ question: "A?", several: true, options: [option("x")] }] }), { value: ["x", "own"] })).toBe("X, own");
  expect(labelled(question({ responseType: "approval", action: MAKE }), { value: false })).toBe("no");
});

test("a rule says what it does, and to whom", () => {
  const rule = (value: unknown, scope: string) => ruleWords({ answer: { value }, scope, team: "atlas", expiresAt: 0 }).replace(/Until .*?, whoever/, "Until then, whoever");
  expect(rule(false, "deed")).toBe("Refused. Until then, whoever in atlas asks the same is refused without anybody being asked");
  expect(rule(true, "tool")).toBe("Approved. Until then, whoever in atlas asks for any use of this tool that risks no more is approved without anybody being asked");
});

test("what cannot be known is not taken for harmless", () => {
  const asks = (more: Partial<Question>) => isRisky(question({ responseType: "approval", risk: "medium", ...more }));
  expect(asks({ way: "tool" }), "an agent's word").toBe(true);
  expect(asks({ way: "plan", action: MAKE })).toBe(true);
  expect(asks({ action: MAKE })).toBe(false);
  expect(asks({ risk: null, action: MAKE })).toBe(true);
  expect(isRisky(question({ responseType: "boolean" })), "a yes lets nothing be done").toBe(false);
  expect(shared([question({ id: "a", responseType: "approval", risk: "medium", way: "tool" })]).map(({ value }) => value)).toEqual([false]);
});

test("only a job fails because nobody answered", () => {
  const then = (more: Partial<Question>) => unanswered(question(more));
  expect(then({})).toBe("its agent is told that nobody answered");
  expect(then({ action: MAKE })).toBe("not done; its agent is told that nobody answered");
  expect(then({ job: "7", failsJob: true })).toBe("the job fails");
  expect(then({ job: "7" }), "one that is over does not").toBe("its agent is told that nobody answered");
  expect(then({ job: "7", blocking: false })).toBe("it is closed, and nobody is told");
  expect(then({ way: "detected" }), "its turn is over").toBe("it is closed, and nobody is told");
  expect(then({ onDeadline: "wait" })).toBe("it goes on waiting");
});

test("several are approved together only if none is risky", () => {
  const asks = (id: string, risk: string) => question({ id, responseType: "approval", risk, action: MAKE });
  expect(shared([asks("a", "low"), asks("b", "medium")]).map(({ value }) => value)).toEqual([true, false]);
  expect(shared([asks("a", "low"), asks("b", "high")]).map(({ value }) => value)).toEqual([false]);
});

test("a form gives the types that were asked for", () => {
  const form = new FormData();
  for (const [name, text] of [["name", "x"], ["count", "3"], ["sure", "on"], ["empty", ""]]) form.append(name as string, text as string);
  const properties = { name: { type: "string" }, count: { type: "integer" }, sure: { type: "boolean" }, unsure: { type: "boolean" }, empty: { type: "number" } };
  expect(filledIn({ properties }, form)).toEqual({ name: "x", count: 3, sure: true, unsure: false });
});

test("what is put aside comes back", () => {
  const aside = { q: 10_000 };
  expect(isSnoozed(question({}), aside, 9_999)).toBe(true);
  expect(isSnoozed(question({}), aside, 10_001)).toBe(false);
  expect(isSnoozed(question({ id: "other" }), aside, 0)).toBe(false);
  expect(isSnoozed(question({ deadline: 200_000 }), { q: 1e9 }, 0), "before it runs out").toBe(false);
});

test("a time that is named is the time it comes back", () => {
  const MINUTE = 60_000;
  expect(comesBack({}, 60 * MINUTE, 0)).toBe(60 * MINUTE);
  expect(comesBack({ deadline: 9 * MINUTE }, 60 * MINUTE, 0)).toBe(4 * MINUTE);
  expect(comesBack({ deadline: MINUTE }, 60 * MINUTE, 0), "too soon to be put aside").toBeUndefined();
});

test("every time that is offered is in the future, and before it runs out", () => {
  const now = new Date(2026, 1, 3, 23, 59);
  const at = now.getTime();
  const offers = (deadline?: number) => laterTimes({ ...(deadline && { deadline }) }, now);
  for (const { until } of offers()) expect(until).toBeGreaterThan(at);
  expect(offers()).toHaveLength(4);
  expect(offers(at + 30 * 60_000).map(({ label, until }) => [label, until - at])).toEqual([["15 minutes", 15 * 60_000], ["Until 5 minutes before it runs out", 25 * 60_000]]);
  expect(offers(at + 60_000)).toEqual([]);
});

test("what was decided is said in a line", () => {
  const said = (more: Partial<Question>) => [decidedBy(question({ ...more })), decision(question({ ...more }))];
  expect(said({ state: "answered", closedBy: "user", responseType: "approval", action: MAKE, answer: { value: false, text: "no" } })).toEqual(["user", "refused: no"]);
  expect(said({ state: "answered", closedBy: "lee", answer: { value: "red" } })).toEqual(["lee", "red"]);
  expect(said({ state: "answered", closedBy: "lee", options: [{ ...option("Blue (Recommended)"), label: "Blue" }], answer: { value: "Blue (Recommended)" } }), "as its button says it").toEqual(["lee", "Blue"]);
  expect(said({ state: "cancelled", closedWhy: "its turn ended" })).toEqual([undefined, "its turn ended"]);
  expect(said({ state: "superseded", closedBy: "user" }), "by a question").toEqual([undefined, undefined]);
  const talkedOver = { state: "superseded", closedBy: "one", closedWhy: "one told it more" };
  expect(said(talkedOver), "no agent answers").toEqual([undefined, "one told it more"]);
  expect([outcome(question(talkedOver)), outcome(question({ state: "superseded", replacedBy: "q2" }))]).toEqual(["not answered", "changed before it was answered"]);
});
