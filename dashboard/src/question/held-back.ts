// A question in plain words is left for a while to the party that told, and nobody else hears of it. No event says when
// that while is over, so as long as there is such a question, the daemon is asked now and then.
import { useEffect } from "react";

import { queries } from "@/api/ask";
import { onEvent } from "@/api/live";
import type { Event } from "@/api/stream";

import { pendingQuery } from "./ask";

const EVERY = 5000;

/** Those that may be held back after this event. */
export function heldBack(known: ReadonlySet<string>, { kind, data }: Pick<Event, "kind" | "data">): ReadonlySet<string> {
  if (!kind.startsWith("question.")) return known;
  const { id, way } = data as { id: string; way?: string };
  if (kind === "question.opened") return way === "detected" ? new Set([...known, id]) : known;
  return known.has(id) ? new Set([...known].filter((other) => other !== id)) : known;
}

export function useHeldBack() {
  useEffect(() => {
    let known: ReadonlySet<string> = new Set();
    const end = onEvent((event) => (known = heldBack(known, event)));
    const timer = setInterval(() => {
      const shown = new Set(queries.getQueryData(pendingQuery.queryKey)?.map(({ id }) => id));
      if ([...known].some((id) => !shown.has(id))) void queries.invalidateQueries({ queryKey: pendingQuery.queryKey });
    }, EVERY);
    return () => {
      end();
      clearInterval(timer);
    };
  }, []);
}
