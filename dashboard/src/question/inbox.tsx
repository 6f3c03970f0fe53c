// The inbox: who needs you, first.
import { useQuery } from "@tanstack/react-query";
import { Navigate, getRouteApi } from "@tanstack/react-router";
import { type ComponentProps, useEffect, useLayoutEffect, useRef, useState } from "react";

import { teamsQuery } from "@/api/ask";
import { connection } from "@/api/live";
import { useWatched } from "@/api/watch";
import { Empty, NoTeams, Page, Tabs } from "@/shell/page";
import { numbers, useKeys } from "@/shell/keys";
import { say } from "@/shell/notices";
import { clock, useNow, zone } from "@/text/time";

import { useOpenQuestions } from "./ask";
import { Batch, answerAll, byNumber } from "./batch";
import { QuestionBody, QuestionHead } from "./card";
import { cursorAt, isCardSeen } from "./cursor";
import { Decided } from "./decided";
import { latest } from "./edit";
import { listed, pressNumber, useSeen } from "./in-view";
import { Later } from "./later";
import { Linked } from "./linked";
import { type Question, isBlocking, kindWord } from "./question";
import { comesBack, isSnoozed, snooze, snoozed, wake } from "./snooze";

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
            { to: "/inbox", search: { view: "others" }, label: "Waiting on others", count: others.length, isActive: view === "others" },
            ...(later.length > 0 || view === "later" ? [{ to: "/inbox", search: { view: "later" }, label: "Later", count: later.length, isActive: view === "later" }] : []),
            { to: "/inbox", search: { view: "decided" }, label: "Decided", isActive: view === "decided" },
          ]}
        />
      }
      tools={view === "decided" ? null : <Filters questions={[...mine, ...others]} />}
      error={error}
    >
      {isAway && linked && view !== "decided" && <Linked id={linked} />}
      {view === "decided" ? <Decided linked={linked} /> : isPending ? null : shown.length === 0 ? <Nothing view={view} isFiltered={Boolean(team || kind || work)} /> : <Cards key={linked} questions={shown} />}
    </Page>
  );
}

/** How long what has moved by itself is left alone: a key or a press in that moment was meant for what was there before. */
const SETTLES = 500;

