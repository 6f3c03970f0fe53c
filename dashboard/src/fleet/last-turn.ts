// What a session was told last: the headline of its row. Turns are numbered without holes, so the last one is asked for
// directly, and only when there is a new one.
import { queryOptions } from "@tanstack/react-query";

import { type Session, type Turn, queries } from "@/api/ask";
import { api, body } from "@/api/call";
import { onEvent } from "@/api/live";

export const lastTurnQuery = ({ id, turns }: Session) =>
  queryOptions({
    queryKey: ["last-turn", id, turns],
    enabled: turns > 0,
    placeholderData: (before) => before,
    queryFn: async () => (await body(api.GET("/api/sessions/{id}/turns", { params: { path: { id }, query: { after: turns - 1, limit: 1 } } }))).items[0] ?? null,
  });

// One that was told for later begins, or is withdrawn, without being a new one.
onEvent(({ kind, session, turn }) => {
  if (!kind.startsWith("turn.") || !session) return;
  const isHeld = (found: unknown) => (found as Turn | null | undefined)?.id === turn && (found as Turn).state === "scheduled";
  void queries.invalidateQueries({ queryKey: ["last-turn", session], predicate: ({ state }) => isHeld(state.data) });
});
