// One question, with everything that is needed to answer it.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";

import { sessionsQuery } from "@/api/ask";
import { type Shapes, UNKNOWN } from "@/api/call";
import { meQuery } from "@/api/me";
import { useWatched } from "@/api/watch";
import { PartyName } from "@/session/party";
import { Avatar } from "@/shell/avatar";
import { Markdown } from "@/text/markdown";
import { Plain } from "@/text/plain";
import { Ago } from "@/text/time";

import { Action } from "./action";
import { answer, hold, holding, refusals, sending } from "./ask";
import { Deadline } from "./deadline";
import { deed, whole } from "./deed";
import { takesAnswers } from "./edit";
import { AskedForm } from "./form";
import { QuestionMenu } from "./menu";
import { useKeptWords } from "./overtaken";
import { OnePress } from "./press";
import { type Question, type Value, isBlocking, kindWord, labelled, takesForm } from "./question";
import { refusedLine } from "./refused";
import { Remember } from "./remember";
import { SchemaForm } from "./schema-form";

export function QuestionBody({ question, keys }: { question: Question; keys: boolean }) {
  const isSending = useWatched(sending).has(question.id);
  const [isEditing, setEditing] = useState(false);
  const remember = useWatched(holding).get(question.id);
  const refused = useWatched(refusals).get(question.id);
  const give = (value: Value, text?: string) => void answer({ question, value, text });
  const answers = useKeptWords(question);
  return (
    <div ref={answers} className="space-y-3" aria-busy={isSending}>
      <h2 className="said text-base leading-snug font-semibold">
        <Asks question={question} />
      </h2>
      {question.context && (
        <div className="max-h-60 overflow-auto text-dim" tabIndex={0} role="group" aria-label="What one needs to know">
          <Markdown text={question.context} />
        </div>
      )}
      <Action question={question} isEditing={isEditing} onEdit={setEditing} />
      {question.suggestion && <Before question={question} suggestion={question.suggestion} disabled={isSending || isEditing} give={give} />}
      {isEditing ? null : question.responseType === "form" ? (
        <SchemaForm of={question.id} schema={question.schema} isSending={isSending} onAnswer={give} onRefuse={() => give(false)} />
      ) : takesForm(question) ? (
        <AskedForm of={question} asked={question.questions ?? []} isSending={isSending} onAnswer={give} onRefuse={() => give(false)} />
      ) : (
        <OnePress question={question} keys={keys} isSending={isSending} give={give} />
      )}
      {!isEditing && <Remember question={question} chosen={remember} onChoose={(chosen) => hold(question.id, chosen)} />}
      {refused && (
        <p role="alert" className="said text-bad">
          <Plain text={refusedLine(refused.kind === UNKNOWN ? "Not known whether it was taken" : refused.status === 0 ? "Not sent" : "Not taken", refused)} />
        </p>
      )}
    </div>
  );
}

/** What the same was answered before, and the same once more with one press. It is never offered for an approval. */
function Before({ question, suggestion: { answer: before, times, of, lastBy }, disabled, give }: { question: Question; suggestion: Shapes["Suggestion"]; disabled: boolean; give: (value: Value, text?: string) => void }) {
  return (
    <p className="said flex flex-wrap items-center gap-x-2 text-xs text-dim">
      <span>
        Answered before with <span className="text-ink"><Plain text={labelled(question, before)} /></span>, {times} of {of} times, last by <Plain text={lastBy} />
      </span>
      <button type="button" className="link inline-flex min-h-6 items-center" disabled={disabled} onClick={() => takesAnswers(question) && give(before.value as Value, before.text ?? undefined)}>
        The same again
      </button>
    </p>
  );
}

/** What is asked, in a line. What the agent would do is set apart from our own words. */
function Asks({ question }: { question: Question }) {
  const found = deed(question);
  if (!found) return <Plain text={whole(question)} />;
  return (
    <>
      {found.verb}{" "}
      <code className="rounded bg-raised px-1 font-mono text-[0.9375rem]">
        <Plain text={found.what} />
      </code>
      <Plain text={found.more} />?
    </>
  );
}

/** Who asks, since when, and how to see more. */
export function QuestionHead({ question, on, children }: { question: Question; on?: "session" | "job"; children?: ReactNode }) {
  const me = useQuery(meQuery).data?.party ?? "user";
  // Two may have asked the same of one team.
  const { data: from } = useQuery({ ...sessionsQuery, select: (sessions) => sessions.find(({ id }) => id === question.session)?.from });
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-xs text-dim">
      <Avatar name={question.team} />
      <span className="said font-semibold text-ink">
        <Plain text={question.team} />
        {from !== undefined && <span className="font-normal text-dim"> for <PartyName party={from} me={me} /></span>}
      </span>
      <span className={isBlocking(question) ? "text-accent" : ""}>{kindWord(question)}</span>
      <span>
        waits <Ago at={question.openedAt} />
      </span>
      <Deadline question={question} />
      {on === undefined && (
        <Link to="/session/$id" params={{ id: question.session }} search={question.turn ? { turn: question.turn } : {}} className="link inline-flex min-h-6 min-w-6 items-center">
          what it did
        </Link>
      )}
      {question.job && on !== "job" && (
        <Link to="/job/$id" params={{ id: question.job }} className="link inline-flex min-h-6 min-w-6 items-center">
          job
        </Link>
      )}
      {question.askedOf && (
        <span>
          asked of <PartyName party={question.askedOf} me={me} />
        </span>
      )}
      <span className="ml-auto flex items-center gap-2">
        {children}
        <QuestionMenu question={question} />
      </span>
    </div>
  );
}
