// The inbox: who needs you, first.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, Navigate, getRouteApi } from "@tanstack/react-router";
import { Fragment, useEffect, useState } from "react";

import { teamsQuery } from "@/api/ask";
import { connection } from "@/api/live";
import { useWatched } from "@/api/watch";
import { Empty, NoTeams, Page, Tabs } from "@/shell/page";
import { useStaleSince } from "@/shell/stale";
import { Unread } from "@/shell/unread";
import { Plain } from "@/text/plain";
import { useNow } from "@/text/time";
import { headline, visible } from "@/text/visible";
import { words } from "@/text/words";

import { decidedQuery, useOpenQuestions } from "./ask";
import { Cards } from "./cards";
import { Decided } from "./decided";
import { latest } from "./edit";
import { Linked } from "./linked";
import { type Question, isBlocking, kindWord } from "./question";
import { isSnoozed, snoozed } from "./snooze";

const route = getRouteApi("/frame/inbox");

export interface InboxSearch {
  view?: "others" | "decided" | "later" | undefined;
  question?: string | undefined;
  team?: string | undefined;
  kind?: string | undefined;
  /** Only what stops work, or only what does not. */
  work?: "stops" | "goes-on" | undefined;
}

export const WORK = ["stops", "goes-on"] as const;

export function Inbox() {
  const { view, team, kind, work, question: linked } = route.useSearch();
  const { mine, others, error, isPending } = useOpenQuestions();
  const aside = useWatched(snoozed);
  const now = useNow();
  const fits = (question: Question) => (!team || question.team === team) && (!kind || question.kind === kind) && (!work || isBlocking(question) === (work === "stops"));
  const isFiltered = Boolean(team || kind || work);
  const needs = mine.filter((question) => !isSnoozed(question, aside, now));
  const later = mine.filter((question) => isSnoozed(question, aside, now));
  const lists: Record<string, Question[]> = { others, later, needs };
  const shown = (lists[view ?? "needs"] ?? []).filter(fits);
  const has = (list: Question[]) => list.some(({ id }) => id === latest(linked));
  // A link names a question, not where it is just now. Once it was followed, whoever puts the question aside stays here.
  const [followed, setFollowed] = useState<string>();
  useEffect(() => {
    if (!isPending) setFollowed(linked);
  }, [isPending, linked]);
  const place = view === undefined && linked && linked !== followed && !has(needs) ? (has(others) ? "others" : has(later) ? "later" : undefined) : undefined;
  if (place) return <Navigate to="/inbox" search={{ view: place, question: linked }} replace />;
  const isAway = !isPending && linked !== undefined && ![...mine, ...others].some(({ id }) => id === latest(linked));
  return (
    <Page
      title="Inbox"
      tabs={
        <Tabs
          label="Which questions"
          tabs={[
            { to: "/inbox", search: { view: undefined }, label: "Needs you", count: needs.length, accent: true, isActive: view === undefined },
            { to: "/inbox", search: { view: "others" }, label: "Waiting on others", short: "Others", count: others.length, isActive: view === "others" },
            ...(later.length > 0 || view === "later" ? [{ to: "/inbox", search: { view: "later" }, label: "Later", count: later.length, isActive: view === "later" }] : []),
            { to: "/inbox", search: { view: "decided" }, label: "Decided", isActive: view === "decided" },
          ]}
        />
      }
      tools={view === "decided" ? <DecidedFilters /> : <Filters questions={[...mine, ...others]} />}
      error={error}
    >
      {isAway && linked && view !== "decided" && <Linked id={linked} />}
      {view === "decided" ? <Decided linked={linked} fits={fits} isFiltered={isFiltered} clear={<ClearFilter />} /> : isPending ? <Unread what="What is asked" /> : shown.length === 0 ? <Nothing view={view} isRead={error === null} isFiltered={isFiltered} /> : <><Who questions={shown} /><Cards key={linked} questions={shown} linked={linked} /></>}
    </Page>
  );
}

/** So many cards are seen at a glance; of more than these, who asks is said above them. */
const AT_A_GLANCE = 2;
const MOST_TEAMS = 12;

