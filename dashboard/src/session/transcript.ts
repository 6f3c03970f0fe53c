// A session's conversation as it is known here: the turns, what was said in those that were looked at, and what is being
// written just now. Fed by requests for the past and by events for the present.
import { type Turn } from "@/api/ask";
import { heard } from "@/api/behind";
import { api, body, everything, isPassing, pauseAfter } from "@/api/call";
import { lookAt, onDelta, onEvent, onGap } from "@/api/live";
import type { Delta, Event } from "@/api/stream";
import { Watched } from "@/api/watch";

import { Fold, type IsOpen, type Message, type Row } from "./fold";

export interface Part {
  turn: Turn;
  state: "unread" | "reading" | "read";
  fold: Fold;
  /** The newest of a long turn, while what is between it and the beginning is being read. */
  tail: Tail | undefined;
  /** The newest message of the beginning that is here. */
  lastSeq: number;
  /** What the agent is writing and has not finished. */
  writing: string;
}

interface Tail {
  /** Where it begins. */
  from: number;
  messages: Message[];
  fold: Fold;
}

interface Kept extends Part {
  early: Event[];
  /** What it writes is heard from its beginning. Else what is heard next follows something that was not. */
  isWhole: boolean;
  /** It could not be read, and is to be. */
  hasFailed: boolean;
  /** While it is being read: when that is over. */
  reading: Promise<void> | undefined;
  rows: Row[] | undefined;
}

export class Transcript {
  /** Grows with every change that is to be shown. */
  readonly version = new Watched(0);
  readonly failure = new Watched<Error | undefined>(undefined);
  isOpened = false;
  private readonly parts: Kept[] = [];
  private readonly byTurn = new Map<string, Kept>();
  private readonly folds = new Map<string, boolean>();
  private wanted: string | undefined;
  private frame: number | undefined;
  /** When it is first known which turns there are. */
  private turnsRead: Promise<void> = Promise.resolve();
  private readonly session: string;
  /** Events up to this number may have come late: nobody knows what was written between them. */
  private lateUpTo = 0;
  private failures = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  /** The words that what was heard of is read now. */
  private readonly unread = new Set<() => void>();
  /** What a turn began to write before it was known here. An agent writes in one turn at a time. */
  private ahead: { turn: string; text: string } | undefined;

  constructor(session: string) {
    this.session = session;
  }

  /** Reads the turns and hears what happens from now on. Gives the way to stop. */
  open(): () => void {
    const ends = [
      lookAt(this.session),
      onEvent((event) => event.session === this.session && this.hear(event)),
      onDelta((delta) => delta.session === this.session && this.write(delta)),
      onGap((upTo) => this.missed(upTo)),
      () => clearTimeout(this.retry),
      () => this.unread.forEach((read) => read()),
    ];
    this.turnsRead = this.readTurns();
    return () => {
      ends.forEach((end) => end());
      if (this.frame !== undefined) cancelAnimationFrame(this.frame);
      this.frame = undefined;
    };
  }

  list(): readonly Part[] {
    return this.parts;
  }

  /** The rows of a turn; the same list as before if nothing in it has changed. */
  rows(part: Part): Row[] {
    const kept = part as Kept;
    kept.rows ??= kept.fold.rows(this.isOpenRow, this.wanted);
    return kept.rows;
  }

  /** The rows of the newest of a turn whose middle is not here yet. */
  tailRows({ tail }: Part): Row[] {
    return tail?.fold.rows(this.isOpenRow, this.wanted) ?? [];
  }

  setOpen(key: string, isOpen: boolean) {
    this.folds.set(key, isOpen);
    for (const part of this.parts) part.rows = undefined;
    this.show();
  }

  /** What is looked for, in lower case: it is shown wherever it is. */
  lookFor(wanted: string | undefined) {
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    for (const part of this.parts) part.rows = undefined;
    this.show();
  }

  private isOpenRow: IsOpen = (key) => this.folds.get(key);

