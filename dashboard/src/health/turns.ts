// How turns ended and what they cost: counted by the daemon, so that it is the same however much was said since, and kept
// up by the events that come after what it counted.
import { queryOptions } from "@tanstack/react-query";

import { queries, refresh } from "@/api/ask";
import { type Shapes, api, body } from "@/api/call";
import { onEvent } from "@/api/live";
import type { Event } from "@/api/stream";
import { throttle } from "@/api/watch";
import { whyEnded } from "@/text/event-words";

export type TurnFigures = Shapes["TurnFigures"];
export type SessionFigures = Shapes["SessionFigures"];
export type TurnEnd = Shapes["TurnEnd"];

/** What was heard lately: an answer may be older than what came while it was on its way. */
let heard: Event[] = [];
const HEARD = 500;

export const midnight = (now: number) => new Date(now).setHours(0, 0, 0, 0);

/** Since a midnight: another day is another question. */
export const dayQuery = (since: number) =>
  queryOptions({
    queryKey: ["turn-figures", since],
    queryFn: async () => {
      const figures = await body(api.GET("/api/turns/figures", { params: { query: { since } } }));
      return heard.reduce(withEvent, figures);
    },
  });

const WEEK = 7 * 24 * 60 * 60_000;

export const weekQuery = queryOptions({
  queryKey: ["turn-figures-over-time"],
  queryFn: () => body(api.GET("/api/turns/figures", { params: { query: { since: Date.now() - WEEK, slots: 48 } } })),
});

/** Medians cannot be kept up, so they are asked for: not for each of many turns. */
const refreshWeek = throttle(() => void refresh({ queryKey: weekQuery.queryKey }), 5000);

onEvent((event) => {
  if (event.kind !== "turn.finished" && event.kind !== "session.ready") return;
  heard = [...heard, event].slice(-HEARD);
  queries.setQueriesData({ queryKey: ["turn-figures"] }, (known: TurnFigures | undefined) => known && withEvent(known, event));
  if (event.kind === "turn.finished") refreshWeek();
});

/** The figures with what an event changes, if it is not counted in yet. */
export function withEvent(figures: TurnFigures, event: Event): TurnFigures {
  const { seq, session: id, team, kind } = event;
  if (seq <= figures.event || !id) return figures;
  const nothing: SessionFigures = { session: id, team: team ?? "", ended: 0, bad: 0, costUsd: 0 };
  const before = figures.sessions.find(({ session }) => session === id) ?? nothing;
  const put = (after: SessionFigures) => [...figures.sessions.filter((other) => other !== before), after];
  // A new process begins with a whole budget.
  if (kind === "session.ready") return { ...figures, event: seq, sessions: put({ ...before, spentUsd: 0 }) };
  const { ending = "ended", costUsd = 0, cause } = event.data as { ending?: string; costUsd?: number; cause?: { reason?: string } };
  const bad = ending === "failed" || ending === "terminated" ? 1 : 0;
  const last: TurnEnd = { turn: event.turn ?? "", at: event.at, ending, error: whyEnded(event.data as Record<string, unknown>), reason: cause?.reason };
  const after: SessionFigures = { ...before, ended: before.ended + 1, bad: before.bad + bad, costUsd: before.costUsd + costUsd, last, ...(before.spentUsd != null && { spentUsd: before.spentUsd + costUsd }) };
  return { ...figures, event: seq, ended: figures.ended + 1, bad: figures.bad + bad, costUsd: figures.costUsd + costUsd, sessions: put(after) };
}

/** By the session. */
export const bySession = (figures: TurnFigures | undefined): ReadonlyMap<string, SessionFigures> => new Map((figures?.sessions ?? []).map((one) => [one.session, one]));
