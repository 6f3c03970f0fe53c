import { describe, expect, test } from "vitest";

import { Fold, type IsOpen, type Message, type Row } from "./fold";
import { asks, subject } from "./tool";

let seq = 0;
const message = (type: string, more: Partial<Message> = {}): Message => ({ seq: ++seq, at: seq * 10, type, ...more });
const use = (id: string, name: string, input: unknown = {}, parent?: string) => message("tool_use", { text: name, parent: parent ?? null, data: { type: "assistant", message: { content: [{ type: "tool_use", id, name, input }] } } });
const result = (id: string, content: unknown, isError = false, parent?: string) => message("tool_result", { parent: parent ?? null, data: { type: "user", message: { content: [{ type: "tool_result", tool_use_id: id, content, is_error: isError }] } } });
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
    const [row] = rows([use("a", "Bash", { command: "ls" }), result("a", "a.txt")]);
    expect(row).toMatchObject({ kind: "tool", call: { name: "Bash", result: { text: "a.txt", isError: false } } });
  });
  test("of several parts are joined, and what is not text is named", () => {
    const [row] = rows([use("a", "Bash"), result("a", [{ type: "text", text: "one" }, { type: "image" }])]);
    expect(row).toMatchObject({ call: { result: { text: "one\n[image]" } } });
  });
  test("without a call are kept", () => check([result("nowhere", "lost")], ["note lost"]));
  test("make a new call, so that what shows it notices", () => {
    const fold = new Fold();
    fold.push(use("a", "Bash"));
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
  const two = [use("x", "Task"), use("y", "Task"), say("from y", "y"), say("from x", "x"), use("r", "Read", {}, "x"), use("s", "Read", {}, "x"), result("x", "found"), say("all done")];
  test("speak below the call that started them, also when they speak at once", () => check(two, ["agent Task", "  say from x", "  looks 2", "  say found", "agent Task", "  say from y", "say all done"], () => true));
  test("that are done are folded, those at work are not", () => check(two, ["agent Task", "agent Task", "  say from y", "say all done"]));
  test("of sub-agents go one deeper", () => check([use("x", "Task"), use("z", "Task", {}, "x"), say("deep", "z")], ["agent Task", "  agent Task", "    say deep"]));
  test("nobody knows speak at the top", () => check([say("who?", "gone")], ["say who?"]));
  test("are counted when they are folded", () => expect(rows(two)[0]).toMatchObject({ hidden: 3, isOpen: false }));
});

describe("the rest", () => {
  test("a message to another team is a letter", () => {
    expect(rows([use("t", "mcp__iris__team_tell", { toTeam: "beacon", message: "hello" })])[0]).toMatchObject({ kind: "letter", letter: { to: "beacon", text: "hello" } });
  });
  test("what an agent says of its start is left out, what went wrong is not", () => {
    check([message("system", { text: "init", data: { type: "system", subtype: "init" } }), message("retry", { text: "again" }), message("garbage", { text: "%%" }), message("of_tomorrow", { text: "new" })], ["note again", "note %%", "note new"]);
  });
  test("a call without its line is still seen", () => check([message("tool_use", { text: "Bash" })], ["note Bash"]));
  test("a result that is no object harms nothing", () => check([message("tool_result", { data: "odd" }), message("tool_use", { data: { message: { content: "odd" } }, text: "odd" })], ["note odd"]));
});

describe("what is looked for", () => {
  const nested = [use("a", "Task"), use("b", "Task", {}, "a"), say("The needle is here", "b"), result("b", "done", false, "a"), result("a", "all done"), say("Ready")];
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

describe("what a call is about", () => {
  test("a list of things to do is counted", () => expect(subject("TodoWrite", { todos: [{ content: "a", status: "completed" }, { content: "b", status: "in_progress" }, { content: "c", status: "pending" }] })).toBe("1 of 3 done · b"));
  test("a question is its words", () => {
    expect(subject("AskUserQuestion", { questions: [{ question: "Which?", options: [{ label: "Red" }] }] })).toBe("Which?");
    expect(asks("mcp__iris__ask_question", { question: "Why?", options: ["So"] })).toEqual([{ question: "Why?", options: ["So"] }]);
    expect(asks("mcp__other__ask_question", { question: "Why?" }), "of another server, nothing is known").toBeUndefined();
  });
  test("nothing breaks by what is not as expected", () => {
    for (const input of [{ todos: [null, 7] }, { questions: [null] }, {}]) for (const name of ["TodoWrite", "AskUserQuestion"]) expect(typeof subject(name, input)).toBe("string");
  });
});
