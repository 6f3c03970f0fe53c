// The newest events as they come: what the daemon did, in its own words. Or one event that a link leads to, with what
// happened around it.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";

import { readMissed } from "@/api/behind";
import { onEvent, onGap } from "@/api/live";
import { type Back, around, back } from "@/api/log";
import type { Event } from "@/api/stream";
import { Failure } from "@/shell/page";
import { Unread } from "@/shell/unread";
import { Plain } from "@/text/plain";
import { describe } from "@/text/event-words";
import { Moment } from "@/text/time";
import { headline, visible } from "@/text/visible";

const NOUNS = ["session", "turn", "question", "job", "rule", "token", "trust", "link", "config", "daemon"];
/** So many more each time. */
const PAGE = 200;

export function Log({ event }: { /** The number of the one that is looked for. */ event: number | undefined }) {
  return event === undefined ? <Newest /> : <Around key={event} seq={event} />;
}

function Newest() {
  const [noun, setNoun] = useState("");
  const tools = (
    <select className="field w-auto" aria-label="Which events" value={noun} onChange={(event) => setNoun(event.target.value)}>
      <option value="">Everything</option>
      {NOUNS.map((name) => (
        <option key={name}>
          {name}
        </option>
      ))}
    </select>
  );
  return <Kinds key={noun} kinds={noun ? [noun] : NOUNS} tools={tools} />;
}

/** The newest of some kinds as they come, and as many of the older ones as are asked for. */
function Kinds({ kinds, tools }: { kinds: string[]; tools: ReactNode }) {
  const [{ events, from }, setRead] = useState<Back>({ events: [], from: Infinity });
  const [most, setMost] = useState(PAGE);
  const [isReading, setReading] = useState(true);
  const [error, setError] = useState<Error>();
  const isHere = useRef(true);
  const add = (more: Back) => {
    if (!isHere.current) return;
    if (more.from < Infinity) setError(undefined);
    setRead((read) => ({ events: joined(read.events, more.events), from: Math.min(read.from, more.from) }));
  };
  const read = (before?: number) => {
    setReading(true);
    void back(kinds, PAGE, before).then(add, setError).finally(() => setReading(false));
  };
  useEffect(() => {
    isHere.current = true;
    read();
    const end = onEvent((event) => kinds.some((noun) => event.kind.startsWith(`${noun}.`)) && add({ events: [event], from: Infinity }));
    const gone = new AbortController();
    const endGaps = onGap(() => readMissed(() => back(kinds, PAGE).then(add), gone.signal));
    return () => {
      isHere.current = false;
      end();
      endGaps();
      gone.abort();
    };
    // The kinds are of the key.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const hasMore = events.length > most || (from > 1 && from < Infinity);
  const older = () => {
    setMost(most + PAGE);
    if (events.length < most + PAGE && from > 1) read(from);
  };
  return (
    <Lines title="Log" tools={tools} events={events.slice(0, most)}>
      {from < Infinity && error && <Failure error={error} />}
      {from === Infinity ? <Unread what="What has happened" error={error} isLine /> : <Older isReading={isReading} hasMore={hasMore} isEmpty={events.length === 0} onOlder={older} />}
    </Lines>
  );
}

function Older({ isReading, hasMore, isEmpty, onOlder }: { isReading: boolean; hasMore: boolean; isEmpty: boolean; onOlder: () => void }) {
  if (!isReading && !hasMore) return isEmpty ? <p className="border-t border-line px-3 py-2 text-dim">Nothing of that kind has happened.</p> : null;
  return (
    <p className="border-t border-line px-3 py-2">
      <button type="button" className="button" disabled={isReading} aria-busy={isReading} onClick={onOlder}>
        {isReading ? "Reading…" : "Older"}
      </button>
    </p>
  );
}

/** Each once, the newest first. */
function joined(some: Event[], more: Event[]): Event[] {
  return [...new Map([...some, ...more].map((event) => [event.seq, event])).values()].sort((one, other) => other.seq - one.seq);
}

/** How many numbers before it, and how many in all: messages have numbers too, and are left out. */
const BEFORE = 60;
const IN_ALL = 120;

function Around({ seq }: { seq: number }) {
  const { data, error } = useQuery({ queryKey: ["events-around", seq], queryFn: () => around(seq, BEFORE, IN_ALL) });
  const card = useRef<HTMLElement>(null);
  const isThere = data?.some((event) => event.seq === seq) ?? false;
  useEffect(() => {
    if (!data) return;
    card.current?.scrollIntoView({ block: "nearest" });
    card.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "center" });
  }, [data]);
  const tools = (
    <Link to="/system" search={{}} className="link text-xs">
      The newest
    </Link>
  );
  if (!data) return <Unread what="What has happened" error={error} />;
  return (
    <Lines
      box={card}
      title={`Log around event ${seq}`}
      tools={tools}
      events={data.toReversed()}
      current={seq}
      above={!isThere && <p className="border-t border-line px-3 py-2 text-dim">There is no event {seq}{data.every((event) => event.seq < seq) && " yet"}. {data.length > 0 && "These are the nearest."}</p>}
    />
  );
}

interface LinesGiven {
  title: string;
  tools: ReactNode;
  events: Event[];
  current?: number;
  box?: React.RefObject<HTMLElement | null>;
  above?: ReactNode;
  /** What is below them. */
  children?: ReactNode;
}

function Lines({ title, tools, events, current, box, above, children }: LinesGiven) {
  return (
    <section ref={box} aria-label="Log" className="card">
      <header className="flex items-center justify-between gap-2 px-3 py-2">
        <h2 className="font-medium">{title}</h2>
        {tools}
      </header>
      {above}
      <ul className="max-h-96 overflow-auto border-t border-line font-mono text-xs" tabIndex={0} aria-label="Events, newest first">
        {events.map((event) => (
          <Line key={event.seq} event={event} isCurrent={event.seq === current} />
        ))}
      </ul>
      {children}
    </section>
  );
}

/** In one line; where that is too narrow, in two: when and what, then who and in which words. */
function Line({ event, isCurrent }: { event: Event; isCurrent: boolean }) {
  return (
    <li aria-current={isCurrent ? "true" : undefined} className={`flex min-h-6 flex-wrap items-center gap-x-3 px-3 py-1 hover:bg-raised md:flex-nowrap md:py-0 ${isCurrent ? "border-l-4 border-l-ink bg-raised font-semibold" : ""}`}>
      <span className="shrink-0 text-right text-dim tabular-nums md:w-14">{event.seq}</span>
      <span className="shrink-0 text-dim md:w-24">
        <Moment at={event.at} />
      </span>
      <span className="min-w-0 flex-1 truncate text-right md:w-40 md:flex-none md:text-left">{event.kind}</span>
      <span className="h-0 basis-full md:hidden" aria-hidden="true" />
      <span className="max-w-[40%] shrink-0 truncate empty:hidden md:w-28 md:max-w-none md:empty:block">
        {event.session ? (
          <Link className="link block min-h-6 truncate leading-6" title={visible(event.team ?? "")} to="/session/$id" params={{ id: event.session }} search={event.turn ? { turn: event.turn } : {}}>
            <Plain text={event.team ?? "session"} />
          </Link>
        ) : null}
      </span>
      <span className="said min-w-0 flex-1 text-dim md:truncate" title={visible(describe(event).slice(0, 1000))}>
        <Plain text={headline(describe(event))} />
      </span>
    </li>
  );
}
