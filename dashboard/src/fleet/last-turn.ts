// What a session is about: the headline of its row. Turns are numbered without holes, so the newest are asked for directly,
// and only when there is a new one or another one runs.
import { queryOptions } from "@tanstack/react-query";

import { type Session, type Turn, queries } from "@/api/ask";
import { api, body } from "@/api/call";
import { onEvent } from "@/api/live";
import { turnTitle } from "@/session/turn-words";
import { title } from "@/text/title";

export interface Turns {
  /** The one that the row is about. */
  shown: Turn | undefined;
  /** The one that was told last, which may wait. */
  last: Turn | undefined;
}

/** What runs, else what ran last, else what ended unrun. What waits is only counted, unless there is nothing else. */
export function shownTurn(newest: readonly Turn[], running: string | null | undefined): Turn | undefined {
  return newest.find(({ id }) => id === running) ?? newest.findLast(({ startedAt, finishedAt }) => startedAt != null && finishedAt != null) ?? newest.findLast(({ finishedAt }) => finishedAt != null) ?? newest.at(-1);
}

/** What it is about, in a line; nothing while that is not known. */
export const about = (turns: Turns | undefined, longest: number) => (turns?.shown ? title(turnTitle(turns.shown), longest) : undefined);

/** How many are looked at beside those that wait: some may have been withdrawn before they ran. */
const BESIDE = 5;

export const turnsQuery = ({ id, turns, queued, running }: Session) =>
  queryOptions({
    queryKey: ["last-turn", id, turns, running ?? null],
    enabled: turns > 0,
    placeholderData: (before) => before,
    queryFn: async (): Promise<Turns> => {
      const after = Math.max(0, turns - queued - BESIDE);
      const newest = (await body(api.GET("/api/sessions/{id}/turns", { params: { path: { id }, query: { after, limit: 1000 } } }))).items;
      const isFar = running != null && !newest.some((turn) => turn.id === running);
      const shown = isFar ? await body(api.GET("/api/turns/{id}", { params: { path: { id: running } } })) : shownTurn(newest, running);
      return { shown, last: newest.at(-1) };
    },
  });

// One that was told for later begins, or is withdrawn, without being a new one.
onEvent(({ kind, session, turn }) => {
  if (!kind.startsWith("turn.") || !session) return;
  const isHeld = (found: unknown) => {
    const last = (found as Turns | undefined)?.last;
    return last?.id === turn && last?.state === "scheduled";
  };
  void queries.invalidateQueries({ queryKey: ["last-turn", session], predicate: ({ state }) => isHeld(state.data) });
});
