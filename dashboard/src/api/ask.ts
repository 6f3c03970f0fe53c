// What can be asked of the daemon, as queries. Nothing here polls: the event stream says when an answer is out of date.
import { QueryClient, type QueryFilters, queryOptions } from "@tanstack/react-query";

import { type Shapes, api, body, everything, isPassing, missing, pauseAfter } from "./call";

export type Session = Shapes["Session"] & {
  /** When its agent was last heard, by the clock of this browser, if it is at work. */
  heardAt?: number;
};

/** The daemon says for how long an agent has been silent; as it is kept for a while here, it is kept as the moment. */
export function received(session: Shapes["Session"]): Session {
  return session.silentMs == null ? session : { ...session, heardAt: Date.now() - session.silentMs };
}
export type Team = Shapes["Team"];
export type Turn = Shapes["Turn"];

export const queries = new QueryClient({
  defaultOptions: {
    // The daemon is commonly on this very machine: that it has no network says nothing, and nothing is kept back for one.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: Infinity,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // Refused is refused. What fails for longer is said, and asked for again when it may be there: see heal.ts.
      retry: (failures, error) => isPassing(error) && failures < 3,
      retryDelay: (failures) => pauseAfter(failures),
    },
  },
});

/**
 * Asks anew for what an event made out of date. A first answer that is still under way may be older than the event, and the
 * library goes on waiting for it instead: so it is asked for once more when it is there.
 */
export async function refresh(which: QueryFilters = {}, of: QueryClient = queries): Promise<void> {
  const first = of.getQueryCache().findAll({ ...which, fetchStatus: "fetching" }).filter(({ state }) => state.data === undefined);
  // Fetching what is being fetched is waiting for it.
  await Promise.allSettled([of.invalidateQueries(which), ...first.map((query) => query.fetch())]);
  await Promise.all(first.map(({ queryKey }) => of.invalidateQueries({ queryKey, exact: true })));
}

export const statusQuery = queryOptions({ queryKey: ["status"], queryFn: () => body(api.GET("/api/status")) });

export const teamsQuery = queryOptions({
  queryKey: ["teams"],
  queryFn: async () => (await body(api.GET("/api/teams"))).items,
});

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: () =>
    everything(async (after) => {
      const { items, next } = await body(api.GET("/api/sessions", { params: { query: { limit: 1000, ...(after && { after }) } } }));
      return { items: items.map(received), next: next ?? null };
    }),
});

export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id],
    queryFn: async () => {
      // A browser complains in its console of what it asks for and does not get: what is not listed is not asked for.
      const isListed = (sessions: Session[] | undefined) => sessions?.some((session) => session.id === id);
      if (!isListed(queries.getQueryData(sessionsQuery.queryKey)) && !isListed(await queries.fetchQuery({ ...sessionsQuery, staleTime: 0 }))) throw missing("session", id, "`iris sessions list` prints what there is, and so does the fleet.");
      return received(await body(api.GET("/api/sessions/{id}", { params: { path: { id } } })));
    },
  });
