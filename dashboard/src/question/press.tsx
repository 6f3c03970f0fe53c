// Answering with one press, or in one's own words.
import { useRef, useState } from "react";

import { Watched, useWatched } from "@/api/watch";
import { Plain } from "@/text/plain";

import { takesAnswers } from "./edit";
import { type Choice, type Question, type Value, choices, isRisky, isYesNo } from "./question";

/** The question whose yes waits for a second press. */
const armed = new Watched<string | undefined>(undefined);
const ARMED_FOR = 5000;

/** Whether this press counts. A yes to something risky needs two, so that no slip of a finger is one. */
export function counts(question: Question, value: Value): boolean {
  if (!takesAnswers(question)) return false;
  if (value !== true || !isRisky(question) || armed.get() === question.id) {
    armed.set(undefined);
    return true;
  }
  armed.set(question.id);
  setTimeout(() => armed.get() === question.id && armed.set(undefined), ARMED_FOR);
  return false;
}

export function OnePress({ question, keys, isSending, give }: { question: Question; keys: boolean; isSending: boolean; give: (value: Value, text?: string) => void }) {
  const isArmed = useWatched(armed) === question.id;
  const offered = choices(question);
  return (
    <div className="flex flex-col gap-2 @lg:flex-row @lg:flex-wrap">
      {offered.length > 0 && (
        <div className="flex flex-col gap-2 @lg:flex-row @lg:flex-wrap" role="group" aria-label="Answers">
          {offered.map((choice, index) => (
            <ChoiceButton
              key={index}
              choice={choice}
              again={choice.value === true && isRisky(question) ? "Press again to approve" : undefined}
              isArmed={isArmed}
              number={index < 9 ? index + 1 : undefined}
              hasKey={keys}
              isMain={choice.recommended || (choice.value === true && !isRisky(question))}
              disabled={isSending}
              onPress={() => counts(question, choice.value) && give(choice.value)}
            />
          ))}
        </div>
      )}
      <Reply
        label={isYesNo(question) ? "Refuse, and say why" : offered.length ? "Or answer in your own words" : "Your answer"}
        send={isYesNo(question) ? "Refuse" : "Send"}
        disabled={isSending}
        onSend={(text) => (isYesNo(question) ? give(false, text) : give(text))}
      />
    </div>
  );
}

interface ChoiceButtonGiven {
  choice: Choice;
  /** What it says while it waits for the second press. */
  again: string | undefined;
  isArmed: boolean;
  number: number | undefined;
  /** Its number is a key just now. */
  hasKey: boolean;
  isMain: boolean;
  disabled: boolean;
  onPress: () => void;
}

/** Its size depends on nothing that changes while it is pressed: else a press would go to whatever moves below it. */
function ChoiceButton({ choice, again, isArmed, number, hasKey, isMain, disabled, onPress }: ChoiceButtonGiven) {
  return (
    <button type="button" className={`button min-h-11 justify-start @lg:min-h-9 ${isMain ? "button-accent" : ""}`} disabled={disabled} onClick={onPress}>
      {number !== undefined && (
        <kbd className={`key hidden pointer-fine:inline-block ${hasKey ? "" : "invisible"}`} aria-hidden="true">
          {number}
        </kbd>
      )}
      <span className="said min-w-0">
        {again === undefined ? (
          <Plain text={choice.label} />
        ) : (
          <span className="grid *:col-start-1 *:row-start-1">
            <span className={isArmed ? "invisible" : ""}>
              <Plain text={choice.label} />
            </span>
            <span className={isArmed ? "" : "invisible"}>{again}</span>
          </span>
        )}
        {choice.recommended && <span className="font-normal"> · recommended</span>}
        {choice.description && (
          <span className={`block text-xs font-normal ${isMain ? "" : "text-dim"}`}>
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
