// What the process of a session has spent of what one process may spend. Pure, but for the two things it is made from.
import { queryOptions } from "@tanstack/react-query";

import { type Session, queries } from "@/api/ask";
import { onEvent } from "@/api/live";
import { recently } from "@/api/log";
import type { Event } from "@/api/stream";
import type { TurnEnd } from "@/health/recent";

/** When the newest process of a session was ready, and which it is. */
export interface Started {
  pid: number | undefined;
  at: number;
}

const WINDOW = 20_000;

export const startsQuery = queryOptions({
  queryKey: ["starts"],
  queryFn: async () => (await recently("session.ready", WINDOW)).reduce(withStart, new Map<string, Started>() as ReadonlyMap<string, Started>),
});

onEvent((event) => {
  if (event.kind === "session.ready") queries.setQueryData(startsQuery.queryKey, (known) => known && withStart(known, event));
});

function withStart(known: ReadonlyMap<string, Started>, { session, at, data }: Event): ReadonlyMap<string, Started> {
  return session ? new Map(known).set(session, { pid: (data as { pid?: number }).pid, at }) : known;
}

/** Undefined if there is no process, or if its start is further back than the log was read: then nothing is claimed. */
export function spent({ id, pid }: Session, starts: ReadonlyMap<string, Started>, ends: TurnEnd[]): number | undefined {
  const start = starts.get(id);
  if (pid == null || start?.pid !== pid) return undefined;
  return ends.reduce((sum, { session, at, costUsd }) => (session === id && at >= start.at ? sum + costUsd : sum), 0);
}

/** What each team's config lets one process spend. */
export function budgets(config: unknown): ReadonlyMap<string, number> {
  const { teams } = (config ?? {}) as { teams?: Record<string, { maxBudgetUsd?: number }> };
  return new Map(Object.entries(teams ?? {}).flatMap(([name, { maxBudgetUsd }]) => (typeof maxBudgetUsd === "number" ? [[name, maxBudgetUsd] as const] : [])));
}
