// What follows from an event: which answers are out of date, and what is shown without asking again.
import { kept } from "@/shell/keep";

import { Refusal, abandonReads, api, body, isPassing, pauseAfter } from "./call";
import { type Session, queries, received, refresh, sessionQuery, sessionsQuery, statusQuery, teamsQuery } from "./ask";
import { catchUp, heard } from "./behind";
import { configQuery } from "./config";
import { heal } from "./heal";
import { type Connection, type Delta, type Event, EventStream } from "./stream";
import { Watched, throttle } from "./watch";

/** Whether this browser is to show notifications. */
export const wantsNotifications = kept("notify", false);

export const connection = new Watched<Connection>({ state: "connecting" });

type Hear<T> = (what: T) => void;
const events = new Set<Hear<Event>>();
const deltas = new Set<Hear<Delta>>();
const gaps = new Set<(upTo: number) => Promise<void>>();

/** Hears every event but the messages of sessions that nobody looks at. */
export const onEvent = (hear: Hear<Event>) => subscribe(events, hear);
export const onDelta = (hear: Hear<Delta>) => subscribe(deltas, hear);
/** Some events were missed, or come late, up to this number: read anew. Until that is done, what is shown is not fresh. */
export const onGap = (hear: (upTo: number) => Promise<void>) => subscribe(gaps, hear);

function subscribe<T>(set: Set<T>, hear: T) {
  set.add(hear);
  return () => {
    set.delete(hear);
  };
}

const looked = new Map<string, number>();

/** As long as somebody looks at a session, its messages are heard. */
export function lookAt(session: string) {
  looked.set(session, (looked.get(session) ?? 0) + 1);
  return () => {
    const left = (looked.get(session) ?? 1) - 1;
    if (left > 0) looked.set(session, left);
    else looked.delete(session);
  };
}

/** The newest message of each session, unparsed: with many agents at work most are never looked at. */
const newest = new Map<string, string>();
export const steps = new Watched<ReadonlyMap<string, Event>>(new Map());

const showSteps = throttle(() => {
  const shown = new Map(steps.get());
  for (const [session, frame] of newest) shown.set(session, JSON.parse(frame) as Event);
  newest.clear();
  steps.set(shown);
}, 250);

const MESSAGE = /^\{"seq":\d+,"at":\d+,"kind":"message",(?:"team":"[^"]*",)?"session":"([^"]+)"/;

function hear(_: number, frame: string) {
  const session = MESSAGE.exec(frame.slice(0, 300))?.[1];
  if (session !== undefined) {
    newest.set(session, frame);
    showSteps();
    if (!looked.has(session)) return;
  }
  const event = JSON.parse(frame) as Event;
  for (const listener of events) listener(event);
}

const refreshers = new Map<string, () => void>();

/** One session changed: it alone is asked for, and put in its place in the list. */
function refreshSession(id: string) {
  let refresh = refreshers.get(id);
  if (!refresh) {
    refresh = throttle(() => void fetchSession(id), 150);
    refreshers.set(id, refresh);
  }
  refresh();
}

/** Those that could not be asked for: a session that has changed must not look as it was. */
const retries = new Map<string, () => void>();

async function fetchSession(id: string, failures = 0, read = heard()) {
  retries.get(id)?.();
  retries.delete(id);
  try {
    const session = received(await body(api.GET("/api/sessions/{id}", { params: { path: { id } } })));
    queries.setQueryData(sessionQuery(id).queryKey, session);
    const all = queries.getQueryData(sessionsQuery.queryKey);
    if (all) queries.setQueryData(sessionsQuery.queryKey, put(all, session));
    else void refresh({ queryKey: sessionsQuery.queryKey });
    read();
  } catch (error) {
    // With the connection lost, everything is asked for when it is back.
    if (isPassing(error) && connection.get().state === "live") return retryLater(id, failures, read);
    read();
    if (error instanceof Refusal && error.status === 404) forgetSession(id);
  }
}

function retryLater(id: string, failures: number, read: () => void) {
  const timer = setTimeout(() => {
    retries.delete(id);
    void fetchSession(id, failures + 1, read);
  }, pauseAfter(failures));
  retries.get(id)?.();
  retries.set(id, () => {
    clearTimeout(timer);
    read();
  });
}

function put(all: Session[], session: Session): Session[] {
  const at = all.findIndex((known) => known.id === session.id);
  return at < 0 ? [...all, session] : all.with(at, session);
}

function forgetSession(id: string) {
  refreshers.delete(id);
  queries.setQueryData(sessionsQuery.queryKey, (all) => all?.filter((session) => session.id !== id));
  void refresh({ queryKey: sessionQuery(id).queryKey });
}

heal(queries, () => connection.get().state === "live");

const refreshTeams = throttle(() => void refresh({ queryKey: teamsQuery.queryKey }), 1000);
const refreshStatus = throttle(() => void refresh({ queryKey: statusQuery.queryKey }), 1000);
const refreshQuestions = throttle(() => void refresh({ queryKey: ["questions"] }), 50);
const refreshJobs = throttle(() => void refresh({ queryKey: ["jobs"] }), 250);

onEvent((event) => {
  const noun = event.kind.split(".", 1)[0];
  if (noun === "question" || noun === "rule") refreshQuestions();
  if (noun === "job" || noun === "question") refreshJobs();
  if (noun === "session" || noun === "turn" || noun === "question") {
    if (event.kind === "session.deleted" && event.session) forgetSession(event.session);
    else if (event.session) refreshSession(event.session);
    refreshTeams();
    refreshStatus();
  }
  if (noun === "config") {
    void refresh({ queryKey: configQuery.queryKey });
    refreshTeams();
    refreshStatus();
  }
  if (noun === "token") void refresh({ queryKey: ["tokens"] });
  if (noun === "daemon") void refresh();
});

export const stream = new EventStream({
  event: hear,
  delta: (delta) => deltas.forEach((listener) => listener(delta)),
  connection: (now) => {
    // What was asked for by the way that is dead would be waited for, and keeps a connection from what is asked for next.
    if (now.state === "lost") abandonReads();
    connection.set(now);
  },
  missed: (upTo) => {
    void catchUp(connection.get(), Promise.all([refresh(), ...[...gaps].map((listener) => listener(upTo))]));
  },
});

/** Somebody does not want to wait: what is under way is given up, and everything is asked for once more. */
export function tryNow() {
  abandonReads();
  if (connection.get().state === "live") void catchUp(connection.get(), refresh());
  else stream.retryNow();
}
