// Everything by name: pages, sessions, jobs, questions, and what can be done to them.
import { useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { Dialog } from "radix-ui";
import { useEffect, useRef, useState } from "react";

import { type Session, sessionsQuery, statusQuery, teamsQuery } from "@/api/ask";
import { meQuery } from "@/api/me";
import { about, turnsQuery } from "@/fleet/last-turn";
import { AskStopAll } from "@/fleet/stop-all";
import { isOver, jobsQuery } from "@/job/ask";
import { useOpenQuestions } from "@/question/ask";
import { deedLine } from "@/question/deed";
import type { Question } from "@/question/question";
import { type Party, useAct } from "@/session/act";
import { offered } from "@/session/actions";
import { AskStop } from "@/session/ask-stop";
import { Composer } from "@/session/composer";
import { partyName } from "@/session/party-name";
import { title } from "@/text/title";
import { visible } from "@/text/visible";

import { DialogContent } from "./dialog";
import { type Entry, type Group, fitting } from "./fitting";
import { theme } from "./theme";

/** Of so many sessions, those used last, it is asked what they are about; the others go by their id. */
const NAMED = 50;

/** What takes one more step after it was picked. */
type Step = { is: "tell"; party: Party } | { is: "break-off"; verb: "cancel" | "stop"; session: Session } | { is: "stop-all" };

export default function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const [step, setStep] = useState<Step>();
  const agents = useQuery(statusQuery).data?.agents ?? 0;
  const navigate = useNavigate();
  if (step?.is === "stop-all") return <AskStopAll agents={agents} onClose={onClose} />;
  if (step?.is === "break-off") return <AskStop session={step.session} verb={step.verb} onClose={onClose} />;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <DialogContent aria-describedby={undefined} className="card fixed inset-x-2 top-[12vh] z-50 overflow-hidden shadow-2xl md:inset-x-auto md:left-1/2 md:w-[34rem] md:-translate-x-1/2">
        <Dialog.Title className={step ? "said px-3 pt-3 font-semibold" : "sr-only"}>{step ? visible(`Tell ${step.party.to}`) : "Commands"}</Dialog.Title>
        {step ? (
          <div className="p-3">
            <Composer party={step.party} isBusy={false} isFirst onSent={(id) => (onClose(), void navigate({ to: "/session/$id", params: { id } }))} />
          </div>
        ) : (
          <Commands onClose={onClose} onHelp={onHelp} onStep={setStep} />
        )}
      </DialogContent>
    </Dialog.Root>
  );
}

