import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

import { connection } from "@/api/live";
import { useWatched } from "@/api/watch";
import { Empty, Failure } from "@/shell/page";
import { Plain } from "@/text/plain";
import { Moment } from "@/text/time";

import { decidedQuery } from "./ask";
import { By } from "./by";
import { decidedBy, decision } from "./decisions";
import { deedLine } from "./deed";
import { Linked } from "./linked";
import { Past } from "./past";
import { type Question, outcomeWord } from "./question";

/** Every question that is closed, the newest first. */
export function Decided({ linked }: { /** The one that is looked at. */ linked: string | undefined }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(decidedQuery);
  const isLost = useWatched(connection).state === "lost";
  if (!data && isLost) return <Empty title="Nothing known" text="The connection is lost. What was decided is read as soon as it is back." />;
  if (!data) return error ? <Failure error={error} /> : <p className="py-6 text-center text-dim" aria-busy="true"><span className="busy">loading…</span></p>;
  const questions = data.pages.flatMap(({ items }) => items);
  if (questions.length === 0 && !error) return <Empty title="Nothing decided lately" text="Every answer is kept, with who gave it and when. The newest are listed here." />;
  return (
    <>
      {error && <Failure error={error} />}
      {linked !== undefined && !questions.some(({ id }) => id === linked) && <Linked id={linked} />}
      <ul className="card divide-y divide-line">
        {questions.map((question) => (
          <DecidedRow key={question.id} question={question} isOpen={question.id === linked} />
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older ones
        </button>
      )}
    </>
  );
}

function DecidedRow({ question, isOpen }: { question: Question; isOpen: boolean }) {
  const [by, what] = [decidedBy(question), decision(question)];
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  return (
    <li ref={row} className="px-3 py-2">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="w-20 shrink-0 text-xs text-dim">
          <Moment at={question.closedAt ?? question.openedAt} />
        </span>
        <Link data-row to="/inbox" search={{ view: "decided", question: isOpen ? undefined : question.id }} replace resetScroll={false} aria-expanded={isOpen} className="said min-w-40 flex-1 underline decoration-line underline-offset-2 hover:decoration-current">
          <Plain text={deedLine(question)} />
        </Link>
        <span className="said text-dim">
          <span className={question.state === "answered" ? "text-good" : "text-dim"}>{outcomeWord(question.state)}</span>
          {by && <By by={by} through={question.closedThrough} />}
          {what && <>: <span className="text-ink"><Plain text={what} /></span></>}
        </span>
        <Link to="/session/$id" params={{ id: question.session }} search={question.turn ? { turn: question.turn } : {}} className="link text-xs">
          {question.team}
        </Link>
      </div>
      {isOpen && (
        <div className="mt-2">
          <Past question={question} />
        </div>
      )}
    </li>
  );
}
