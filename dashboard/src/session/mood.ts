// What a session is up to, in a word, with where that is known from and since when. Nothing is guessed: what no event
// says is not shown.
import type { Session } from "@/api/ask";
import type { Question } from "@/question/question";

export type Tone = "needs" | "work" | "held" | "bad" | "calm";

export interface Mood {
  word: string;
  tone: Tone;
  /** The fact it comes from. */
  source: string;
  since: number;
}

export function mood(session: Session, open: Question[], party: string): Mood {
  const question = open.find(({ session: id }) => id === session.id);
  const event = `event ${session.stateEvent}`;
  const now = (word: string, tone: Tone): Mood => ({ word, tone, source: event, since: session.stateSince });
  if (question) {
    const isMine = question.askedOf == null || question.askedOf === party;
    return { word: isMine ? "needs you" : `waits for ${question.askedOf}`, tone: isMine ? "needs" : "held", source: `its ${question.kind} question`, since: question.openedAt };
  }
  if (session.heldUntil != null) return { ...now("paused by a limit", "held"), source: session.heldWhy ?? event };
  switch (session.state) {
    case "processing":
      return now("working", "work");
    case "spawning":
      return now("starting", "work");
    case "terminating":
      return now("stopping", "held");
    case "idle":
      return session.background ? now(`${session.background} in the background`, "work") : now("idle", "calm");
    case "stopped":
      return session.queued > 0 ? now("waits for a place", "held") : now("asleep", "calm");
    default:
      return now(session.state, "calm");
  }
}

/** What needs somebody first, then what moves, then what rests. */
export const ORDER: Record<Tone, number> = { needs: 0, bad: 1, held: 2, work: 3, calm: 4 };

export const COLOUR: Record<Tone, string> = { needs: "text-accent", work: "text-work", held: "text-held", bad: "text-bad", calm: "text-dim" };
