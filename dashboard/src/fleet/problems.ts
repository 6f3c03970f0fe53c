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
/** A failure older than this is history. */
const FRESH = 24 * 60 * 60_000;

export function problems({ status, sessions, ends, steps, asking, me, now }: Known): Problem[] {
  const found: Problem[] = [];
  if (status?.store.state === "troubled") found.push({ key: "store", text: `Nothing can be written: ${status.store.what}${status.store.hint ? `. ${status.store.hint}` : ""}`, page: "/system" });
  if (status?.config?.refused) found.push({ key: "config", text: "The config file as it is now is not used", detail: status.config.refused, page: "/settings" });
  if (status && status.waitingSessions > 0) found.push({ key: "pool", text: `${status.waitingSessions === 1 ? "1 session waits" : `${status.waitingSessions} sessions wait`} for a place: ${status.agents} of ${status.maxAgents} agents are alive`, page: "/system" });
  for (const session of sessions) {
    const who = `${session.to} for ${partyName(session.from, me)}`;
    const place = { session: session.id };
    if (session.heldUntil != null && session.heldUntil > now) found.push({ key: `held-${session.id}`, text: `${who} is paused for ${duration(session.heldUntil - now)}: ${session.heldWhy ?? "a limit was reached"}`, ...place });
    const end = ends.get(session.id);
    if (end && isBad(end) && session.running == null && now - end.at < FRESH) found.push({ key: `end-${end.turn}`, text: `${who}: the last turn ${end.ending === "failed" ? "failed" : "ended early"} ${duration(now - end.at)} ago${end.error ? `: ${headline(end.error)}` : ""}`, ...place, turn: end.turn });
    const heard = Math.max(session.stateSince, session.heardAt ?? 0, session.last?.at ?? 0, steps.get(session.id)?.at ?? 0);
    if (session.state === "processing" && !asking.has(session.id) && now - heard > QUIET) found.push({ key: `quiet-${session.id}`, text: `${who} is at work but has been quiet for ${duration(now - heard)}`, ...place });
  }
  return found;
}

/** What somebody ended is as they wanted it. */
const isBad = ({ ending, reason }: TurnEnd) => (ending === "failed" || ending === "terminated") && reason !== "stopped";
