// The stream of events: one connection, resumed by number. It knows when it is cut: the daemon's heartbeat comes every
// 5 seconds, and silence for longer is a lost connection, whatever the network says.
import { createParser } from "eventsource-parser";

import { type Shapes, isSignedOut, signs } from "./call";

export type Event = Omit<Shapes["Event"], "data"> & { data: unknown };
export type Delta = Shapes["Delta"];

export type Connection =
  | { state: "connecting" }
  | { state: "live"; since: number }
  /** Since when nothing is heard, and whether anything ever was. */
  | { state: "lost"; since: number; hasHeard: boolean; retryAt: number; why: string }
  /** Nobody looks: the connection was given back, and is taken up again by the first look. */
  | { state: "resting"; since: number }
  | { state: "signed-out" };

export interface Listener {
  /** The raw frame, so that whoever needs only a part of the traffic can leave the rest unparsed. */
  event(seq: number, frame: string): void;
  delta(delta: Delta): void;
  connection(state: Connection): void;
  /** Too much was missed to be told one by one, or what was asked for meanwhile may have failed: read everything anew.
   * Events up to this number are told late, if at all. */
  missed(upTo: number): void;
}

/** Two heartbeats, and what a network takes. */
const SILENCE = 12_000;
/** Between two attempts, while somebody looks and while nobody does. A fourth of it is left to chance. */
const LONGEST_PAUSE = { seen: 2400, unseen: 10_000 };
/** How long one attempt may take until the daemon says that it streams. A network may swallow a request without a word. */
const ATTEMPT = 10_000;
/** Why a connection is lost that hangs from its beginning. */
export const NOT_ANSWERED = "the daemon has not answered";
/** A browser has six connections for all the tabs of a page. One that nobody looks at gives its own back; whoever goes from
 * tab to tab and back finds it there. */
const REST_AFTER = 5_000;
/** With more than this to catch up on, reading everything anew is quicker than being told. */
const LARGEST_GAP = 5_000;

export class EventStream {
  private after: number | undefined;
  private cut: AbortController | undefined;
  private attempts = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isTrying = false;
  /** When something was last heard, be it a heartbeat: up to then, what is shown is true. */
  private heardAt: number | undefined;
  private isResting = false;
  private wasLost = false;
  private restTimer: ReturnType<typeof setTimeout> | undefined;
  /** Ends when somebody looks. */
  private unseen = new AbortController();
  private listener: Listener;

  constructor(listener: Listener) {
    this.listener = listener;
  }

  start() {
    addEventListener("online", this.retryNow);
    document.addEventListener("visibilitychange", this.looked);
    // A tab that is opened behind another waits for its first look.
    this.isResting = true;
    this.looked();
  }

  stop() {
    removeEventListener("online", this.retryNow);
    document.removeEventListener("visibilitychange", this.looked);
    clearTimeout(this.timer);
    clearTimeout(this.restTimer);
    this.unseen.abort();
    this.cut?.abort();
  }

  private looked = () => {
    clearTimeout(this.restTimer);
    this.unseen.abort();
    if (document.visibilityState === "hidden") {
      this.restTimer = setTimeout(this.rest, REST_AFTER);
      this.unseen = new AbortController();
      void this.listenUnseen(this.unseen.signal);
    } else if (this.isResting) this.wake();
    else this.retryNow();
  };

  /** Of all the tabs that nobody looks at one goes on listening, for notifications and for the number in its title. When it
   * is closed or looked at, the next one does. */
  private async listenUnseen(unseen: AbortSignal) {
    const listen = async () => {
      if (unseen.aborted) return;
      clearTimeout(this.restTimer);
      if (this.isResting) this.wake();
      await new Promise((seen) => unseen.addEventListener("abort", seen));
    };
    // Given up by who is looked at before it was their turn.
    await navigator.locks?.request("iris.unseen", { signal: unseen }, listen).catch(() => {});
  }

  private wake() {
    this.isResting = false;
    void this.connect();
  }

  private rest = () => {
    this.isResting = true;
    // What was written meanwhile is never told, and what was asked for may have been given up.
    this.wasLost = true;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.cut?.abort();
    this.listener.connection({ state: "resting", since: this.heardAt ?? Date.now() });
  };

