// What Iris is made of, and whether each part is well: as far as the daemon says, and as far as this page sees for itself.
import { type ReactNode } from "react";

import type { Shapes } from "@/api/call";
import { connection } from "@/api/live";
import { useWatched } from "@/api/watch";
import { pendingLine } from "@/settings/pending";
import { CONNECTIONS } from "@/shell/connection";
import { useStaleSince } from "@/shell/stale";
import { Plain } from "@/text/plain";
import { Ago, Moment, minute } from "@/text/time";

const DATABASES: Record<string, string> = { sqlite: "SQLite", postgres: "PostgreSQL" };

export function Parts({ status }: { status: Shapes["Status"] }) {
  const live = useWatched(connection);
  const { store, config, containment } = status;
  return (
    <section className="card" aria-label="Parts">
      <h2 className="border-b border-line px-3 py-2 font-medium">Parts</h2>
      <ul className="divide-y divide-line">
        <Part name="Store" tone={store.state === "well" ? "good" : "bad"} state={store.state === "well" ? "well" : "cannot write"}>
          {DATABASES[status.database] ?? status.database}
          {store.state === "troubled" && (
            <>
              : <Plain text={[store.what, store.hint].filter(Boolean).join(". ")} />, for <Ago at={store.since} />
            </>
          )}
          , {status.newestEvent.toLocaleString()} events
        </Part>
        <Part name="Pool of agents" tone={status.waitingSessions > 0 ? "held" : "good"} state={status.waitingSessions > 0 ? "full" : "well"}>
          {status.agents} of {status.maxAgents} alive, {status.waitingSessions === 1 ? "1 session waits" : `${status.waitingSessions} sessions wait`} for a place
        </Part>
        <Part name="Config" tone={config.refused ? "bad" : config.waitingSince || config.pending.length > 0 ? "held" : "good"} state={config.refused ? "not used as it is" : config.waitingSince ? (config.waitingFor === "writer" ? "changed, waits for its writer" : "changed, not used yet") : config.pending.length > 0 ? "waits for the next start" : "in force"}>
          {config.refused ? (
            <>
              <span className="block font-mono whitespace-pre-wrap">
                <Plain text={config.refused} />
              </span>
              {config.refusedAt != null && <Moment at={config.refusedAt} />}
            </>
          ) : (
            config.pending.length > 0 && <Plain text={config.pending.map(pendingLine).join(", ")} />
          )}
        </Part>
        <Part name="Holding of agents" tone={containment.kind === "cgroup" ? "good" : "held"} state={containment.kind === "cgroup" ? "by cgroups" : "by process groups and marks"}>
          <Plain text={containment.kind === "cgroup" ? containment.group : containment.why} />
        </Part>
        <Part name="Event stream, to this page" isOurs tone={live.state === "live" ? "good" : "bad"} state={CONNECTIONS[live.state].toLowerCase()}>
          {live.state === "live" && <>for <Ago at={live.since} /></>}
        </Part>
        <Part name="Daemon" tone="good" state="runs">
          Iris <Plain text={status.version} />, process {status.pid} on <Plain text={status.machine} /> (node <Plain text={status.node} />), home <Plain text={status.home} />
        </Part>
      </ul>
    </section>
  );
}

interface PartGiven {
  name: string;
  state: string;
  tone: "good" | "held" | "bad";
  /** This page sees it for itself, also when the daemon is not heard. */
  isOurs?: boolean;
  children: ReactNode;
}

function Part({ name, state, tone, isOurs = false, children }: PartGiven) {
  const stale = useStaleSince();
  const isKnown = isOurs || stale === undefined;
  const colour = isKnown ? { good: "text-good", held: "text-held", bad: "text-bad" }[tone] : "text-dim";
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 px-3 py-1.5">
      <span className="w-48 shrink-0">{name}</span>
      <span className={`flex items-baseline gap-1.5 font-medium ${colour}`}>
        <span className={`size-2 shrink-0 self-center rounded-full ${isKnown ? "bg-current" : "border border-current"}`} aria-hidden="true" />
        {isKnown ? (
          state
        ) : (
          <span>
            not known since <Moment at={stale} text={minute(stale)} />
          </span>
        )}
      </span>
      <span className="said min-w-0 flex-1 basis-60 text-xs text-dim">
        {!isKnown && `was: ${state}. `}
        {children}
      </span>
    </li>
  );
}