  /** Reads what was said in a turn: its newest first, then from the beginning, page by page, shown as it comes. */
  read(id: string): Promise<void> {
    const part = this.byTurn.get(id);
    if (!part || part.state === "read") return Promise.resolve();
    part.reading ??= this.readPart(part).finally(() => (part.reading = undefined));
    return part.reading;
  }

  private async readPart(part: Kept) {
    part.state = "reading";
    part.hasFailed = false;
    try {
      // Of a turn that is half read, only the rest is missing.
      if (part.lastSeq > 0 || !(await this.readNewest(part))) await this.readOn(part);
      part.state = "read";
      for (const event of part.early.splice(0)) this.hearMessage(part, event);
    } catch (error) {
      part.state = "unread";
      part.hasFailed = true;
      this.fail(error);
    }
    this.show();
  }

  /** Said, and tried again by itself where that may help. */
  private fail(error: unknown) {
    this.failure.set(error as Error);
    if (!isPassing(error)) return;
    clearTimeout(this.retry);
    this.retry = setTimeout(() => void this.readTurns(), pauseAfter(++this.failures));
  }

  private missed(upTo: number): Promise<void> {
    this.lateUpTo = upTo;
    for (const part of this.parts) part.isWhole = false;
    this.heard();
    return this.readTurns();
  }

  /** Something is to be read. Gives the word that it was; else it is when all turns are read anew. */
  private heard(): () => void {
    const end = heard();
    const read = () => {
      this.unread.delete(read);
      end();
    };
    this.unread.add(read);
    return read;
  }

  /** Whether that was all. */
  private async readNewest(part: Kept): Promise<boolean> {
    const { items, next } = await page(part, { before: Number.MAX_SAFE_INTEGER });
    const [first] = items;
    if (!next || !first) {
      for (const message of items) this.take(part, message);
      return true;
    }
    const tail: Tail = { from: first.seq, messages: [], fold: new Fold() };
    part.tail = tail;
    for (const message of items) addTo(tail, message);
    for (const event of part.early.splice(0)) this.hearMessage(part, event);
    this.show();
    return false;
  }

  private async readOn(part: Kept) {
    let next: string | null | undefined;
    do {
      const { items, ...more } = await page(part, { after: part.lastSeq });
      for (const message of items) this.take(part, message);
      next = more.next;
      // Where the beginning has come to the newest, they are one. What the newest holds needs not be read again.
      if (part.tail && (!next || part.lastSeq >= part.tail.from)) this.join(part, part.tail);
      this.show();
    } while (next);
  }

  private join(part: Kept, tail: Tail) {
    part.tail = undefined;
    for (const message of tail.messages) this.take(part, message);
  }

  /** Reads everything there is: to search in it. */
  async readAll(stop: () => boolean) {
    await this.turnsRead;
    for (const { turn } of [...this.parts].reverse()) {
      if (stop()) return;
      await this.read(turn.id);
    }
  }

  private async readTurns() {
    const path = { id: this.session };
    const unread = [...this.unread];
    try {
      const turns = await everything((after) => body(api.GET("/api/sessions/{id}/turns", { params: { path, query: { limit: 1000, ...(after && { after: Number(after) }) } } })));
      for (const turn of turns) this.put(turn);
      this.isOpened = true;
      this.failures = 0;
      this.failure.set(undefined);
      // Those that run may have said something meanwhile that was not heard.
      for (const part of this.parts) if (part.state === "read" && part.turn.state === "running") part.state = "unread";
      const last = new Set(this.parts.slice(-3));
      this.show();
      const wanted = this.parts.filter((part) => last.has(part) || part.hasFailed);
      await Promise.all(wanted.map(({ turn }) => this.read(turn.id)));
      if (!wanted.some(({ hasFailed }) => hasFailed)) unread.forEach((read) => read());
    } catch (error) {
      this.fail(error);
      this.show();
    }
  }

