// Whether what is shown is known to be as it is, though the connection is there: what was missed is being read anew, or
// something could not be read.
import type { QueryClient } from "@tanstack/react-query";

import { queries } from "./ask";
import { isPassing } from "./call";
import type { Connection } from "./stream";
import { Watched } from "./watch";

/** Since when what is shown may be another by now; undefined if it is as it is. */
export const behindSince = new Watched<number | undefined>(undefined);

let missedSince: number | undefined;
let reads = 0;

/** What was missed while nothing was heard is read by this. */
export async function catchUp(before: Connection, read: Promise<void>): Promise<void> {
  if (before.state === "lost" || before.state === "resting") missedSince ??= before.since;
  const own = ++reads;
  look();
  await read;
  // A later one reads everything once more.
  if (own !== reads) return;
  missedSince = undefined;
  look();
}

/** Of what somebody looks at and could not be read anew, when it last was. */
function unreadSince(of: QueryClient): number | undefined {
  const failed = of.getQueryCache().findAll({ type: "active", predicate: ({ state }) => state.data !== undefined && (isPassing(state.error) || isPassing(state.fetchFailureReason)) });
  return failed.length === 0 ? undefined : Math.min(...failed.map(({ state }) => state.dataUpdatedAt));
}

function look() {
  behindSince.set(missedSince ?? unreadSince(queries));
}

queries.getQueryCache().subscribe((event) => {
  if (event.type === "observerAdded" || event.type === "observerRemoved" || (event.type === "updated" && ["failed", "error", "success"].includes(event.action.type))) look();
});
