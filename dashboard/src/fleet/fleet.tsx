// The fleet: every project, every session, what each is up to.
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import { type Session, type Team, sessionsQuery, statusQuery, teamsQuery } from "@/api/ask";
import { configQuery } from "@/api/config";
import { steps } from "@/api/live";
import { meQuery } from "@/api/me";
import { useWatched } from "@/api/watch";
import { type SessionFigures, bySession, dayQuery, midnight } from "@/health/turns";
import { ranOutQuery, useOpenQuestions } from "@/question/ask";
import { type Question, isBlocking } from "@/question/question";
import { SessionActions } from "@/session/actions";
import { useAct } from "@/session/act";
import { Composer } from "@/session/composer";
import { useDue } from "@/session/due";
import { ORDER, mood } from "@/session/mood";
import { MoodChip } from "@/session/mood-chip";
import { PartyName } from "@/session/party";
import { Avatar } from "@/shell/avatar";
import { useKeys } from "@/shell/keys";
import { NoTeams, Page } from "@/shell/page";
import { Unread } from "@/shell/unread";
import { Plain } from "@/text/plain";
import { Ago, money, useNow } from "@/text/time";

import { budgets } from "./budget";
import { BudgetBar } from "./budget-bar";
import { Problems } from "./problem-strip";
import { StopAll } from "./stop-all";
import { about, turnsQuery } from "./last-turn";
import { lastEvent, newestStep } from "./step";

const route = getRouteApi("/frame/fleet");

export function Fleet() {
  const { team: wanted } = route.useSearch();
  const teams = useQuery(teamsQuery);
  const sessions = useQuery(sessionsQuery);
  const status = useQuery(statusQuery).data;
  const { mine, others } = useOpenQuestions();
  const me = useQuery(meQuery).data?.party ?? "user";
  const since = midnight(useNow());
  const today = useQuery(dayQuery(since)).data;
  const figures = bySession(today);
  const limits = budgets(useQuery(configQuery).data?.config);
  const open = [...mine, ...others];
  useKeys({ j: () => stepRow(1), k: () => stepRow(-1) });
  const moodOf = (session: Session) => mood(session, open, me);
  const sorted = (sessions.data ?? []).toSorted((one, other) => ORDER[moodOf(one).tone] - ORDER[moodOf(other).tone] || other.usedAt - one.usedAt);
  return (
    <Page title="Fleet" isWide error={teams.error ?? sessions.error} tools={<StopAll agents={status?.agents ?? 0} />}>
      {status && (
        <p className="text-xs text-dim">
          {status.agents} of {status.maxAgents} agents alive on <Plain text={status.machine} />, {today ? money(today.costUsd) : "…"} today
          <RanOut since={since} />
        </p>
      )}
      <Problems sessions={sorted} figures={figures} asking={new Set(open.filter(isBlocking).map(({ session }) => session))} me={me} />
      {!(teams.data && sessions.data) && <Unread what="What the teams do" error={teams.error ?? sessions.error} isSaid />}
      {teams.data?.length === 0 && <NoTeams />}
      {wanted !== undefined && teams.data && !teams.data.some(({ name }) => name === wanted) && (
        <p role="note" className="card said px-3 py-2">
          There is no team <Plain text={wanted} />.
        </p>
      )}
      {teams.data?.map((team) => (
        <TeamCard key={team.name} team={team} me={me} isWanted={team.name === wanted} isRead={sessions.data !== undefined}>
          {sorted.filter(({ to }) => to === team.name).map((session) => (
            <SessionRow key={session.id} session={session} open={open} me={me} figures={figures.get(session.id)} budget={limits.get(session.to)} />
          ))}
        </TeamCard>
      ))}
    </Page>
  );
}

/** What nobody answered in time: its work went on, or ended, without. */
function RanOut({ since }: { since: number }) {
  const count = useQuery(ranOutQuery(since)).data ?? 0;
  if (count === 0) return null;
  return (
    <>
      ,{" "}
      <Link to="/inbox" search={{ view: "decided" }} className="link">
        {count === 1 ? "1 question" : `${count} questions`} ran out today
      </Link>
    </>
  );
}

