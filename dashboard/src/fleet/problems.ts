// What is wrong in the fleet, worst first. Facts only: each names what it is known from.
import type { Session } from "@/api/ask";
import type { Shapes } from "@/api/call";
import type { Event } from "@/api/stream";
import type { TurnEnd } from "@/health/turns";
import { partyName } from "@/session/party-name";
import { duration } from "@/text/time";
import { headline } from "@/text/visible";

export interface Problem {
  key: string;
  text: string;
  /** More of it, with its own lines. */
  detail?: string | undefined;
  /** Where it is seen: a page, or a session and its turn. */
  page?: "/system" | "/settings";
  session?: string | undefined;
  turn?: string | undefined;
  /** It is worth a look and no alarm. */
  isCalm?: boolean;
  /** Those that it stands for, if they are several. */
  each?: Problem[];
}

interface Known {
  status: Shapes["Status"] | undefined;
  sessions: Session[];
  ends: ReadonlyMap<string, TurnEnd>;
  steps: ReadonlyMap<string, Event>;
  /** Those that wait for an answer. */
  asking: ReadonlySet<string>;
  me: string;
  now: number;
}

/** An agent that is at work and says nothing for this long may be stuck. It is stopped after two minutes, if the config does not say otherwise. */
const QUIET = 60_000;
/** A tool may take its time: a build, or tests. It is said when it has taken this long, and not as if the agent were stuck. */
const LONG_CALL = 5 * 60_000;
/** A failure older than this is history. */
const FRESH = 24 * 60 * 60_000;

/** Of what sort something is, worst first. */
const SORTS = ["store", "config", "failed", "ended", "quiet", "pool", "held", "call"] as const;

interface Found extends Problem {
  sort: (typeof SORTS)[number];
  /** What is wrong, whoever it is wrong with, and what is counted if it is so with several. */
  same?: { what: string; of: string };
}

export function problems(known: Known): Problem[] {
  const found = [...ofDaemon(known), ...known.sessions.flatMap((session) => ofSession(session, known))];
  return grouped(found.toSorted((one, other) => SORTS.indexOf(one.sort) - SORTS.indexOf(other.sort)));
}

function ofDaemon({ status }: Known): Found[] {
  const found: Found[] = [];
  if (status?.store.state === "troubled") found.push({ sort: "store", key: "store", text: `Nothing can be written: ${status.store.what}${status.store.hint ? `. ${status.store.hint}` : ""}`, page: "/system" });
  if (status?.config?.refused) found.push({ sort: "config", key: "config", text: "The config file as it is now is not used", detail: status.config.refused, page: "/settings" });
  if (status && status.waitingSessions > 0) found.push({ sort: "pool", key: "pool", text: `${status.waitingSessions === 1 ? "1 session waits" : `${status.waitingSessions} sessions wait`} for a place: ${status.agents} of ${status.maxAgents} agents are alive`, page: "/system" });
  return found;
}

function ofSession(session: Session, { ends, steps, asking, me, now }: Known): Found[] {
  const found: Found[] = [];
  const who = `${session.to} for ${partyName(session.from, me)}`;
  const place = { session: session.id };
  if (session.heldUntil != null && session.heldUntil > now) {
    const why = session.heldWhy ?? "a limit was reached";
    found.push({ sort: "held", key: `held-${session.id}`, text: `${who} is paused for ${duration(session.heldUntil - now)}: ${why}`, same: { what: `Paused: ${why}`, of: "sessions" }, ...place });
  }
  const end = ends.get(session.id);
  if (end && isBad(end) && session.running == null && now - end.at < FRESH) {
    const how = end.ending === "failed" ? "failed" : "ended early";
    const why = end.error ? headline(end.error) : undefined;
    found.push({ sort: end.ending === "failed" ? "failed" : "ended", key: `end-${end.turn}`, text: `${who}: the last turn ${how} ${duration(now - end.at)} ago${why ? `: ${why}` : ""}`, same: { what: capital(why ?? `the last turn ${how}`), of: "turns" }, ...place, turn: end.turn });
  }
  const heard = Math.max(session.stateSince, session.heardAt ?? 0, session.last?.at ?? 0, steps.get(session.id)?.at ?? 0);
  if (session.state !== "processing" || asking.has(session.id)) return found;
  if (isInCall(session, steps.get(session.id))) {
    if (now - heard > LONG_CALL) found.push({ sort: "call", key: `call-${session.id}`, isCalm: true, text: `${who} has waited for a tool for ${duration(now - heard)}`, same: { what: `Waiting for a tool for more than ${duration(LONG_CALL)}`, of: "sessions" }, ...place });
  } else if (now - heard > QUIET) found.push({ sort: "quiet", key: `quiet-${session.id}`, text: `${who} is at work but has been quiet for ${duration(now - heard)}`, same: { what: `At work but quiet for more than ${duration(QUIET)}`, of: "sessions" }, ...place });
  return found;
}

/** The newest of its agent is a call that has not come back. */
function isInCall({ last }: Session, heard: Event | undefined): boolean {
  const said = heard && heard.at >= (last?.at ?? 0) ? (heard.data as { type?: string } | undefined)?.type : last?.kind;
  return said === "tool_use";
}

/** What is wrong with several in the same way is one line, in the place of the first. */
function grouped(found: Found[]): Problem[] {
  const groups = new Map<string, Found[]>();
  for (const problem of found) {
    const key = problem.same ? `${problem.sort} ${problem.same.what}` : problem.key;
    groups.set(key, [...(groups.get(key) ?? []), problem]);
  }
  return [...groups].map(([key, all]) => {
    const [first] = all as [Found];
    return all.length === 1 || !first.same ? plain(first) : { key, text: `${first.same.what}: ${all.length} ${first.same.of}`, ...(first.isCalm && { isCalm: true }), each: all.map(plain) };
  });
}

const plain = ({ sort: _sort, same: _same, ...problem }: Found): Problem => problem;

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** What somebody ended is as they wanted it. */
const isBad = ({ ending, reason }: TurnEnd) => (ending === "failed" || ending === "terminated") && reason !== "stopped";
