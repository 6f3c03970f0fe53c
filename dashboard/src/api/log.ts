// The log, read as pages: what happened lately, of one kind.
import { queries, statusQuery } from "./ask";
import { type Shapes, api, body } from "./call";
import type { Event } from "./stream";

type Page = Shapes["Page_Event"];

/** An event and its neighbours, messages left out. */
export async function around(seq: number, before: number, limit: number): Promise<Event[]> {
  const page = (await body(api.GET("/api/events", { params: { query: { after: Math.max(0, seq - before - 1), limit } } }))) as Page;
  return (page.items as Event[]).filter(({ kind, seq: own }) => kind !== "message" || own === seq);
}

/** The events of a kind among the newest `window` events of all kinds. */
export async function recently(kind: string, window: number): Promise<Event[]> {
  const { newestEvent } = await queries.fetchQuery({ ...statusQuery, staleTime: 0 });
  const events: Event[] = [];
  let after: number | undefined = Math.max(0, newestEvent - window);
  while (after !== undefined) {
    // The route also streams, in frames, but only for whoever asks for that.
    const page = (await body(api.GET("/api/events", { params: { query: { kind, after, limit: 1000 } } }))) as Page;
    events.push(...(page.items as Event[]));
    after = page.next == null ? undefined : Number(page.next);
  }
  return events;
}
