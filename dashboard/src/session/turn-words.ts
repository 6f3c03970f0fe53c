// The names the API has for turns, in the words people use.
import type { Turn } from "@/api/ask";
import { words } from "@/text/words";

const STATES: Record<string, string> = { scheduled: "waits for its time", queued: "waits its turn", running: "at work", completed: "done", failed: "failed", terminated: "ended early", cancelled: "cancelled" };

export const stateWord = ({ state }: Pick<Turn, "state">) => STATES[state] ?? words(state);

/** What is said of work that has not come back, once its turn is over. One that ended early took it along. */
export function lostWord({ state, finishedAt }: Pick<Turn, "state" | "finishedAt">): string | undefined {
  if (finishedAt == null) return undefined;
  return state === "completed" ? "no result" : "cut off";
}

/** How a turn began that nobody told. */
export function beganWith(origin: string): string {
  if (origin === "answer") return "went on with the answer";
  return origin === "agent" || origin === "unknown" ? "went on by itself" : `went on by itself: ${words(origin)}`;
}

/** What a turn is about, for a line. */
export function turnTitle({ message, origin }: Pick<Turn, "message" | "origin">): string {
  return message || (origin ? sentence(beganWith(origin)) : "A turn without words");
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
