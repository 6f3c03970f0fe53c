import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { Empty, Failure } from "@/shell/page";
import { Plain } from "@/text/plain";
import { Moment } from "@/text/time";

import { decidedQuery } from "./ask";
import { By } from "./by";
import { decidedBy, decision } from "./decisions";
import { deedLine } from "./deed";
import { type Question, outcomeWord } from "./question";

/** Every question that is closed, the newest first. */
export function Decided() {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(decidedQuery);
  if (error) return <Failure error={error} />;
  if (!data) return null;
  const questions = data.pages.flatMap(({ items }) => items);
  if (questions.length === 0) return <Empty title="Nothing decided lately" text="Every answer is kept, with who gave it and when. The newest are listed here." />;
  return (
    <>
      <ul className="card divide-y divide-line">
        {questions.map((question) => (
          <DecidedRow key={question.id} question={question} />
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

function DecidedRow({ question }: { question: Question }) {
  const [by, what] = [decidedBy(question), decision(question)];
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 py-2">
      <span className="w-20 shrink-0 text-xs text-dim">
        <Moment at={question.closedAt ?? question.openedAt} />
      </span>
      <span className="said min-w-40 flex-1">
        <Plain text={deedLine(question)} />
      </span>
      <span className="said text-dim">
        <span className={question.state === "answered" ? "text-good" : "text-dim"}>{outcomeWord(question.state)}</span>
        {by && <By by={by} through={question.closedThrough} />}
        {what && <>: <span className="text-ink"><Plain text={what} /></span></>}
      </span>
      <Link to="/session/$id" params={{ id: question.session }} className="link text-xs">
        {question.team}
      </Link>
    </li>
  );
}
