// A session's conversation as it is known here: the turns, what was said in those that were looked at, and what is being
// written just now. Fed by requests for the past and by events for the present.
import { type Turn } from "@/api/ask";
import { api, body, everything } from "@/api/call";
import { lookAt, onDelta, onEvent, onGap } from "@/api/live";
import type { Delta, Event } from "@/api/stream";
import { Watched } from "@/api/watch";

import { Fold, type IsOpen, type Message, type Row } from "./fold";

export interface Part {
  turn: Turn;
  state: "unread" | "reading" | "read";
  fold: Fold;
  /** What the agent is writing and has not finished. */
  writing: string;
}

interface Kept extends Part {
  lastSeq: number;
  early: Event[];
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
  private readonly session: string;
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
      onGap(() => void this.readTurns()),
    ];
    void this.readTurns();
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

  /** Reads what was said in a turn, page by page, shown as it comes. */
  async read(id: string) {
    const part = this.byTurn.get(id);
    if (!part || part.state !== "unread") return;
    part.state = "reading";
    try {
      let next: string | null | undefined;
      do {
        const query = { limit: 1000, after: part.lastSeq };
        const page = await body(api.GET("/api/turns/{id}/messages", { params: { path: { id }, query } }));
        for (const message of page.items as Message[]) this.take(part, message);
        next = page.next;
        this.show();
      } while (next);
      part.state = "read";
      for (const event of part.early.splice(0)) this.hearMessage(part, event);
    } catch (error) {
      part.state = "unread";
      this.failure.set(error as Error);
    }
    this.show();
  }

  /** Reads everything there is: to search in it. */
  async readAll(stop: () => boolean) {
    for (const { turn } of [...this.parts].reverse()) {
      if (stop()) return;
      await this.read(turn.id);
    }
  }

  private async readTurns() {
    const path = { id: this.session };
    try {
      const turns = await everything((after) => body(api.GET("/api/sessions/{id}/turns", { params: { path, query: { limit: 1000, ...(after && { after: Number(after) }) } } })));
      for (const turn of turns) this.put(turn);
      this.isOpened = true;
      this.failure.set(undefined);
      // Those that run may have said something meanwhile that was not heard.
      for (const part of this.parts) if (part.state === "read" && part.turn.state === "running") part.state = "unread";
      for (const part of this.parts.slice(-3)) void this.read(part.turn.id);
    } catch (error) {
      this.failure.set(error as Error);
    }
    this.show();
  }

  private hear(event: Event) {
    if (event.kind === "session.cache_cleared") return this.clear();
    if (!event.turn) return;
    if (event.kind === "message") {
      const part = this.byTurn.get(event.turn);
      if (part) this.hearMessage(part, event);
    } else if (event.kind.startsWith("turn.")) void this.refresh(event.turn);
  }

  private clear() {
    this.parts.length = 0;
    this.byTurn.clear();
    this.show();
    void this.readTurns();
  }

  private hearMessage(part: Kept, event: Event) {
    if (part.state === "reading") return void part.early.push(event);
    if (part.state !== "read" || event.seq <= part.lastSeq) return;
    this.take(part, { ...(event.data as Message), seq: event.seq, at: event.at });
    this.show();
  }

  private take(part: Kept, message: Message) {
    if (message.seq <= part.lastSeq) return;
    part.lastSeq = message.seq;
    part.rows = undefined;
    part.fold.push(message);
    if (message.type === "assistant" && !message.parent) part.writing = "";
  }

  private write({ turn, text }: Delta) {
    const part = this.byTurn.get(turn);
    if (!part) {
      this.ahead = { turn, text: (this.ahead?.turn === turn ? this.ahead.text : "") + text };
      return;
    }
    part.writing += text;
    this.show();
  }

  private async refresh(id: string) {
    try {
      this.put(await body(api.GET("/api/turns/{id}", { params: { path: { id } } })));
      this.show();
    } catch (error) {
      this.failure.set(error as Error);
    }
  }

  private put(turn: Turn) {
    const known = this.byTurn.get(turn.id);
    if (known) {
      known.turn = turn;
      if (turn.finishedAt != null) known.writing = "";
      return;
    }
    // A turn that has not said anything yet has nothing to read.
    const isNew = turn.state === "queued" || turn.state === "scheduled";
    const writing = this.ahead?.turn === turn.id && turn.finishedAt == null ? this.ahead.text : "";
    const part: Kept = { turn, state: isNew ? "read" : "unread", fold: new Fold(), writing, lastSeq: 0, early: [], rows: undefined };
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
