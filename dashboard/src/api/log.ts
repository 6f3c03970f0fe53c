// The log, read as pages: what happened lately, of one kind.
import { queries, statusQuery } from "./ask";
import { type Shapes, api, body, everything } from "./call";
import type { Event } from "./stream";

type Page = Shapes["Page_Event"];

/** An event and its neighbours, messages left out. */
export async function around(seq: number, before: number, limit: number): Promise<Event[]> {
  // What has not happened yet has no neighbours: the nearest are the newest.
  const { newestEvent } = await queries.fetchQuery({ ...statusQuery, staleTime: 0 });
  const page = (await body(api.GET("/api/events", { params: { query: { after: Math.max(0, Math.min(seq, newestEvent) - before - 1), limit } } }))) as Page;
  return (page.items as Event[]).filter(({ kind, seq: own }) => kind !== "message" || own === seq);
}

export interface Back {
  events: Event[];
  /** Everything from this number on was looked at. */
  from: number;
}

/** How many numbers are looked at first, how much wider each look is than the one before, and how many looks there are. */
const FIRST = 2000;
const WIDER = 4;
const LOOKS = 8;

/** The newest events of these kinds before a number, oldest first: at least `wanted`, if there are as many. What is said has
 * numbers too, mostly many more of them, so it is looked further and further back. */
export async function back(kinds: string[], wanted: number, before?: number): Promise<Back> {
  const end = before ?? (await queries.fetchQuery({ ...statusQuery, staleTime: 0 })).newestEvent + 1;
  let [events, from, width]: [Event[], number, number] = [[], end, FIRST];
  for (let look = 0; look < LOOKS && from > 1 && events.length < wanted; look++, width *= WIDER) {
    const after = Math.max(0, from - 1 - width);
    events = [...(await between(kinds, after, from)), ...events];
    from = after + 1;
  }
  return { events, from };
}

async function between(kinds: string[], after: number, before: number): Promise<Event[]> {
  return everything(async (next) => {
    const page = (await body(api.GET("/api/events", { params: { query: { kind: kinds.join(","), after: next === undefined ? after : Number(next), before, limit: 1000 } } }))) as Page;
    return { items: page.items as Event[], next: page.next ?? null };
  });
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
