import { describe, expect, test } from "vitest";

import { Fold, type IsOpen, type Message, type Row } from "./fold";
import { type Meaning, countLooks, subject, toolName } from "./tool";

let seq = 0;
const message = (type: string, more: Partial<Message> = {}): Message => ({ seq: ++seq, at: seq * 10, type, ...more });
const NATURES: Record<string, string> = { Shell: "shell", Read: "reads", Grep: "searches", Glob: "finds", Edit: "changes", Task: "delegates" };
const use = (id: string, name: string, parent?: string, meaning: Meaning = { nature: NATURES[name] ?? "unknown" }) => message("tool_use", { text: name, parent: parent ?? null, calls: [{ id, name, input: {}, meaning }] });
const result = (id: string, text: string, isError = false, parent?: string) => message("tool_result", { text, parent: parent ?? null, results: [{ call: id, isError }] });
const say = (text: string, parent?: string) => message("assistant", { text, parent: parent ?? null });

function rows(messages: Message[], isOpen: IsOpen = () => undefined): Row[] {
  const fold = new Fold();
  messages.forEach((one) => fold.push(one));
  return fold.rows(isOpen);
}

/** A row in a word or two, so that a test reads as the page does. */
function brief(row: Row): string {
  const inside = "call" in row ? row.call.name : row.kind === "looks" ? row.calls.length : "text" in row ? row.text : "";
  return `${"  ".repeat(row.depth)}${row.kind} ${inside}`;
}

const check = (messages: Message[], expected: string[], isOpen?: IsOpen) => expect(rows(messages, isOpen).map(brief)).toEqual(expected);

describe("results", () => {
  test("stand beside their calls", () => {
    const [row] = rows([use("a", "Shell"), result("a", "a.txt")]);
    expect(row).toMatchObject({ kind: "tool", call: { name: "Shell", result: { text: "a.txt", isError: false } } });
  });
  test("that came together have each its own text", () => {
    const both = message("tool_result", { text: "one\ntwo", results: [{ call: "a", text: "one" }, { call: "b", text: "two", isError: true }] });
    expect(rows([use("a", "Shell"), use("b", "Shell"), both])).toMatchObject([{ call: { result: { text: "one", isError: false } } }, { call: { result: { text: "two", isError: true } } }]);
  });
  test("without a call are kept", () => check([result("nowhere", "lost")], ["note lost"]));
  test("make a new call, so that what shows it notices", () => {
    const fold = new Fold();
    fold.push(use("a", "Shell"));
    const before = fold.rows(() => undefined)[0];
    fold.push(result("a", "done"));
    const after = fold.rows(() => undefined)[0];
    expect(before?.kind === "tool" && after?.kind === "tool" && before.call !== after.call).toBe(true);
  });
});

describe("looking", () => {
  test("in a row is one line", () => check([use("a", "Read"), result("a", "x"), use("b", "Grep"), use("c", "Read"), say("so")], ["looks 3", "say so"]));
  test("once is a line like any other", () => check([use("a", "Read"), say("so")], ["tool Read", "say so"]));
  test("that failed stands alone", () => check([use("a", "Read"), use("b", "Read"), result("b", "no such file", true), use("c", "Read")], ["tool Read", "tool Read", "tool Read"]));
  test("is ended by a deed", () => check([use("a", "Read"), use("b", "Read"), use("c", "Edit"), use("d", "Read"), use("e", "Glob")], ["looks 2", "tool Edit", "looks 2"]));
});

describe("sub-agents", () => {
  const two = [use("x", "Task"), use("y", "Task"), say("from y", "y"), say("from x", "x"), use("r", "Read", "x"), use("s", "Read", "x"), result("x", "found"), say("all done")];
  test("speak below the call that started them, also when they speak at once", () => check(two, ["agent Task", "  say from x", "  looks 2", "  say found", "agent Task", "  say from y", "say all done"], () => true));
  test("that are done are folded, those at work are not", () => check(two, ["agent Task", "agent Task", "  say from y", "say all done"]));
  test("of sub-agents go one deeper", () => check([use("x", "Task"), use("z", "Task", "x"), say("deep", "z")], ["agent Task", "  agent Task", "    say deep"]));
  test("nobody knows speak at the top", () => check([say("who?", "gone")], ["say who?"]));
  test("are counted when they are folded", () => expect(rows(two)[0]).toMatchObject({ hidden: 3, isOpen: false }));
});

describe("the rest", () => {
  test("a message to another team is a letter", () => {
    expect(rows([use("t", "team_tell", undefined, { nature: "tells", to: "beacon", about: "hello" })])[0]).toMatchObject({ kind: "letter", letter: { to: "beacon", text: "hello" } });
  });
  test("what an agent says of its start is left out, what went wrong is not", () => {
    check([message("system", { text: "init", noise: true }), message("retry", { text: "again" }), message("garbage", { text: "%%" }), message("of_tomorrow", { text: "new" })], ["note again", "note %%", "note new"]);
  });
  test("the model is the one that was named last", () => {
    const fold = new Fold();
    for (const model of ["one", undefined]) fold.push(message("system", { text: "init", noise: true, ...(model && { model }) }));
    expect(fold.model).toBe("one");
  });
  test("what was kept before calls were told is still seen", () => check([message("tool_use", { text: "Shell" }), message("tool_result", { text: "a.txt" }), message("tool_result")], ["note Shell", "note a.txt"]));
});

describe("what is looked for", () => {
  const nested = [use("a", "Task"), use("b", "Task", "a"), say("The needle is here", "b"), result("b", "done", false, "a"), result("a", "all done"), say("Ready")];
  const looked = (wanted?: string) => {
    const fold = new Fold();
    nested.forEach((one) => fold.push(one));
    return fold.rows(() => undefined, wanted).map(brief);
  };
  test("is not folded away, however deep it is", () => {
    expect(looked()).toEqual(["agent Task", "say Ready"]);
    expect(looked("needle")).toContain("    say The needle is here");
    expect(looked("nothing")).toEqual(looked());
  });
});

describe("a call in words", () => {
  const about = (meaning: Meaning, input: unknown = {}) => subject({ input, meaning });
  test("is about what it goes by, and where", () => {
    expect(about({ nature: "shell", about: "make" })).toBe("make");
    expect(about({ nature: "searches", about: "x.*", place: "src" })).toBe("x.* in src");
  });
  test("of which nothing is known is its input", () => {
    expect(about({ nature: "unknown" }, { a: 1 })).toBe('{"a":1}');
    for (const input of [{}, null, undefined, []]) expect(about({ nature: "unknown" }, input)).toBe("");
  });
  test("of a server of tools names it", () => {
    expect(toolName({ name: "x", meaning: { nature: "unknown", served: { server: "git", tool: "push" } } })).toBe("push (git)");
    expect(toolName({ name: "x", meaning: { nature: "unknown" } })).toBe("x");
  });
  test("that looks is counted", () => expect(countLooks([{ nature: "reads" }, { nature: "lists" }, { nature: "searches_web" }])).toBe("2 reads, 1 search"));
});
