// The log, read as pages: what happened lately, of one kind.
import { queries, statusQuery } from "./ask";
import { type Shapes, api, body } from "./call";
import type { Event } from "./stream";

type Page = Shapes["Page_Event"];

/** The events of a kind among the newest `window` events of all kinds. */
export async function recently(kind: string, window: number): Promise<Event[]> {
  const { newestEvent } = await queries.fetchQuery({ ...statusQuery, staleTime: 0 });
  const events: Event[] = [];
  let after: number | undefined = Math.max(0, newestEvent - window);
  while (after !== undefined) {
    const page: Page | string = await body(api.GET("/api/events", { params: { query: { kind, after, limit: 1000 } } }));
    // The route also streams, and a stream would be a text.
    if (typeof page === "string") break;
    events.push(...(page.items as Event[]));
    after = page.next == null ? undefined : Number(page.next);
  }
  return events;
}
