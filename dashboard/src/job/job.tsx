// One job: what it is for, how it stands, what it asked, what it did.
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { Dialog } from "radix-ui";
import { useState } from "react";

import { useWatched } from "@/api/watch";
import { useOpenQuestions } from "@/question/ask";
import { By } from "@/question/by";
import { inView, useAnswerKeys } from "@/question/in-view";
import { InlineQuestion } from "@/question/inline";
import { deedLine } from "@/question/deed";
import { type Question, isTalkedOver, labelled, outcome } from "@/question/question";
import { SessionLog } from "@/session/page";
import { DialogContent } from "@/shell/dialog";
import { Page } from "@/shell/page";
import { Unread } from "@/shell/unread";
import { Markdown } from "@/text/markdown";
import { Plain } from "@/text/plain";
import { Moment, took } from "@/text/time";
import { title } from "@/text/title";

import { type Job, isOver, jobQuery, jobQuestionsQuery, useStop } from "./ask";
import { Status } from "./jobs";

const route = getRouteApi("/frame/job/$id");

export function JobPage() {
  const { id } = route.useParams();
  const { data: job, error } = useQuery(jobQuery(id));
  const questions = useQuery({ ...jobQuestionsQuery(id), enabled: job !== undefined }).data ?? [];
  // What is open is known live, as in the inbox.
  const { mine, others } = useOpenQuestions();
  const open = [...mine, ...others].filter(({ job: of }) => of === id);
  const seen = useWatched(inView);
  const current = open.find((question) => seen.has(question.id));
  useAnswerKeys(current);
  const closed = questions.filter(({ state }) => state !== "open");
  return (
    <Page
      title={job ? title(job.goal, 60) : "Job"}
      error={error}
      tools={
        job &&
        !isOver(job) && <Stop job={job} />
      }
    >
      {!job && <Unread what="The job" error={error} isSaid />}
      {job && (
        <section className="card space-y-2 p-3" aria-label="The job">
          <p className="flex flex-wrap gap-x-3 text-xs text-dim">
            <Status job={job} />
            <span className="said">
              <Plain text={job.team} />, started by <Plain text={job.startedBy} /> at <Moment at={job.createdAt} />
            </span>
            {job.endedAt != null && <span>took {took(job.endedAt - job.createdAt)}</span>}
            {job.againOf && (
              <Link to="/job/$id" params={{ id: job.againOf }} className="link">
                does another one again
              </Link>
            )}
          </p>
          {/* What is whole in the title of the page need not be said again. */}
          {title(job.goal, 60) !== job.goal.trim() && <Markdown text={job.goal} />}
          {job.error && (
            <p className="said rounded border border-bad bg-bad-soft px-2 py-1 text-bad">
              <Plain text={job.error} />
            </p>
          )}
          {job.result && (
            <div className="border-t border-line pt-2">
              <p className="label">{isOver(job) ? "It came to this" : "It said last"}</p>
              <Markdown text={job.result} />
            </div>
          )}
        </section>
      )}
      {open.map((question) => (
        <InlineQuestion key={question.id} question={question} keys={question.id === current?.id} on="job" />
      ))}
      {closed.length > 0 && <Asked questions={closed} />}
      {job && (
        <section className="card overflow-hidden" aria-label="What it did">
          <header className="flex items-center justify-between border-b border-line px-3 py-2">
            <h2 className="font-medium">What it did</h2>
            <Link to="/session/$id" params={{ id: job.session }} className="link text-xs">
              Open the session
            </Link>
          </header>
          <div className="flex max-h-[60dvh] flex-col">
            <SessionLog id={job.session} />
          </div>
        </section>
      )}
    </Page>
  );
}

/** It cannot be taken back, so it is asked for twice, as for a session. */
function Stop({ job }: { job: Job }) {
  const [isAsking, setAsking] = useState(false);
  const stop = useStop();
  return (
    <Dialog.Root open={isAsking} onOpenChange={setAsking}>
      <Dialog.Trigger className="button text-bad" disabled={stop.isPending}>
        Stop
      </Dialog.Trigger>
      <DialogContent className="card fixed inset-x-2 top-[20vh] z-50 space-y-3 p-4 md:inset-x-auto md:left-1/2 md:w-96 md:-translate-x-1/2">
        <Dialog.Title className="text-base font-semibold">Stop this job?</Dialog.Title>
        <p className="said text-dim">
          <Plain text={title(job.goal, 120)} />
        </p>
        <Dialog.Description>
          What <Plain text={job.team} /> does for it is broken off, and what it asks is withdrawn. It cannot be gone on with; its conversation is kept.
        </Dialog.Description>
        <div className="flex justify-end gap-2">
          <Dialog.Close className="button">Let it go on</Dialog.Close>
          <Dialog.Close className="button border-bad text-bad" onClick={() => stop.mutate(job.id)}>
            Stop the job
          </Dialog.Close>
        </div>
      </DialogContent>
    </Dialog.Root>
  );
}

function Asked({ questions }: { questions: Question[] }) {
  return (
    <section className="card" aria-label="What it asked">
      <h2 className="border-b border-line px-3 py-2 font-medium">What it asked</h2>
      <ul className="divide-y divide-line">
        {questions.map((question) => (
          <li key={question.id} className="said flex flex-wrap justify-between gap-x-3 px-3 py-1.5">
            <Plain text={deedLine(question)} />
            <span className="text-dim">
              {outcome(question)}
              {isTalkedOver(question) ? <>: <Plain text={question.closedWhy ?? ""} /></> : question.closedBy && <By by={question.closedBy} through={question.closedThrough} />}
              {question.answer && <>: <span className="text-ink"><Plain text={labelled(question, question.answer)} /></span></>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
