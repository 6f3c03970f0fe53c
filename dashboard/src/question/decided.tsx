import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";

import { Empty, Failure } from "@/shell/page";
import { Unread } from "@/shell/unread";
import { Plain } from "@/text/plain";
import { Moment } from "@/text/time";

import { decidedQuery } from "./ask";
import { By } from "./by";
import { decidedBy, decision } from "./decisions";
import { deedLine } from "./deed";
import { Linked } from "./linked";
import { Past } from "./past";
import { type Question, outcome } from "./question";

interface DecidedGiven {
  /** The one that is looked at. */
  linked: string | undefined;
  fits: (question: Question) => boolean;
  isFiltered: boolean;
  /** The way to have no filter. */
  clear: ReactNode;
}

/** Every question that is closed, the newest first. */
export function Decided({ linked, fits, isFiltered, clear }: DecidedGiven) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(decidedQuery);
  if (!data) return <Unread what="What was decided" error={error} />;
  const read = data.pages.flatMap(({ items }) => items);
  const questions = read.filter((question) => question.id === linked || fits(question));
  if (read.length === 0 && !error) return <Empty title="Nothing decided lately" text="Every answer is kept, with who gave it and when. The newest are listed here." />;
  return (
    <>
      {error && <Failure error={error} />}
      {linked !== undefined && !questions.some(({ id }) => id === linked) && <Linked id={linked} />}
      {questions.length === 0 && isFiltered ? (
        <Empty title="Nothing fits the filter" text={hasNextPage ? `among the newest ${read.length}` : undefined}>
          {clear}
        </Empty>
      ) : (
        <ul className="card divide-y divide-line">
          {questions.map((question) => (
            <DecidedRow key={question.id} question={question} isOpen={question.id === linked} />
          ))}
        </ul>
      )}
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
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 md:grid md:grid-cols-[5rem_minmax(0,1fr)_minmax(0,20rem)_minmax(0,6rem)]">
        <span className="w-20 shrink-0 text-xs text-dim">
          <Moment at={question.closedAt ?? question.openedAt} />
        </span>
        <Link data-row to="/inbox" search={(now) => ({ ...now, view: "decided" as const, question: isOpen ? undefined : question.id })} replace resetScroll={false} aria-expanded={isOpen} className="said min-w-40 flex-1 underline decoration-line underline-offset-2 hover:decoration-current">
          <Plain text={deedLine(question)} />
        </Link>
        <span className="said text-dim">
          <span className={question.state === "answered" ? "text-good" : "text-dim"}>{outcome(question)}</span>
          {by && <By by={by} through={question.closedThrough} isShort />}
          {what && <>: <span className="text-ink"><Plain text={what} /></span></>}
        </span>
        <Link to="/session/$id" params={{ id: question.session }} search={question.turn ? { turn: question.turn } : {}} className="link said text-xs">
          {question.team}
        </Link>
      </div>
      {isOpen && (
        <div className="mt-2">
          {by && question.closedThrough?.name && <p className="said mb-2 text-xs text-dim">Decided<By by={by} through={question.closedThrough} /></p>}
          <Past question={question} />
        </div>
      )}
    </li>
  );
}
