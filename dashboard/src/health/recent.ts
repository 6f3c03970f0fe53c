// How turns ended lately: read once from the log, then kept up by events.
import { queryOptions } from "@tanstack/react-query";

import { queries } from "@/api/ask";
import { onEvent } from "@/api/live";
import { recently } from "@/api/log";
import type { Event } from "@/api/stream";
import { whyEnded } from "@/text/event-words";

export interface TurnEnd {
  at: number;
  team: string;
  session: string;
  turn: string;
  ending: string;
  /** Why, if it ended badly. */
  why?: string | undefined;
  /** Somebody put an end to it, which is no trouble. */
  isWanted?: boolean;
  durationMs: number;
  costUsd: number;
}

const WINDOW = 20_000;
const KEPT = 5_000;

export const recentQuery = queryOptions({
  queryKey: ["recent"],
  queryFn: async () => (await recently("turn.finished", WINDOW)).map(turnEnd).slice(-KEPT),
});

onEvent((event) => {
  if (event.kind !== "turn.finished") return;
  queries.setQueryData(recentQuery.queryKey, (known) => known && [...known, turnEnd(event)].slice(-KEPT));
});

function turnEnd(event: Event): TurnEnd {
  const { ending, durationMs, costUsd, cause } = event.data as { ending?: string; durationMs?: number; costUsd?: number; cause?: { reason?: string } };
  return { why: whyEnded(event.data as Record<string, unknown>), isWanted: ending === "cancelled" || cause?.reason === "stopped", at: event.at, team: event.team ?? "", session: event.session ?? "", turn: event.turn ?? "", ending: ending ?? "ended", durationMs: durationMs ?? 0, costUsd: costUsd ?? 0 };
}

/** What each session has cost since midnight, as far back as the log was read. */
export function costToday(ends: TurnEnd[], now: Date): Map<string, number> {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const costs = new Map<string, number>();
  for (const { at, session, costUsd } of ends) if (at >= midnight) costs.set(session, (costs.get(session) ?? 0) + costUsd);
  return costs;
}

/** How each session's newest turn ended. */
export function lastEnds(ends: TurnEnd[]): Map<string, TurnEnd> {
  return new Map(ends.map((end) => [end.session, end]));
}
