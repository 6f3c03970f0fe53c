// When a turn that was told for later is due. The turn itself does not say; the event that it was scheduled by does.
import { queryOptions, useQuery } from "@tanstack/react-query";

import { type Turn, queries } from "@/api/ask";
import { onEvent } from "@/api/live";
import { recently } from "@/api/log";
import type { Event } from "@/api/stream";

const WINDOW = 20_000;

const dueQuery = queryOptions({
  queryKey: ["due"],
  queryFn: async () => (await recently("turn.scheduled", WINDOW)).reduce(withDue, new Map<string, number>() as ReadonlyMap<string, number>),
});

onEvent((event) => {
  if (event.kind === "turn.scheduled") queries.setQueryData(dueQuery.queryKey, (known) => known && withDue(known, event));
});

function withDue(known: ReadonlyMap<string, number>, { turn, data }: Event): ReadonlyMap<string, number> {
  const { dueMs } = data as { dueMs?: number };
  return turn && dueMs !== undefined ? new Map(known).set(turn, dueMs) : known;
}

/** Undefined for a turn that waits for no time, or whose event is further back than the log was read. */
export function useDue(turn: Pick<Turn, "id" | "state"> | null | undefined): number | undefined {
  const isScheduled = turn?.state === "scheduled";
  const known = useQuery({ ...dueQuery, enabled: isScheduled }).data;
  return isScheduled ? known?.get(turn.id) : undefined;
}