  /** Somebody looks or the network is back: do not wait for the pause to end, nor for an attempt of before. */
  retryNow = () => {
    if (document.visibilityState === "hidden") return;
    if (this.timer === undefined && !this.isTrying) {
      // A machine that slept has not counted the silence.
      if (Date.now() - (this.heardAt ?? Infinity) > SILENCE) this.cut?.abort("silent");
      return;
    }
    clearTimeout(this.timer);
    this.timer = undefined;
    this.cut?.abort();
    void this.connect();
  };

  private async connect() {
    const cut = (this.cut = new AbortController());
    const limit = setTimeout(() => cut.abort("silent"), ATTEMPT);
    this.isTrying = true;
    let isHeard = false;
    try {
      const { isTold, newest } = await this.findPlace(cut.signal);
      const answer = await fetch(`/api/events?after=${this.after}`, {
        headers: { Accept: "text/event-stream", ...signs() },
        cache: "no-store",
        signal: cut.signal,
      });
      clearTimeout(limit);
      this.isTrying = false;
      if (await isSignedOut(answer)) return this.listener.connection({ state: "signed-out" });
      if (!answer.ok || !answer.body) throw new Error(`the daemon answered ${answer.status}`);
      this.attempts = 0;
      isHeard = true;
      // Events are told one by one where they were cut; but what was asked for because of them has failed, or was not asked.
      if (this.wasLost && !isTold) this.listener.missed(newest);
      this.wasLost = false;
      this.heardAt = Date.now();
      this.listener.connection({ state: "live", since: Date.now() });
      await this.read(answer.body, cut);
      throw new Error("the daemon closed the stream");
    } catch (error) {
      clearTimeout(limit);
      // Another attempt has taken its place.
      if (this.cut === cut) this.isTrying = false;
      if (cut.signal.aborted && cut.signal.reason !== "silent") return;
      // What a browser says of a failed request is for those who wrote the page.
      const why = error instanceof TypeError ? "the daemon cannot be reached" : String((error as Error).message);
      this.lose(cut.signal.aborted ? (isHeard ? "the daemon has been silent" : NOT_ANSWERED) : why);
    }
  }

  /** Where to go on; at first, and after a long absence, with what happens next. Whether what was missed was told, and the newest
   * event there is. */
  private async findPlace(signal: AbortSignal): Promise<{ isTold: boolean; newest: number }> {
    const answer = await fetch("/api/status", { headers: signs(), cache: "no-store", signal });
    if (await isSignedOut(answer)) {
      this.listener.connection({ state: "signed-out" });
      this.cut?.abort();
    }
    if (!answer.ok) throw new Error(`the daemon answered ${answer.status}`);
    const { newestEvent } = (await answer.json()) as Shapes["Status"];
    const isFirst = this.after === undefined;
    const known = this.after ?? newestEvent;
    // A smaller number than we have seen is another log: a restored backup.
    if (!isFirst && newestEvent - known <= LARGEST_GAP && newestEvent >= known) return { isTold: false, newest: newestEvent };
    this.after = newestEvent;
    this.listener.missed(newestEvent);
    return { isTold: true, newest: newestEvent };
  }

  private async read(stream: ReadableStream<Uint8Array>, cut: AbortController) {
    let watchdog = setTimeout(() => cut.abort("silent"), SILENCE);
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        if (event === "delta") this.listener.delta(JSON.parse(data) as Delta);
        if (event !== "event") return;
        const seq = Number(id);
        if (this.after !== undefined && seq <= this.after) return;
        this.after = seq;
        this.listener.event(seq, data);
      },
    });
    const reader = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        this.heardAt = Date.now();
        clearTimeout(watchdog);
        watchdog = setTimeout(() => cut.abort("silent"), SILENCE);
        parser.feed(value);
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  private lose(why: string) {
    this.wasLost = true;
    const pause = Math.min(LONGEST_PAUSE[document.visibilityState === "hidden" ? "unseen" : "seen"], 300 * 2 ** this.attempts++) * (0.75 + Math.random() / 2);
    this.listener.connection({ state: "lost", since: this.heardAt ?? Date.now(), hasHeard: this.heardAt !== undefined, retryAt: Date.now() + pause, why });
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.connect();
    }, pause);
  }
}
