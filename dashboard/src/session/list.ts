// The rows of a whole session, in the order they are read.
import { isAbout, verdict } from "@/question/decisions";
import { deedLine } from "@/question/deed";
import type { Question } from "@/question/question";

import { type Row, callWords } from "./fold";
import type { Part, Transcript } from "./transcript";

export type Item =
  | { kind: "tell"; key: string; part: Part }
  | { kind: "speaker"; key: string; part: Part }
  | { kind: "unread"; key: string; part: Part }
  /** Messages that are not here yet, between some that are: at most so many, if that is known. */
  | { kind: "gap"; key: string; part: Part; most: number | undefined }
  | { kind: "row"; key: string; part: Part; row: Row }
  | { kind: "writing"; key: string; part: Part }
  | { kind: "question"; key: string; question: Question }
  /** What was asked then, and decided. */
  | { kind: "decided"; key: string; part: Part; question: Question }
  | { kind: "end"; key: string; part: Part };

/** `open` stands at the end of its turn, where it is answered; what is decided stands where it was asked. */
export function listItems(transcript: Transcript, open: Question[], decided: Question[] = []): Item[] {
  const items: Item[] = [];
  const asked = byTurn(decided);
  for (const part of transcript.list()) {
    const { id, finishedAt } = part.turn;
    for (const item of saidIn(transcript, part, asked.get(id) ?? NONE)) items.push(item);
    if (part.writing) items.push({ kind: "writing", key: `${id}-writing`, part });
    for (const question of open) if (question.turn === id) items.push({ kind: "question", key: question.id, question });
    if (finishedAt != null) items.push({ kind: "end", key: `${id}-end`, part });
  }
  return items;
}

const NONE: Question[] = [];

/** What was listed of a turn, and from what. */
const listed = new WeakMap<Part, { from: readonly unknown[]; items: Item[] }>();

/** What was said in a turn. While an agent writes, this is asked for with every frame and mostly the same: of a turn with a
 * hundred thousand messages, only what has changed is made anew. */
function saidIn(transcript: Transcript, part: Part, asked: Question[]): Item[] {
  // With a tail it is being read, and changes all the time.
  const from = [transcript.rows(part), part.turn, part.state, part.tail ? {} : undefined, ...asked];
  const known = listed.get(part);
  if (known && known.from.length === from.length && known.from.every((one, index) => one === from[index])) return known.items;
  const items = listSaid(transcript, part, asked);
  listed.set(part, { from, items });
  return items;
}

function listSaid(transcript: Transcript, part: Part, asked: Question[]): Item[] {
  const { id, startedAt, number } = part.turn;
  const items: Item[] = [{ kind: "tell", key: id, part }];
  // Nothing has been said before the turn has begun.
  if (startedAt != null) items.push({ kind: "speaker", key: `${id}-speaker`, part });
  const past = asked.toSorted((one, other) => one.openedAt - other.openedAt);
  const pushAsked = (fits: (question: Question) => boolean) => {
    for (const question of past.filter(fits)) {
      items.push({ kind: "decided", key: question.id, part, question });
      past.splice(past.indexOf(question), 1);
    }
  };
  const push = (row: Row) => {
    const isOfRow = (question: Question) => row.kind === "tool" && isAbout(question, row.call);
    if (past.length > 0) pushAsked((question) => question.openedAt < row.at && !isOfRow(question));
    items.push({ kind: "row", key: `${number}.${row.key}`, part, row });
    if (past.length > 0) pushAsked(isOfRow);
  };
  if (part.state !== "read" && part.fold.size === 0 && !part.tail) items.push({ kind: "unread", key: `${id}-unread`, part });
  else {
    transcript.rows(part).forEach(push);
    // What is missing is said to be, where it is missing: else the end of a turn would seem to follow its beginning.
    if (part.state !== "read") items.push({ kind: "gap", key: `${id}-gap`, part, most: part.tail && part.tail.from - part.lastSeq - 1 });
    transcript.tailRows(part).forEach(push);
  }
  pushAsked(() => true);
  return items;
}

/** The way from a place to its key: the same as before as long as all keys are. To the list of rows another way means that
 * everything may have moved, and has to be looked at again. */
export function keysOf(items: Item[], before?: ItemKeys): ItemKeys {
  if (before && before.items.length === items.length && items.every((item, index) => item === before.items[index] || item.key === before.items[index]?.key)) return { items, keyOf: before.keyOf };
  return { items, keyOf: keyIn(items) };
}

// Apart, since a function holds on to everything that those beside it use: here to what was before, and to what was before that.
const keyIn = (items: Item[]) => (index: number) => items[index]?.key ?? index;

export interface ItemKeys {
  items: Item[];
  keyOf: (index: number) => string | number;
}

/** What was changed before it was decided is what took its place. */
function byTurn(decided: Question[]): Map<string, Question[]> {
  const found = new Map<string, Question[]>();
  for (const question of decided) {
    if (!question.turn || question.state === "superseded") continue;
    const list = found.get(question.turn);
    if (list) list.push(question);
    else found.set(question.turn, [question]);
  }
  return found;
}

/** A guess at a row's height, so that the scroll bar is about right before it has been seen. */
export function guess(item: Item | undefined): number {
  switch (item?.kind) {
    case "tell":
      return 84;
    case "unread":
      return 96;
    case "question":
      return 240;
    case "gap":
    case "decided":
    case "end":
    case "speaker":
      return 40;
    case "writing":
      return 60;
    default:
      return item?.row.kind === "say" ? 28 + Math.ceil(item.row.text.length / 90) * 20 : 34;
  }
}

/** What a search looks at. */
export function words(item: Item): string {
  if (item.kind === "tell") return item.part.turn.message;
  if (item.kind === "unread") return item.part.turn.response ?? "";
  if (item.kind === "decided") return `${deedLine(item.question)} ${verdict(item.question).more ?? ""}`;
  if (item.kind !== "row") return "";
  const { row } = item;
  if (row.kind === "say" || row.kind === "think" || row.kind === "note") return row.text;
  const calls = row.kind === "looks" ? row.calls : [row.call];
  return calls.map(callWords).join("\n");
}