  private hear(event: Event) {
    if (event.kind === "session.cache_cleared") return this.clear();
    if (!event.turn) return;
    if (event.kind === "message") {
      const part = this.byTurn.get(event.turn);
      if (part) this.hearMessage(part, event);
    } else if (event.kind.startsWith("turn.")) {
      const part = this.byTurn.get(event.turn);
      if (part && event.kind === "turn.started" && event.seq > this.lateUpTo) part.isWhole = true;
      void this.refresh(event.turn, event.seq > this.lateUpTo);
    }
  }

  private clear() {
    this.parts.length = 0;
    this.byTurn.clear();
    this.show();
    void this.readTurns();
  }

  private hearMessage(part: Kept, event: Event) {
    // What is written after something that was heard is heard from its beginning.
    if (event.seq > this.lateUpTo) part.isWhole = true;
    const message = { ...(event.data as Message), seq: event.seq, at: event.at };
    if (part.tail) {
      addTo(part.tail, message);
      if (endsWriting(message)) part.writing = "";
      return this.show();
    }
    if (part.state === "reading") return void part.early.push(event);
    if (part.state !== "read" || event.seq <= part.lastSeq) return;
    this.take(part, message);
    this.show();
  }

  private take(part: Kept, message: Message) {
    if (message.seq <= part.lastSeq) return;
    part.lastSeq = message.seq;
    part.rows = undefined;
    part.fold.push(message);
    if (endsWriting(message)) part.writing = "";
  }

  private write({ turn, text, anew }: Delta) {
    const part = this.byTurn.get(turn);
    if (!part) {
      this.ahead = { turn, text: (this.ahead?.turn === turn && !anew ? this.ahead.text : "") + text };
      return;
    }
    if (anew) {
      part.writing = "";
      part.isWhole = true;
    }
    // Else words that have nothing to do with each other would read as one sentence.
    if (!part.isWhole) part.writing += part.writing ? " … " : "… ";
    part.isWhole = true;
    part.writing += text;
    this.show();
  }

  private async refresh(id: string, isHeard: boolean) {
    const read = this.heard();
    try {
      this.put(await body(api.GET("/api/turns/{id}", { params: { path: { id } } })), isHeard);
      this.show();
      read();
    } catch (error) {
      this.fail(error);
    }
  }

  /** `isHeard` if it was heard of from its beginning. */
  private put(turn: Turn, isHeard = false) {
    const known = this.byTurn.get(turn.id);
    if (known) {
      known.turn = turn;
      if (turn.finishedAt != null) known.writing = "";
      return;
    }
    // A turn that has not said anything yet has nothing to read.
    const isNew = turn.state === "queued" || turn.state === "scheduled";
    const isWhole = isNew || isHeard;
    const ahead = this.ahead?.turn === turn.id && turn.finishedAt == null ? this.ahead.text : "";
    const writing = ahead && !isWhole ? `… ${ahead}` : ahead;
    const part: Kept = { turn, state: isNew ? "read" : "unread", fold: new Fold(), tail: undefined, writing, lastSeq: 0, early: [], isWhole: isWhole || ahead !== "", hasFailed: false, reading: undefined, rows: undefined };
    this.byTurn.set(turn.id, part);
    const before = this.parts.findLastIndex((other) => other.turn.number < turn.number);
    this.parts.splice(before + 1, 0, part);
    if (this.isOpened) void this.read(turn.id);
  }

  /** At most once a frame, however much is said in it. */
  private show() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.version.set(this.version.get() + 1);
    });
  }
}

const endsWriting = ({ type, parent }: Message) => type === "assistant" && !parent;

function addTo(tail: Tail, message: Message) {
  if (message.seq <= (tail.messages.at(-1)?.seq ?? 0)) return;
  tail.messages.push(message);
  tail.fold.push(message);
}

async function page({ turn: { id } }: Part, from: { after: number } | { before: number }): Promise<{ items: Message[]; next?: string | null | undefined }> {
  const { items, next } = await body(api.GET("/api/turns/{id}/messages", { params: { path: { id }, query: { limit: 1000, ...from } } }));
  return { items: items as Message[], next };
}
