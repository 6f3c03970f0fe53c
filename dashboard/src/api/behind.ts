// Whether what is shown is known to be as it is, though the connection is there: what was missed is being read anew,
// something that was heard of is not read yet, or something could not be read.
import type { QueryClient } from "@tanstack/react-query";

import { queries } from "./ask";
import { isPassing, pauseAfter } from "./call";
import type { Connection } from "./stream";
import { Watched } from "./watch";

/** Since when what is shown may be another by now; undefined if it is as it is. */
export const behindSince = new Watched<number | undefined>(undefined);

let missedSince: number | undefined;
let catchUps = 0;

/** What was missed while nothing was heard is read by this. */
export async function catchUp(before: Connection, read: Promise<unknown>): Promise<void> {
  if (before.state === "lost" || before.state === "resting") missedSince ??= before.since;
  const own = ++catchUps;
  look();
  await read;
  // A later one reads everything once more.
  if (own !== catchUps) return;
  missedSince = undefined;
  look();
}

/** Mostly what was heard of is read before anybody could have seen that it was not. */
const PATIENCE = 1000;

/** When what is still not read was heard of. */
const late = new Set<{ since: number }>();

/** Something was heard of that is to be read. Gives the word that it was. */
export function heard(): () => void {
  const unread = { since: Date.now() };
  const timer = setTimeout(() => (late.add(unread), look()), PATIENCE);
  return () => {
    clearTimeout(timer);
    if (late.delete(unread)) look();
  };
}

/** Reads what was missed until that goes well, or nobody wants it any more. */
export async function readMissed(read: () => Promise<unknown>, isOver: AbortSignal): Promise<void> {
  const wasRead = heard();
  isOver.addEventListener("abort", wasRead);
  for (let failures = 0; !isOver.aborted; failures++) {
    const error: unknown = await read().then(() => undefined, (error: unknown) => error);
    if (!isPassing(error)) break;
    await new Promise((later) => setTimeout(later, pauseAfter(failures)));
  }
  wasRead();
}

/** Of what somebody looks at and could not be read anew, when it last was. */
function failed(of: QueryClient): number[] {
  const failed = of.getQueryCache().findAll({ type: "active", predicate: ({ state }) => state.data !== undefined && (isPassing(state.error) || isPassing(state.fetchFailureReason)) });
  return failed.map(({ state }) => state.dataUpdatedAt);
}

function look() {
  const since = [...(missedSince === undefined ? [] : [missedSince]), ...[...late].map(({ since }) => since), ...failed(queries)];
  behindSince.set(since.length === 0 ? undefined : Math.min(...since));
}

/** The queries that somebody looks at and that are out of date. */
const outdated = new Map<string, () => void>();

queries.getQueryCache().subscribe((event) => {
  const { queryHash, state } = event.query;
  const action = event.type === "updated" ? event.action : undefined;
  // What is put there by hand is a part of it, and not what is being read.
  const isSettled = action?.type === "error" || (action?.type === "success" && !action.manual);
  if (isSettled || event.type === "removed" || !event.query.isActive()) {
    outdated.get(queryHash)?.();
    outdated.delete(queryHash);
  } else if ((action?.type === "invalidate" || event.type === "observerAdded") && state.isInvalidated && state.data !== undefined && !outdated.has(queryHash)) outdated.set(queryHash, heard());
  if (isSettled || action?.type === "failed" || event.type === "observerAdded" || event.type === "observerRemoved") look();
});
