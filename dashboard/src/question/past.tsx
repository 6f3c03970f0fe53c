// A question that is not open any more, as it was: what it was about to the byte, and what can still be done about it.
import { useState } from "react";

import { useWatched } from "@/api/watch";
import { Markdown } from "@/text/markdown";
import { Plain } from "@/text/plain";

import { Action } from "./action";
import { answer, refusals, sending } from "./ask";
import { deedLine, whole } from "./deed";
import { AskedForm } from "./form";
import { OnePress } from "./press";
import { type Question, type Value, takesForm } from "./question";
import { refusedLine } from "./refused";
import { SchemaForm } from "./schema-form";

export function Past({ question }: { question: Question }) {
  return (
    <div className="@container space-y-2">
      {/* The line above it is cut, and does not say where links lead. */}
      {!question.action && whole(question) !== deedLine(question) && (
        <p className="said font-medium">
          <Plain text={whole(question)} />
        </p>
      )}
      {question.context && (
        <div className="max-h-60 overflow-auto text-dim" tabIndex={0} role="group" aria-label="What one needed to know">
          <Markdown text={question.context} />
        </div>
      )}
      <Action question={question} />
      {ranOut(question) && <TooLate question={question} />}
    </div>
  );
}

/** Nobody answered in time: its work went on, or ended, without an answer. */
const ranOut = ({ state }: Question) => state === "expired" || state === "defaulted";

function TooLate({ question }: { question: Question }) {
  const [isOpen, setOpen] = useState(false);
  const isSending = useWatched(sending).has(question.id);
  const refused = useWatched(refusals).get(question.id);
  const give = (value: Value, text?: string) => void answer({ question, value, text, again: true });
  if (isSending) return <p className="text-xs text-dim">Answered: its work is run again.</p>;
  return (
    <div className="space-y-2">
      <button type="button" className="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Answer anyway and run it again
      </button>
      {isOpen && (
        <>
          <p className="text-xs text-dim">{question.job ? "Another job begins with the same goal, and with your answer." : "Its agent is told your answer in a new turn, and goes on with that."}</p>
          {question.responseType === "form" ? (
            <SchemaForm of={question.id} schema={question.schema} isSending={isSending} onAnswer={give} onRefuse={() => give(false)} />
          ) : takesForm(question) ? (
            <AskedForm of={question} asked={question.questions ?? []} isSending={isSending} onAnswer={give} onRefuse={() => give(false)} />
          ) : (
            <OnePress question={question} keys="never" isSending={isSending} give={give} />
          )}
        </>
      )}
      {refused && (
        <p role="alert" className="said text-bad">
          <Plain text={refusedLine("Not run again", refused)} />
        </p>
      )}
    </div>
  );
}
