// From the messages of a turn to the rows a person reads: results beside their calls, runs of looking in one line,
// sub-agents below the call that started them. Pure, and one message at a time, so that a long turn costs no more per
// message than a short one.
import type { Shapes } from "@/api/call";

import { type Letter, type Used, letter, onlyLooks, startsAgent } from "./tool";

/** The agent's own line is not looked at here: what it means is said beside it, for every kind of agent alike. */
export type Message = Omit<Shapes["Message"], "data">;

export interface Call extends Used {
  id: string;
  at: number;
  result?: { text: string; isError: boolean; at: number };
  /** What a sub-agent is doing, in its own words. */
  task?: string;
}

export type Row = { key: string; depth: number; /** When it came. */ at: number } & (
  | { kind: "say"; text: string }
  | { kind: "think"; text: string }
  | { kind: "tool"; call: Call }
  | { kind: "looks"; calls: Call[] }
  | { kind: "letter"; call: Call; letter: Letter }
  | { kind: "agent"; call: Call; hidden: number; isOpen: boolean }
  | { kind: "note"; type: string; text: string }
);

type Node = { seq: number; at: number } & ({ is: "say" | "think"; text: string } | { is: "call"; call: Call } | { is: "note"; type: string; text: string });

/** Whether a sub-agent's words are shown: as chosen, else while it is at work. */
export type IsOpen = (key: string) => boolean | undefined;

export class Fold {
  private wanted: string | undefined;
  private readonly top: Node[] = [];
  private readonly below = new Map<string, Node[]>();
  private readonly calls = new Map<string, Extract<Node, { is: "call" }>>();
  /** The model that answers, as the agent program said when it began. */
  model: string | undefined;
  /** How many messages it has taken. */
  size = 0;

  push(message: Message) {
    this.size++;
    const { seq, at, type, text } = message;
    switch (type) {
      case "assistant":
      case "thinking":
        return this.add(message, { seq, is: type === "assistant" ? "say" : "think", at, text: text ?? "" });
      case "tool_use":
        return this.addCalls(message);
      case "tool_result":
        return this.addResults(message);
      case "task":
        return this.note(message);
      case "system":
        this.model = message.model ?? this.model;
        return !message.noise && text ? this.add(message, { seq, at, is: "note", type, text }) : undefined;
      default:
        return this.add(message, { seq, at, is: "note", type, text: text ?? "" });
    }
  }

  /** `wanted`: words that are looked for, in lower case. What holds them is not folded away. */
  rows(isOpen: IsOpen, wanted?: string): Row[] {
    const rows: Row[] = [];
    this.wanted = wanted;
    this.flatten(this.top, 0, isOpen, rows);
    return rows;
  }

  private add({ parent }: Message, node: Node) {
    // The words of a sub-agent whose call was never seen stand on their own.
    if (!parent || !this.calls.has(parent)) return void this.top.push(node);
    const list = this.below.get(parent);
    if (list) list.push(node);
    else this.below.set(parent, [node]);
  }

  private addCalls(message: Message) {
    const { calls = [], seq, at, text } = message;
    // Of what was kept before calls were told, there is only the text.
    if (calls.length === 0) return this.add(message, { seq, at, is: "note", type: "tool_use", text: text ?? "" });
    for (const { id, name, input, meaning } of calls) {
      const call: Call = { id: id || String(seq), name, input, meaning, at };
      const node = { seq, at, is: "call" as const, call };
      this.calls.set(call.id, node);
      this.add(message, node);
    }
  }

  private addResults(message: Message) {
    const { results = [], seq, at } = message;
    const add = (text: string) => this.add(message, { seq, at, is: "note", type: "tool_result", text });
    if (results.length === 0 && message.text) return add(message.text);
    for (const { call, text, isError } of results) {
      const node = this.calls.get(call);
      const result = { text: text ?? message.text ?? "", isError: isError === true, at };
      if (node) node.call = { ...node.call, result };
      else add(result.text);
    }
  }

  private note(message: Message) {
    const node = message.parent ? this.calls.get(message.parent) : undefined;
    if (node && message.text) node.call = { ...node.call, task: message.text };
  }

  private flatten(nodes: Node[], depth: number, isOpen: IsOpen, rows: Row[]) {
    let looks: { seq: number; at: number; calls: Call[] } | undefined;
    const endLooks = () => {
      if (looks) rows.push(looks.calls.length > 1 ? { kind: "looks", key: `l${looks.seq}`, depth, at: looks.at, calls: looks.calls } : { kind: "tool", key: `c${looks.calls[0]?.id}`, depth, at: looks.at, call: looks.calls[0] as Call });
      looks = undefined;
    };
    for (const node of nodes) {
      if (node.is === "call" && onlyLooks(node.call.meaning) && !node.call.result?.isError) {
        looks ??= { seq: node.seq, at: node.at, calls: [] };
        looks.calls.push(node.call);
        continue;
      }
      endLooks();
      if (node.is === "call") this.flattenCall(node.call, depth, isOpen, rows);
      else if (node.is === "note") rows.push({ kind: "note", key: `n${node.seq}`, depth, at: node.at, type: node.type, text: node.text });
      else if (node.is === "say") rows.push({ kind: "say", key: `s${node.seq}`, depth, at: node.at, text: node.text });
      else rows.push({ kind: "think", key: `t${node.seq}`, depth, at: node.at, text: node.text });
    }
    endLooks();
  }

  /** Whether the words that are looked for are below a call. */
  private holds({ result }: Call, children: Node[]): boolean {
    const { wanted } = this;
    if (wanted === undefined) return false;
    const has = (text: string) => text.toLowerCase().includes(wanted);
    return has(result?.text ?? "") || children.some((node) => (node.is === "call" ? has(callWords(node.call)) || this.holds(node.call, this.below.get(node.call.id) ?? []) : has(node.text)));
  }

  private flattenCall(call: Call, depth: number, isOpen: IsOpen, rows: Row[]) {
    const { at } = call;
    const key = `c${call.id}`;
    const children = this.below.get(call.id);
    const mail = letter(call.meaning);
    if (mail) rows.push({ kind: "letter", key, depth, at, call, letter: mail });
    else if (children || startsAgent(call.meaning)) {
      const open = this.holds(call, children ?? []) || (isOpen(key) ?? call.result === undefined);
      rows.push({ kind: "agent", key, depth, at, call, hidden: open ? 0 : (children?.length ?? 0), isOpen: open });
      if (open && children) this.flatten(children, depth + 1, isOpen, rows);
      // Its last words come back as the result of the call, and nowhere else.
      if (open && call.result?.text) rows.push({ kind: "say", key: `${key}-report`, depth: depth + 1, at: call.result.at, text: call.result.text });
    } else rows.push({ kind: "tool", key, depth, at, call });
  }
}

/** Everything of a call that one may look for. */
export const callWords = ({ name, input, result }: Call) => `${name} ${JSON.stringify(input)} ${result?.text ?? ""}`;