function Cards({ questions }: { questions: Question[] }) {
  const { question: linked } = route.useSearch();
  const [cursor, setCursor] = useState<string | undefined>(linked);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // A link to what is not here leads to nothing else: then no question is current until somebody goes to one.
  const [isAdrift, setAdrift] = useState(() => linked !== undefined && !questions.some(({ id }) => id === latest(linked)));
  const ids = questions.map(({ id }) => id);
  const before = useRef<readonly string[]>(ids);
  const at = isAdrift ? ids.indexOf(latest(cursor) ?? "") : cursorAt(ids, before.current, latest(cursor));
  const current = questions[at];

  // The cursor stays with its question when a more urgent one comes in above it. When it has to go to another by itself,
  // number keys are deaf for a moment: they were meant for what was there before.
  const moved = useRef({ to: current?.id, at: 0 });
  useEffect(() => {
    if (current && cursor !== current.id) setCursor(current.id);
    if (current && moved.current.to !== current.id) moved.current = { to: current.id, at: Date.now() };
  }, [current, cursor]);

  // When a card goes or comes, those below it move under the pointer. A press in that moment was meant for what was there.
  const order = ids.join();
  useEffect(() => {
    const all = order === "" ? [] : order.split(",");
    before.current = all;
    listed.set(new Set(all));
    return () => listed.set(new Set());
  }, [order]);
  const shifted = useRef(0);
  useLayoutEffect(() => () => void (shifted.current = Date.now()), [order]);
  const isSlip = (target: Element) => Date.now() - shifted.current < SETTLES && target.closest("button") !== null;

  const move = (to: number) => {
    const next = questions[Math.min(questions.length - 1, Math.max(0, to))];
    setCursor(next?.id);
    setAdrift(false);
    moved.current = { to: next?.id, at: 0 };
    if (next) show(next)?.focus({ preventScroll: true });
  };
  // A key is for what is before one's eyes. If the cursor is elsewhere, it shows where it is, and the next press counts.
  const onSeen = (act: (question: Question) => void) => {
    const card = current && document.getElementById(`question-${current.id}`);
    if (!current || !card) return;
    if (isCardSeen(card)) return act(current);
    show(current);
    moved.current = { to: current.id, at: Date.now() };
  };
  const toggle = (id: string) => setSelected((all) => (all.has(id) ? new Set([...all].filter((other) => other !== id)) : new Set(all).add(id)));
  const putAside = (question: Question, until = Date.now() + 60 * 60_000) => {
    const back = comesBack(question, until, Date.now());
    if (back === undefined) return say({ tone: "plain", text: "Not put aside: it runs out too soon", hint: `at ${clock(question.deadline ?? 0)} ${zone()}` });
    snooze(question.id, back);
    say({ tone: "plain", text: `Put aside until ${clock(back)} ${zone()}${back < until ? ", 5 minutes before it runs out" : ""}`, undo: () => wake(question.id) });
  };

  const chosen = questions.filter(({ id }) => selected.has(id));
  // Then the numbers are those of the bar, and no card shows any.
  const isTogether = chosen.length > 1;
  const isSettled = () => Date.now() - moved.current.at >= SETTLES;
  // By somebody who went there, so nothing is kept from them.
  const goTo = (id: string) => {
    setCursor(id);
    setAdrift(false);
    moved.current = { to: id, at: 0 };
  };
  useKeys({
    j: () => move(at + 1),
    k: () => move(at - 1),
    x: () => onSeen(({ id }) => toggle(id)),
    s: () => onSeen((question) => putAside(question)),
    r: () => document.querySelector<HTMLElement>(`#question-${current?.id} [data-reply]`)?.focus(),
    ...numbers((index) => {
      if (!isSettled()) return;
      if (isTogether) {
        const choice = byNumber(chosen, index);
        if (choice) void answerAll(chosen, choice.value).then((isDone) => isDone && setSelected(new Set()));
        return;
      }
      onSeen((question) => {
        // Whole, so that why it failed is seen as well.
        document.getElementById(`question-${question.id}`)?.scrollIntoView({ block: "nearest" });
        pressNumber(question, index);
      });
    }),
  });

  useEffect(() => {
    if (linked) document.getElementById(`question-${linked}`)?.scrollIntoView({ block: "center" });
  }, [linked]);

  return (
    <>
      {chosen.length > 0 && <Batch questions={chosen} onDone={() => setSelected(new Set())} />}
      <ul className="space-y-3" onClickCapture={(event) => isSlip(event.target as Element) && event.stopPropagation()}>
        {questions.map((question, index) => (
          <li key={question.id}>
            <SeenCard
              of={question.id}
              id={`question-${question.id}`}
              tabIndex={-1}
              aria-label={`Question of ${question.team}`}
              className={`card @container space-y-2 border-l-4 p-3 outline-offset-0 ${index === at ? "border-l-accent-solid" : "border-l-line"}`}
              // A press too: not every browser gives the focus to what is pressed.
              onPointerDown={() => goTo(question.id)}
              onFocus={() => goTo(question.id)}
            >
              <QuestionHead question={question}>
                <Later question={question} onLater={(until) => putAside(question, until)} />
                <label className="flex size-11 items-center justify-center md:size-6">
                  <input type="checkbox" className="size-6 accent-ink md:size-4" aria-label="Select, to answer several together" checked={selected.has(question.id)} onChange={() => toggle(question.id)} />
                </label>
              </QuestionHead>
              <QuestionBody question={question} keys={index === at && !isTogether} />
            </SeenCard>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Who has had it before their eyes here is not interrupted for it when they go elsewhere. */
function SeenCard({ of, ...given }: { of: string } & ComponentProps<"article">) {
  return <article ref={useSeen<HTMLElement>(of)} {...given} />;
}

/** Brings a card into view. Of one that is longer than the screen, its head: who asks is read before what. */
function show({ id }: Question): HTMLElement | null {
  const card = document.getElementById(`question-${id}`);
  const room = card?.closest("main")?.clientHeight ?? innerHeight;
  card?.scrollIntoView({ block: card.offsetHeight > room * 0.75 ? "start" : "nearest" });
  return card;
}

function Filters({ questions }: { questions: Question[] }) {
  const { team, kind, work } = route.useSearch();
  const navigate = route.useNavigate();
  const teams = [...new Set(questions.map((question) => question.team))].sort();
  const kinds = new Map(questions.map((question) => [question.kind, kindWord(question)]));
  const isMixed = questions.some(isBlocking) && !questions.every(isBlocking);
  if (teams.length < 2 && kinds.size < 2 && !isMixed && !team && !kind && !work) return null;
  return (
    <div className="flex w-full gap-2 md:w-auto md:max-w-[70%]">
      <select className="field w-auto min-w-0 flex-1" aria-label="Team" value={team ?? ""} onChange={(event) => void navigate({ search: (now) => ({ ...now, team: event.target.value || undefined }) })}>
        <option value="">All teams</option>
        {teams.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select className="field w-auto min-w-0 flex-1" aria-label="Kind" value={kind ?? ""} onChange={(event) => void navigate({ search: (now) => ({ ...now, kind: event.target.value || undefined }) })}>
        <option value="">All kinds</option>
        {[...kinds].map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
      {(isMixed || work) && (
        <select className="field w-auto min-w-0 flex-1" aria-label="Urgency" value={work ?? ""} onChange={(event) => void navigate({ search: (now) => ({ ...now, work: WORK.find((one) => one === event.target.value) }) })}>
          <option value="">Urgent or not</option>
          <option value="stops">Stops work</option>
          <option value="goes-on">Work goes on</option>
        </select>
      )}
    </div>
  );
}

function Nothing({ view, isFiltered }: { view: InboxSearch["view"]; isFiltered: boolean }) {
  const isLive = useWatched(connection).state === "live";
  const teams = useQuery(teamsQuery).data;
  if (isFiltered) return <Empty title="Nothing fits the filter" />;
  if (view === "later") return <Empty title="Nothing is put aside" />;
  if (view === "others") return <Empty title="Nobody else is asked anything" text="Questions that are put to another party than you show up here, so that you can see what holds work up." />;
  if (teams?.length === 0) return <NoTeams />;
  return (
    <Empty title={isLive ? "Nobody needs you" : "Nothing known"} text={isLive ? "When an agent asks for leave or for a decision, it shows up here at once. Agents never wait in silence." : "The connection is lost, so this may be out of date."}>
      <p className="mt-2 text-dim">
        Try it: <code className="font-mono">iris tell {teams?.[0]?.name ?? "website"} "Which file should I start with?"</code>
      </p>
    </Empty>
  );
}