/** Who asks, the most urgent first, in a line. */
function Who({ questions }: { questions: Question[] }) {
  const counts = new Map<string, number>();
  for (const { team } of questions) counts.set(team, (counts.get(team) ?? 0) + 1);
  if (questions.length <= AT_A_GLANCE || counts.size < 2) return null;
  const teams = [...counts].slice(0, MOST_TEAMS);
  return (
    <p className="said text-dim" data-who>
      {teams.map(([team, count], index) => (
        <Fragment key={team}>
          {index > 0 && " · "}
          <Link to="/inbox" search={(now) => ({ ...now, team, question: undefined })} className="rounded-xs text-ink underline decoration-line underline-offset-2 hover:decoration-current">
            <Plain text={headline(team, 40)} />
          </Link>
          {count > 1 && ` ${count}`}
        </Fragment>
      ))}
      {counts.size > teams.length && ` and ${counts.size - teams.length} more`}
    </p>
  );
}

function Filters({ questions }: { questions: Question[] }) {
  const { team, kind, work } = route.useSearch();
  const navigate = route.useNavigate();
  // What is chosen is among them though nothing of it is open: else it would hide things and look as if it did not.
  const teams = [...new Set([...questions.map((question) => question.team), ...(team ? [team] : [])])].sort();
  const kinds = new Map([...(kind ? [[kind, words(kind)] as const] : []), ...questions.map((question) => [question.kind, kindWord(question)] as const)]);
  const isMixed = questions.some(isBlocking) && !questions.every(isBlocking);
  if (teams.length < 2 && kinds.size < 2 && !isMixed && !team && !kind && !work) return null;
  return (
    <div className="flex w-full flex-wrap gap-2 md:w-auto md:flex-nowrap md:max-w-[70%]">
      <select className="field field-sizing-content w-auto min-w-0 flex-auto md:max-w-60" aria-label="Team" value={team ?? ""} onChange={(event) => void navigate({ search: (now) => ({ ...now, team: event.target.value || undefined }) })}>
        <option value="">All teams</option>
        {teams.map((name) => (
          <option key={name} value={name}>
            {visible(headline(name, 60))}
          </option>
        ))}
      </select>
      <select className="field field-sizing-content w-auto min-w-0 flex-auto md:max-w-60" aria-label="Kind" value={kind ?? ""} onChange={(event) => void navigate({ search: (now) => ({ ...now, kind: event.target.value || undefined }) })}>
        <option value="">All kinds</option>
        {[...kinds].map(([value, word]) => (
          <option key={value} value={value}>
            {visible(headline(word, 60))}
          </option>
        ))}
      </select>
      {(isMixed || work) && (
        <select className="field field-sizing-content w-auto min-w-0 flex-auto md:shrink-0" aria-label="Urgency" value={work ?? ""} onChange={(event) => void navigate({ search: (now) => ({ ...now, work: WORK.find((one) => one === event.target.value) }) })}>
          <option value="">Urgent or not</option>
          <option value="stops">Stops work</option>
          <option value="goes-on">Work goes on</option>
        </select>
      )}
    </div>
  );
}

/** The same for what is decided, as far as it was read. */
function DecidedFilters() {
  const pages = useInfiniteQuery(decidedQuery).data?.pages ?? [];
  return <Filters questions={pages.flatMap(({ items }) => items)} />;
}

function ClearFilter() {
  const navigate = route.useNavigate();
  return (
    <button type="button" className="button mt-2" onClick={() => void navigate({ search: (now) => ({ ...now, team: undefined, kind: undefined, work: undefined }) })}>
      Clear the filter
    </button>
  );
}

function Nothing({ view, isRead, isFiltered }: { view: InboxSearch["view"]; isRead: boolean; isFiltered: boolean }) {
  const isHeard = useWatched(connection).state === "live";
  const isStale = useStaleSince() !== undefined;
  const teams = useQuery(teamsQuery).data;
  if (!isHeard || isStale || !isRead) return <Empty title="Nothing known" text={isHeard ? "Not everything could be read yet, so this may be out of date." : "The connection is lost, so this may be out of date."} />;
  if (isFiltered) return <Empty title="Nothing fits the filter"><ClearFilter /></Empty>;
  if (view === "later") return <Empty title="Nothing is put aside" />;
  if (view === "others") return <Empty title="Nobody else is asked anything" text="Questions that are put to another party than you show up here, so that you can see what holds work up." />;
  if (teams?.length === 0) return <NoTeams />;
  return (
    <Empty title="Nobody needs you" text="When an agent asks for leave or for a decision, it shows up here at once. Agents never wait in silence.">
      <p className="mt-2 text-dim">
        Try it: <code className="font-mono">iris tell {teams?.[0]?.name ?? "website"} "Ask me which file to start with"</code>
      </p>
    </Empty>
  );
}
