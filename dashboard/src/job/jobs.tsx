// Jobs: pieces of work that are carried to their end, over as many turns as it takes.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { type FormEvent } from "react";

import { sessionsQuery, teamsQuery } from "@/api/ask";
import { meQuery } from "@/api/me";
import { useOpenQuestions } from "@/question/ask";
import { mood } from "@/session/mood";
import { MoodChip } from "@/session/mood-chip";
import { Avatar } from "@/shell/avatar";
import { useDraft } from "@/shell/draft";
import { Empty, NoTeams, Page } from "@/shell/page";
import { Unread } from "@/shell/unread";
import { Plain } from "@/text/plain";
import { Ago } from "@/text/time";
import { title } from "@/text/title";

import { GOAL, type Job, isOver, jobsQuery, statusWord, useStart } from "./ask";

const route = getRouteApi("/frame/jobs");

export function Jobs() {
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(jobsQuery);
  const { start } = route.useSearch();
  const navigate = route.useNavigate();
  const isStarting = start === "yes";
  const jobs = data?.pages.flatMap(({ items }) => items) ?? [];
  const running = jobs.filter((job) => !isOver(job));
  const over = jobs.filter(isOver);
  return (
    <Page
      title="Jobs"
      error={error}
      tools={
        <button type="button" className="button" aria-expanded={isStarting} onClick={() => void navigate({ search: isStarting ? {} : { start: "yes" }, replace: true })}>
          Start a job
        </button>
      }
    >
      {isStarting && <Starter />}
      {!data && <Unread what="Which jobs there are" error={error} isSaid />}
      {data && jobs.length === 0 && <Empty title="No jobs yet" text="A job is a goal that a team works on until it is done. It may ask you things on the way; they show up in the inbox." />}
      {running.length > 0 && <List name="Being worked on" jobs={running} />}
      {over.length > 0 && <List name="Ended" jobs={over} />}
      {hasNextPage && (
        <button type="button" className="button self-start" onClick={() => void fetchNextPage()}>
          Show more
        </button>
      )}
    </Page>
  );
}

function List({ name, jobs }: { name: string; jobs: Job[] }) {
  return (
    <section className="card" aria-label={name}>
      <h2 className="border-b border-line px-3 py-2 font-medium">{name}</h2>
      <ul className="divide-y divide-line">
        {jobs.map((job) => (
          <li key={job.id} className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 px-3 py-1.5 hover:bg-raised md:grid-cols-[auto_minmax(0,1fr)_auto]">
            <Avatar name={job.team} />
            <Link data-row to="/job/$id" params={{ id: job.id }} className="said truncate font-medium underline decoration-line underline-offset-2 hover:decoration-current">
              <Plain text={title(job.goal)} />
            </Link>
            {/* On a phone below what it is for, which has the whole line. */}
            <span className="max-md:col-start-2">
              <Status job={job} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What it is up to, in the words of the fleet; when it is over, what came of it. */
export function Status({ job }: { job: Job }) {
  const me = useQuery(meQuery).data?.party ?? "user";
  const { mine, others } = useOpenQuestions();
  const { data: session } = useQuery({ ...sessionsQuery, enabled: !isOver(job), select: (sessions) => sessions.find(({ id }) => id === job.session) });
  if (session && !isOver(job)) return <MoodChip mood={mood(session, [...mine, ...others], me)} />;
  const { word, colour } = statusWord(job);
  return (
    <span className="whitespace-nowrap" title={`known from event ${job.statusEvent}`}>
      <span className={`font-medium ${colour}`}>{word}</span>{" "}
      <span className="text-xs text-dim">
        <Ago at={job.statusSince} /> ago
      </span>
    </span>
  );
}

function Starter() {
  const { data: teams, error } = useQuery(teamsQuery);
  const start = useStart();
  const [goal, setGoal] = useDraft(GOAL);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    start.mutate({ team: String(form.get("team")), goal });
  };
  if (!teams) return <Unread what="Which teams there are" error={error} />;
  if (teams.length === 0) return <NoTeams what="A job is worked on by a team, and there is none yet." />;
  return (
    <form className="card space-y-2 p-3" onSubmit={submit}>
      <label className="label block">
        Team
        <select name="team" className="field text-sm text-ink">
          {teams.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label className="label block">
        What is to be done
        <textarea name="goal" required rows={3} className="field text-sm text-ink" value={goal} onChange={(event) => setGoal(event.target.value)} />
      </label>
      <button type="submit" className="button button-ink" disabled={start.isPending}>
        Start
      </button>
    </form>
  );
}
