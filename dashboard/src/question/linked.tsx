// A question that a link leads to and that is not open any more: how it ended, or that there is none.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { queries, statusQuery } from "@/api/ask";
import { api, body, missing } from "@/api/call";
import { recently } from "@/api/log";
import { Unread } from "@/shell/unread";
import { Plain } from "@/text/plain";
import { Moment } from "@/text/time";

import { By } from "./by";
import { deedLine } from "./deed";
import { Past } from "./past";
import { type Question, isTalkedOver, labelled, outcome } from "./question";

export const questionQuery = (id: string) =>
  queryOptions({
    queryKey: ["questions", id],
    queryFn: async () => {
      if (!(await mayBeThere(id))) throw missing("question", id, "The inbox has what is open, and its list of what was decided has the newest of the others.");
      return body(api.GET("/api/questions/{id}", { params: { path: { id } } }));
    },
  });

/** A browser complains in its console of what it asks for and does not get. So the newest part of the log is looked into
 * first, which is mostly all of it. */
async function mayBeThere(id: string): Promise<boolean> {
  const asked = await recently("question.opened", RECENT);
  return asked.some(({ data }) => (data as { id?: string }).id === id) || (queries.getQueryData(statusQuery.queryKey)?.newestEvent ?? 0) > RECENT;
}

const RECENT = 20_000;

export function Linked({ id }: { id: string }) {
  const { data: question, error } = useQuery(questionQuery(id));
  if (!question) return <Unread what="The question that the link leads to" error={error} />;
  if (question.state === "open") return null;
  return (
    <section className="card space-y-1 p-3" aria-label="The question of the link">
      <p className="label">The question that the link leads to is not open any more</p>
      <p className="said font-medium">
        <Plain text={question.team} />: <Plain text={deedLine(question)} />
      </p>
      <Outcome question={question} />
      <Past question={question} />
      <p className="flex flex-wrap gap-x-4 text-xs">
        <Link to="/session/$id" params={{ id: question.session }} search={question.turn ? { turn: question.turn } : {}} className="link">
          what it did
        </Link>
        {question.replacedBy && (
          <Link to="/inbox" search={{ question: question.replacedBy }} className="link">
            what took its place
          </Link>
        )}
        <Link to="/inbox" search={{}} className="link">
          all that is open
        </Link>
      </p>
    </section>
  );
}

/** How it ended, by whom and when. */
export function Outcome({ question }: { question: Question }) {
  return (
    <p className="said text-dim">
      <span className={question.state === "answered" ? "text-good" : ""}>{outcome(question)}</span>
      {isTalkedOver(question) ? <>: <Plain text={question.closedWhy ?? ""} /></> : question.closedBy && <By by={question.closedBy} through={question.closedThrough} />}
      {question.closedAt != null && <> at <Moment at={question.closedAt} /></>}
      {question.answer && <>: <span className="text-ink"><Plain text={labelled(question, question.answer)} /></span></>}
    </p>
  );
}
