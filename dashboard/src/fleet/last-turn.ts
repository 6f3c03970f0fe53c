// What a session was told last: the headline of its row. Turns are numbered without holes, so the last one is asked for
// directly, and only when there is a new one.
import { queryOptions } from "@tanstack/react-query";

import type { Session } from "@/api/ask";
import { api, body } from "@/api/call";

export const lastTurnQuery = ({ id, turns }: Session) =>
  queryOptions({
    queryKey: ["last-turn", id, turns],
    enabled: turns > 0,
    placeholderData: (before) => before,
    queryFn: async () => (await body(api.GET("/api/sessions/{id}/turns", { params: { path: { id }, query: { after: turns - 1, limit: 1 } } }))).items[0] ?? null,
  });
