// What a session is up to, in a word, with where that is known from and since when. Nothing is guessed: what no event
// says is not shown.
import type { Session } from "@/api/ask";
import { type Question, isBlocking, kindWord, needsMe, waitsFor } from "@/question/question";
import { clock } from "@/text/time";
import { words } from "@/text/words";

import { partyName } from "./party-name";

export type Tone = "needs" | "work" | "held" | "bad" | "calm";

export interface Mood {
  word: string;
  tone: Tone;
  /** The fact it comes from. */
  source: string;
  /** The event that says so, if one does. */
  event?: number;
  since: number;
  /** Something that it asks without waiting for the answer: it goes on meanwhile. */
  asks?: Question;
}

/** `due`: when the turn is due that it was told for later. */
export function mood(session: Session, open: Question[], party: string, due?: number): Mood {
  const asked = open.filter(({ session: id }) => id === session.id);
  const question = asked.find(isBlocking);
  if (question) {
    const isMine = needsMe(question, party);
    return { word: isMine ? "needs you" : waitsFor(question, party), tone: isMine ? "needs" : "held", source: `its question (${kindWord(question)})`, since: question.openedAt };
  }
  const now = state(session, party, due);
  return asked[0] ? { ...now, asks: asked[0] } : now;
}

function state(session: Session, party: string, due: number | undefined): Mood {
  const now = (word: string, tone: Tone): Mood => ({ word, tone, source: sourceWords(session), event: session.stateEvent, since: session.stateSince });
  // A question in plain words is left to the party that told before anybody else hears of it.
  if (session.state.startsWith("waiting_for_")) return now(`waits for ${partyName(session.from, party)}`, session.from === party ? "needs" : "held");
  if (session.heldUntil != null) return { ...now("paused by a limit", "held"), source: session.heldWhy ?? sourceWords(session) };
  if (session.background && session.running == null) return now(`${session.background} in the background`, "work");
  switch (session.state) {
    case "processing":
      return now("working", "work");
    case "spawning":
      return now("starting", "work");
    case "terminating":
      return now("stopping", "held");
    case "idle":
      if (due !== undefined) return now(`waits until ${clock(due)}`, "calm");
      return now("idle", "calm");
    case "stopped":
      if (session.waitsFor === "team") return now("waits for its team", "held");
      return session.queued > 0 ? now("waits for a place", "held") : now(due === undefined ? "asleep" : `asleep until ${clock(due)}`, "calm");
    default:
      return now(words(session.state), "calm");
  }
}

/** What the state comes from, as the log says it: why a process ended, else what happened. */
function sourceWords({ stateSource }: Session): string {
  if (!stateSource) return "";
  const { kind, cause } = stateSource;
  const what = words(kind.replace(".", " "));
  if (!cause || cause === "completed") return what;
  return kind.startsWith("session.") ? words(cause) : `${what}: ${words(cause)}`;
}

/** What needs somebody first, then what moves, then what rests. */
export const ORDER: Record<Tone, number> = { needs: 0, bad: 1, held: 2, work: 3, calm: 4 };

export const COLOUR: Record<Tone, string> = { needs: "text-accent", work: "text-work", held: "text-held", bad: "text-bad", calm: "text-dim" };
