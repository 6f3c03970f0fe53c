// Why a turn did not come to its end, and what to do about it. Pure.
import type { Turn } from "@/api/ask";

/** Somebody ended it: that is as they wanted it, and no failure. */
export const wasEnded = ({ state, reason }: Pick<Turn, "state" | "reason">) => state === "cancelled" || reason === "stopped";

export const isFailed = (turn: Pick<Turn, "state" | "reason">) => (turn.state === "failed" || turn.state === "terminated") && !wasEnded(turn);

const REASONS: Record<string, string> = {
  exited: "Its program ended by itself. Told again, a new one takes up the conversation.",
  response_timeout: "It may have been stuck. If it works in silence for long, a longer responseTimeout in the config lets it.",
  not_started: "Nothing ran. `iris doctor` looks into why the program does not start.",
  interrupted: "Nothing is wrong with what it was told, but some of it may be done already.",
};

const ERRORS: [RegExp, string][] = [
  [/budget/i, "A new process begins with a whole budget; maxBudgetUsd in the config sets it."],
  [/rate.?limit|overload|too many requests|\b(429|529)\b|usage limit/i, "It is a limit of the model, which passes: wait a little, then tell it again."],
  [/log ?in|logged in|api key|auth|credential|\b401\b/i, "Its program is not signed in. Sign it in where the daemon runs, then tell it again."],
  [/network|connect|timed? ?out|ECONN|ENOTFOUND|\b50[0234]\b/i, "The model could not be reached. Told again, it may be."],
  [/too long|context|tokens/i, "The conversation may be too long for the model. A new session begins with a short one."],
];

/** What to do about it, as far as is known. */
export function failureHint({ reason, error }: Pick<Turn, "reason" | "error">): string | undefined {
  return REASONS[reason ?? ""] ?? ERRORS.find(([pattern]) => pattern.test(error ?? ""))?.[1];
}
