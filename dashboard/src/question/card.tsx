// One question, with everything that is needed to answer it.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useRef, useState } from "react";

import { teamsQuery } from "@/api/ask";
import { Refusal } from "@/api/call";
import { useWatched } from "@/api/watch";
import { ToolInput } from "@/session/tool-input";
import { Avatar } from "@/shell/avatar";
import { Markdown } from "@/text/markdown";
import { Plain } from "@/text/plain";
import { Ago } from "@/text/time";

import { sending, useAnswer } from "./ask";
import { AskedForm } from "./form";
import { type Choice, type Question, type Value, choices, isBlocking, kindWord, takesForm } from "./question";

export function QuestionBody({ question, keys }: { question: Question; keys: boolean }) {
  const answer = useAnswer();
  const isSending = useWatched(sending).has(question.id);
  const give = (value: Value, text?: string) => answer.mutate({ question, value, text });
  const refused = answer.error instanceof Refusal && [404, 409, 410].includes(answer.error.status) ? null : answer.error;
  return (
    <div className="space-y-3" aria-busy={isSending}>
      <h3 className="said text-base leading-snug font-semibold">
        <Plain text={question.question} />
      </h3>
      {question.action && <Action action={question.action} />}
      {takesForm(question) ? (
        <AskedForm asked={question.questions ?? []} isSending={isSending} onAnswer={give} onRefuse={(why) => give(false, why)} />
      ) : (
        <OnePress question={question} keys={keys} isSending={isSending} give={give} />
      )}
      {refused && (
        <p role="alert" className="said text-bad">
          <Plain text={`Not sent: ${refused.message}`} /> {(refused as Refusal).hint && <Plain text={(refused as Refusal).hint ?? ""} />}
        </p>
      )}
    </div>
  );
}

function OnePress({ question, keys, isSending, give }: { question: Question; keys: boolean; isSending: boolean; give: (value: Value, text?: string) => void }) {
  const isApproval = question.responseType === "boolean";
  const offered = choices(question);
  return (
    <div className="flex flex-col gap-2 @lg:flex-row @lg:flex-wrap">
      {offered.length > 0 && (
        <div className="flex flex-col gap-2 @lg:flex-row @lg:flex-wrap" role="group" aria-label="Answers">
          {offered.map((choice, index) => (
            <ChoiceButton key={index} choice={choice} number={keys && index < 9 ? index + 1 : undefined} isFirst={index === 0} disabled={isSending} onPress={() => give(choice.value)} />
          ))}
        </div>
      )}
      <Reply
        label={isApproval ? "Refuse, and say why" : offered.length ? "Or answer in your own words" : "Your answer"}
        send={isApproval ? "Refuse" : "Send"}
        disabled={isSending}
        onSend={(text) => (isApproval ? give(false, text) : give(text))}
      />
    </div>
  );
}

function ChoiceButton({ choice, number, isFirst, disabled, onPress }: { choice: Choice; number: number | undefined; isFirst: boolean; disabled: boolean; onPress: () => void }) {
  const look = choice.recommended || (isFirst && choice.value === true) ? "button-accent" : "";
  return (
    <button type="button" className={`button min-h-11 justify-start @lg:min-h-9 ${look}`} disabled={disabled} onClick={onPress}>
      {number !== undefined && (
        <kbd className="key hidden pointer-fine:inline-block" aria-hidden="true">
          {number}
        </kbd>
      )}
      <span className="said min-w-0">
        <Plain text={choice.label} />
        {choice.recommended && <span className="font-normal"> · recommended</span>}
        {choice.description && (
          <span className={`block text-xs font-normal ${look ? "" : "text-dim"}`}>
            <Plain text={choice.description} />
          </span>
        )}
      </span>
    </button>
  );
}

function Reply({ label, send, disabled, onSend }: { label: string; send: string; disabled: boolean; onSend: (text: string) => void }) {
  const [text, setText] = useState("");
  const box = useRef<HTMLTextAreaElement>(null);
  const submit = () => text.trim() && onSend(text.trim());
  return (
    <form
      className="flex min-w-64 flex-1 items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={box}
        rows={1}
        data-reply
        aria-label={label}
        placeholder={label}
        className="field field-sizing-content block max-h-40 min-h-11 flex-1 resize-none py-2.5 @lg:min-h-9 @lg:py-1.5"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            submit();
          }
          if (event.key === "Escape") box.current?.blur();
        }}
      />
      {text.trim() && (
        <button type="submit" className="button min-h-11 @lg:min-h-9" disabled={disabled}>
          {send}
        </button>
      )}
    </form>
  );
}

/** What would be done, exactly. */
function Action({ action }: { action: NonNullable<Question["action"]> }) {
  return (
    <section className="rounded-md border border-line bg-page p-2" aria-label="What would be done">
      <p className="label mb-1">
        <span className="font-mono text-ink">
          <Plain text={action.tool} />
        </span>{" "}
        would be called with exactly this{action.reason && <> · <Plain text={action.reason} /></>}
      </p>
      <ToolInput name={action.tool} input={action.input} />
    </section>
  );
}

/** Who asks, since when, and how to see more. */
export function QuestionHead({ question, isInSession = false, children }: { question: Question; isInSession?: boolean; children?: ReactNode }) {
  const team = useQuery(teamsQuery).data?.find(({ name }) => name === question.team);
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-xs text-dim">
      <Avatar name={question.team} color={team?.color} />
      <span className="said font-semibold text-ink">
        <Plain text={question.team} />
      </span>
      <span className={isBlocking(question) ? "text-accent" : ""}>{kindWord(question)}</span>
      <span>
        waits <Ago at={question.openedAt} />
      </span>
      {!isInSession && (
        <Link to="/session/$id" params={{ id: question.session }} search={question.turn ? { turn: question.turn } : {}} className="link">
          what it did
        </Link>
      )}
      {question.askedOf && (
        <span>
          asked of <Plain text={question.askedOf} />
        </span>
      )}
      {children}
    </div>
  );
}

/** For a longer explanation that comes with a question. */
export function Context({ text }: { text: string }) {
  return (
    <div className="text-dim">
      <Markdown text={text} />
    </div>
  );
}