function Commands({ onClose, onHelp, onStep }: { onClose: () => void; onHelp: () => void; onStep: (step: Step) => void }) {
  const navigate = useNavigate();
  const act = useAct();
  const teams = useQuery(teamsQuery).data ?? [];
  const sessions = (useQuery(sessionsQuery).data ?? []).slice(0, 200);
  const jobs = (useInfiniteQuery(jobsQuery).data?.pages ?? []).flatMap(({ items }) => items);
  const agents = useQuery(statusQuery).data?.agents ?? 0;
  const me = useQuery(meQuery).data?.party ?? "user";
  const { mine } = useOpenQuestions();
  const [typed, setTyped] = useState("");
  const entry = (label: string, act: () => void, key = label): Entry => ({ label, act, key });
  const item = (label: string, act: () => void, key = label) => entry(label, () => (onClose(), act()), key);
  const go = (to: string, search: Record<string, string> = {}) => () => void navigate({ to, search });
  const who = ({ to, from }: Session) => `${to} for ${partyName(from, me)}`;
  // By what they are about, as in the fleet: a team may work for many jobs, which are all "a job".
  const turns = useQueries({ queries: sessions.slice(0, NAMED).map(turnsQuery) });
  const abouts = new Map(sessions.map(({ id }, index) => [id, about(turns[index]?.data, 60)]));
  const name = (session: Session) => `${who(session)}: ${abouts.get(session.id) ?? session.id.slice(0, 8)}`;
  // Two may have asked the same of one team.
  const asker = ({ session: id, team }: Question) => {
    const session = sessions.find((known) => known.id === id);
    return session ? who(session) : team;
  };
  const groups: Group[] = [
    { heading: "Needs you", entries: mine.slice(0, 20).map((question) => item(`${asker(question)}: ${deedLine(question)}`, go("/inbox", { question: question.id }), question.id)) },
    {
      heading: "Pages",
      entries: [
        item("Inbox", go("/inbox")),
        item("Decided questions", go("/inbox", { view: "decided" })),
        item("Fleet", go("/fleet")),
        item("Jobs", go("/jobs")),
        item("Health", go("/system")),
        item("Settings", go("/settings")),
        item("Keys", onHelp),
        ...teams.map((team) => item(`Team ${team.name}`, go("/fleet", { team: team.name }), `team-${team.name}`)),
      ],
    },
    {
      heading: "Do",
      entries: [
        ...teams.map((team) => entry(`Tell ${team.name}…`, () => onStep({ is: "tell", party: { to: team.name, from: me } }), `tell-${team.name}`)),
        ...(teams.length > 0 ? [item("Start a job…", go("/jobs", { start: "yes" }))] : []),
        ...sessions.flatMap((session) => offered(session).map(({ verb, label, isHard }) => isHard ? entry(`${label.replace("…", "")}: ${name(session)}…`, () => onStep({ is: "break-off", verb: verb === "cancel" ? "cancel" : "stop", session }), `${verb}-${session.id}`) : item(`${label}: ${name(session)}`, () => act.mutate({ verb, party: { to: session.to, from: session.from } }), `${verb}-${session.id}`))),
        ...teams.filter(({ sessions: count }) => count === 0).map((team) => item(`Wake: ${team.name}`, () => act.mutate({ verb: "wake", party: { to: team.name, from: me } }), `wake-${team.name}`)),
        ...(agents > 0 ? [entry("Stop everything…", () => onStep({ is: "stop-all" }))] : []),
      ],
    },
    { heading: "Sessions", entries: sessions.map((session) => item(name(session), () => void navigate({ to: "/session/$id", params: { id: session.id } }), session.id)) },
    { heading: "Jobs", entries: jobs.map((job) => item(`Job of ${job.team}: ${title(job.goal, 80)}${isOver(job) ? " (ended)" : ""}`, () => void navigate({ to: "/job/$id", params: { id: job.id } }), job.id)) },
    { heading: "Look", entries: [item("Dark", () => theme.set("dark")), item("Light", () => theme.set("light")), item("As the system", () => theme.set("system"))] },
  ];
  const found = fitting(groups, typed);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => (box.current ? keepSpoken(box.current) : undefined), []);
  return (
    <Command ref={box} label="Commands" shouldFilter={false}>
      <Command.Input autoFocus value={typed} onValueChange={setTyped} placeholder="Go to, or do…" className="w-full border-b border-line bg-transparent px-4 py-3 outline-none" />
      {/* A list without anything in it is none, to whoever cannot see it. */}
      {found.length === 0 && (
        <p role="status" className="p-5 text-dim">
          Nothing by that name.
        </p>
      )}
      <Command.List hidden={found.length === 0} className="max-h-80 overflow-auto p-2 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-dim">
        {found.map(({ heading, entries }) => (
          <Command.Group key={heading} heading={heading}>
            {entries.map(({ label, key, act }) => (
              <Command.Item key={key} value={key} onSelect={act} className="said flex min-h-8 items-center rounded px-2 py-1.5 leading-snug data-[selected=true]:bg-raised">
                {visible(label)}
              </Command.Item>
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  );
}

/** What a screen reader speaks is what Enter takes, and it is in view. The library names the entry that was selected before the list was another. */
function keepSpoken(box: HTMLElement): () => void {
  const list = box.querySelector('[role="listbox"]');
  let height: number | undefined;
  let last: string | undefined;
  const keep = () => {
    const selected = box.querySelector('[role="option"][aria-selected="true"]');
    const id = selected?.id;
    // Also if it is where it was and the others are not.
    const isMoved = id !== last || list?.scrollHeight !== height;
    [last, height] = [id, list?.scrollHeight];
    if (isMoved) selected?.scrollIntoView({ block: "nearest" });
    for (const element of box.querySelectorAll('[role="combobox"], [role="listbox"]')) {
      if ((element.getAttribute("aria-activedescendant") ?? undefined) === id) continue;
      if (id) element.setAttribute("aria-activedescendant", id);
      else element.removeAttribute("aria-activedescendant");
    }
  };
  const watcher = new MutationObserver(keep);
  watcher.observe(box, { subtree: true, childList: true, attributeFilter: ["aria-selected", "aria-activedescendant"] });
  keep();
  return () => watcher.disconnect();
}
