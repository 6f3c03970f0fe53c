// The newest events as they come: what the daemon did, in its own words.
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { onEvent } from "@/api/live";
import { recently } from "@/api/log";
import type { Event } from "@/api/stream";
import { complain } from "@/shell/notices";
import { Plain } from "@/text/plain";
import { describe } from "@/text/event-words";
import { Moment } from "@/text/time";
import { headline } from "@/text/visible";

const NOUNS = ["session", "turn", "question", "job", "rule", "token", "trust", "config", "daemon"];
const SHOWN = 200;

export function Log() {
  const [events, setEvents] = useState<Event[]>([]);
  const [noun, setNoun] = useState("");
  useEffect(() => {
    let isOver = false;
    const add = (more: Event[]) => !isOver && setEvents((all) => [...new Map([...all, ...more].map((event) => [event.seq, event])).values()].sort((one, other) => other.seq - one.seq).slice(0, SHOWN));
    Promise.all(NOUNS.map((kind) => recently(kind, 2000))).then((found) => add(found.flat()), complain);
    const end = onEvent((event) => event.kind !== "message" && add([event]));
    return () => {
      isOver = true;
      end();
    };
  }, []);
  const shown = events.filter(({ kind }) => kind.startsWith(noun));
  return (
    <section aria-label="Log" className="card">
      <header className="flex items-center justify-between gap-2 px-3 py-2">
        <h2 className="font-medium">Log</h2>
        <select className="field w-auto" aria-label="Which events" value={noun} onChange={(event) => setNoun(event.target.value)}>
          <option value="">Everything</option>
          {NOUNS.map((name) => (
            <option key={name} value={`${name}.`}>
              {name}
            </option>
          ))}
        </select>
      </header>
      <ul className="max-h-96 overflow-auto border-t border-line font-mono text-xs" tabIndex={0} aria-label="Events, newest first">
        {shown.map((event) => (
          <li key={event.seq} className="flex min-h-6 items-center gap-3 px-3 hover:bg-raised">
            <span className="w-14 shrink-0 text-right text-dim tabular-nums">{event.seq}</span>
            <span className="w-24 shrink-0 text-dim">
              <Moment at={event.at} />
            </span>
            <span className="w-40 shrink-0 truncate">{event.kind}</span>
            <span className="hidden w-28 shrink-0 truncate sm:block">
              {event.session ? (
                <Link className="link block min-h-6 truncate leading-6" title={event.team ?? undefined} to="/session/$id" params={{ id: event.session }}>
                  <Plain text={event.team ?? "session"} />
                </Link>
              ) : null}
            </span>
            <span className="said hidden min-w-0 flex-1 truncate text-dim md:block" title={describe(event).slice(0, 1000)}>
              <Plain text={headline(describe(event))} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
