// What is known of the tools agents use: what a call does, in a line, and whether it only looks.

export type Input = Readonly<Record<string, unknown>>;

/** The name of a tool for people. One of a server of tools is said with its server: `ask_question (iris)`. */
export function toolName(name: string): string {
  const [, server, own] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return own ? `${own} (${server})` : name;
}

const LOOKING = new Set(["Read", "Glob", "Grep", "LS", "NotebookRead", "WebFetch", "WebSearch", "ToolSearch"]);

/** It only reads or searches: many of these in a row are one line. */
export const onlyLooks = (name: string) => LOOKING.has(name);

/** It starts a sub-agent, whose words come below it. */
export const startsAgent = (name: string) => name === "Task" || name === "Agent";

export interface Letter {
  to: string;
  text: string;
}

/** A message from one agent to another, if the call is that. */
export function letter(name: string, input: Input): Letter | undefined {
  const own = name.startsWith("mcp__iris__") ? name.slice("mcp__iris__".length) : name;
  if (own === "team_tell") return { to: word(input["toTeam"] ?? input["to"]), text: word(input["message"] ?? input["text"]) };
  if (name === "SendMessage") return { to: word(input["recipient"] ?? input["to"] ?? "everybody"), text: word(input["content"] ?? input["message"]) };
  return undefined;
}

/** What the other said back. Iris answers with everything it knows of the turn; a person wants the words. */
export function reply(result: string): string {
  try {
    const { response, partialResponse, error } = JSON.parse(result) as Record<string, unknown>;
    return [response, partialResponse, error].find((part): part is string => typeof part === "string" && part !== "") ?? result;
  } catch {
    return result;
  }
}

export interface Todo {
  text: string;
  state: "done" | "doing" | "open";
}

/** A list of what is to be done, if the call is that. */
export function todos(name: string, input: Input): Todo[] | undefined {
  if (name !== "TodoWrite" || !Array.isArray(input["todos"])) return undefined;
  const states: Record<string, Todo["state"]> = { completed: "done", in_progress: "doing" };
  return input["todos"].map((todo: Input) => ({ text: word(todo?.["content"]), state: states[word(todo?.["status"])] ?? "open" }));
}

export interface AskedHere {
  question: string;
  options: string[];
}

/** What a call asks of people, if it does. The question itself is shown as a card; this is what was asked, for later. */
export function asks(name: string, input: Input): AskedHere[] | undefined {
  const options = (from: unknown) => (Array.isArray(from) ? from.map((option: unknown) => (typeof option === "string" ? option : word((option as Input | null)?.["label"]))) : []);
  if (name === "AskUserQuestion" && Array.isArray(input["questions"])) return input["questions"].map((one: Input) => ({ question: word(one?.["question"]), options: options(one?.["options"]) }));
  if (/^(mcp__iris__)?ask_question$/.test(name) && typeof input["question"] === "string") return [{ question: input["question"], options: options(input["options"]) }];
  return undefined;
}

/** What the call is about, in one line. */
export function subject(name: string, input: Input): string {
  const list = todos(name, input);
  if (list) return [`${list.filter(({ state }) => state === "done").length} of ${list.length} done`, ...list.filter(({ state }) => state === "doing").map(({ text }) => text)].join(" · ");
  const questions = asks(name, input);
  if (questions) return questions.map(({ question }) => question).join(" · ");
  const first = ["command", "file_path", "path", "pattern", "query", "url", "description", "prompt", "skill"].find((key) => typeof input[key] === "string");
  if (name === "Grep" && typeof input["path"] === "string") return `${word(input["pattern"])} in ${word(input["path"])}`;
  return first ? word(input[first]) : Object.keys(input).length ? JSON.stringify(input) : "";
}

/** A run of looking, counted: 3 reads, 2 searches. */
export function countLooks(names: string[]): string {
  const searches = names.filter((name) => ["Glob", "Grep", "WebSearch", "ToolSearch"].includes(name)).length;
  const reads = names.length - searches;
  const parts = [reads && `${reads} read${reads > 1 ? "s" : ""}`, searches && `${searches} search${searches > 1 ? "es" : ""}`];
  return parts.filter(Boolean).join(", ");
}

export interface Change {
  path: string;
  before: string;
  after: string;
}

/** The changes to files that a call makes, as far as its input says. */
export function changes(name: string, input: Input): Change[] {
  const path = word(input["file_path"] ?? input["path"] ?? input["notebook_path"]);
  if (name === "Edit") return [{ path, before: word(input["old_string"]), after: word(input["new_string"]) }];
  if (name === "Write") return [{ path, before: "", after: word(input["content"]) }];
  if (name === "MultiEdit" && Array.isArray(input["edits"]))
    return input["edits"].map((edit: Input) => ({ path, before: word(edit["old_string"]), after: word(edit["new_string"]) }));
  return [];
}

function word(value: unknown): string {
  return typeof value === "string" ? value : value == null ? "" : JSON.stringify(value);
}
