// What could not be read is asked for again, less and less often, for as long as it is missing. A lost connection is another
// matter: when it is back, everything is read anew.
import type { QueryClient } from "@tanstack/react-query";

import { refresh } from "./ask";
import { isPassing, pauseAfter } from "./call";

const LONGEST_PAUSE = 30_000;

/** `isHeard` says whether asking is of any use. Gives the way to stop. */
export function heal(of: QueryClient, isHeard: () => boolean): () => void {
  const failed = () => of.getQueryCache().findAll({ type: "active", predicate: ({ state }) => isPassing(state.error) });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let attempts = 0;
  const plan = () => {
    if (timer === undefined && failed().length > 0) timer = setTimeout(() => void again(), pauseAfter(attempts + 2, LONGEST_PAUSE));
  };
  const again = async () => {
    const isOf = new Set(failed().map(({ queryHash }) => queryHash));
    if (isHeard()) await refresh({ predicate: ({ queryHash }) => isOf.has(queryHash) }, of);
    timer = undefined;
    attempts = failed().length > 0 ? attempts + 1 : 0;
    plan();
  };
  const end = of.getQueryCache().subscribe((event) => event.type === "updated" && event.action.type === "error" && plan());
  return () => {
    end();
    clearTimeout(timer);
  };
}