/** To the next row, which `Enter` then opens as any link. */
function stepRow(by: number) {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? rows.at(by > 0 ? 0 : -1) : rows[at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** How many sessions of a team are shown at first: those that need somebody come first. */
const FIRST = 8;

function TeamCard({ team, me, isWanted, isRead, children }: { team: Team; me: string; /** A link leads to it. */ isWanted: boolean; /** Its sessions are known. */ isRead: boolean; children: React.ReactNode[] }) {
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isWanted) card.current?.focus({ preventScroll: true });
    if (isWanted) card.current?.scrollIntoView({ block: "start" });
  }, [isWanted]);
  const [isTelling, setTelling] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const act = useAct();
  const navigate = useNavigate();
  return (
    <section ref={card} tabIndex={-1} className={`card @container outline-none ${isWanted ? "border-ink" : ""}`} aria-label={`Team ${team.name}`}>
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-2">
        <Avatar name={team.name} />
        <h2 className="said font-semibold">
          <Plain text={team.name} />
        </h2>
        {/* In a narrow card it has a line of its own, and breaks rather than being cut. */}
        <span className="said order-last min-w-0 basis-full text-xs text-dim @xl:order-none @xl:flex-1 @xl:basis-0 @xl:truncate">
          <Plain text={[team.description, team.path].filter(Boolean).join(" · ")} />
        </span>
        <span className="ml-auto text-xs text-dim">{team.agent}</span>
        <button type="button" className="button" aria-expanded={isTelling} onClick={() => setTelling(!isTelling)}>
          Tell
        </button>
        {team.sessions === 0 && (
          <button type="button" className="button" onClick={() => act.mutate({ verb: "wake", party: { to: team.name, from: me } })}>
            Wake
          </button>
        )}
      </header>
      {isTelling && (
        <div className="border-t border-line p-2">
          <Composer party={{ to: team.name, from: me }} isBusy={false} isFirst onSent={(id) => void navigate({ to: "/session/$id", params: { id } })} />
        </div>
      )}
      {children.length > 0 ? (
        <ul className="divide-y divide-line border-t border-line">
          {isWhole ? children : children.slice(0, FIRST)}
          {!isWhole && children.length > FIRST && (
            <li className="px-3 py-1.5">
              <button type="button" className="link text-xs" onClick={() => setWhole(true)}>
                Show {children.length - FIRST} more
              </button>
            </li>
          )}
        </ul>
      ) : isRead && <p className="border-t border-line px-3 py-2 text-xs text-dim">No session yet: tell it something, and one begins.</p>}
    </section>
  );
}

interface RowGiven {
  session: Session;
  open: Question[];
  me: string;
  figures: SessionFigures | undefined;
  budget: number | undefined;
}

function SessionRow({ session, open, me, figures, budget }: RowGiven) {
  const cost = figures?.costUsd;
  const used = session.pid == null ? undefined : figures?.spentUsd;
  const newest = newestStep(useWatched(steps).get(session.id), session.last);
  const turns = useQuery(turnsQuery(session)).data;
  const now = mood(session, open, me, useDue(turns?.last));
  const doing = session.running != null || session.background ? newest?.line : undefined;
  const happened = lastEvent(session, newest);
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-3 px-3 py-1.5 hover:bg-raised @3xl:grid-cols-[minmax(0,1fr)_15rem_12.5rem_auto] @5xl:grid-cols-[minmax(0,1fr)_19rem_16rem_auto]">
      <span className="col-span-2 min-w-0 @3xl:col-span-1">
        <Link data-row to="/session/$id" params={{ id: session.id }} className="said block truncate rounded-xs font-medium underline decoration-line underline-offset-2 outline-offset-0 hover:decoration-current">
          <Plain text={about(turns, 120) ?? (session.turns === 0 ? "A new session" : `Session ${session.id.slice(0, 8)}`)} />
        </Link>
        <span className="said block truncate text-xs text-dim">
          for <PartyName party={session.from} me={me} />, turn {turns?.shown?.number ?? session.turns}
          {session.queued > 0 && <span className="text-held">, {session.queued} waiting</span>}
          {doing && (
            <>
              {" · "}
              <span className="font-mono">
                <Plain text={doing} />
              </span>
            </>
          )}
        </span>
      </span>
      {/* In a narrow card one line: the state is there whole, and what happened last gives way to it. */}
      <span className="order-3 col-span-3 flex items-baseline gap-x-3 @3xl:order-none @3xl:contents">
        <span className="max-w-full min-w-0 flex-[1_0_auto]">
          <MoodChip mood={now} hasSource />
        </span>
        <span className="min-w-0 text-right text-xs text-dim tabular-nums @3xl:self-center">
          <span className="block truncate" title="Cost today, and when something last happened">
            {cost !== undefined && cost > 0 && <>{money(cost)} · </>}
            <Plain text={happened.word} />, <Ago at={happened.at} /> ago
          </span>
          {budget !== undefined && used != null && <BudgetBar spent={used} budget={budget} />}
        </span>
      </span>
      <span className="justify-self-end">
        <SessionActions session={session} />
      </span>
    </li>
  );
}
