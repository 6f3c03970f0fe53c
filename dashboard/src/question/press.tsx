// Answering with one press, or in one's own words.
import { useRef, useState } from "react";

import { Watched, useWatched } from "@/api/watch";
import { Plain } from "@/text/plain";

import { takesAnswers } from "./edit";
import { type Choice, type Question, type Value, choices, isRisky, isYesNo } from "./question";

/** The question whose yes waits for a second press, and how that stands. */
const armed = new Watched<{ id: string; stands: "pressed" | "early" | "ready" } | undefined>(undefined);
/** How soon the second press may come: a double click, a key that bounces or two fingers are one press. */
const GAP = 600;
/** A press that came too soon is said to be, for long enough to be read. */
const SAID_FOR = 1200;
const ARMED_FOR = 5000;
let next: ReturnType<typeof setTimeout> | undefined;

function arm(id: string, stands: "pressed" | "early") {
  clearTimeout(next);
  armed.set({ id, stands });
  next = setTimeout(() => {
    armed.set({ id, stands: "ready" });
    next = setTimeout(disarm, ARMED_FOR);
  }, stands === "early" ? SAID_FOR : GAP);
}

function disarm() {
  clearTimeout(next);
  armed.set(undefined);
}

/** Whether this press counts. A yes to something risky needs two, one after the other, so that no slip of a finger is one. */
export function counts(question: Question, value: Value): boolean {
  if (!takesAnswers(question)) return false;
  const now = armed.get();
  const isSecond = now?.id === question.id;
  if (value !== true || !isRisky(question) || (isSecond && now.stands === "ready")) {
    disarm();
    return true;
  }
  arm(question.id, isSecond ? "early" : "pressed");
  return false;
}

const ARMED_WORDS = { pressed: "Wait…", early: "Too soon, wait…", ready: "Press again to approve" };

export function OnePress({ question, keys, isSending, give }: { question: Question; keys: boolean; isSending: boolean; give: (value: Value, text?: string) => void }) {
  const now = useWatched(armed);
  const stands = now?.id === question.id ? now.stands : undefined;
  const offered = choices(question);
  return (
    <div className="flex flex-col gap-2 @lg:flex-row @lg:flex-wrap">
      {offered.length > 0 && (
        <div className="flex flex-col gap-2 @lg:flex-row @lg:flex-wrap" role="group" aria-label="Answers">
          {offered.map((choice, index) => (
            <ChoiceButton
              key={index}
              choice={choice}
              takesTwo={choice.value === true && isRisky(question)}
              stands={stands}
              number={index < 9 ? index + 1 : undefined}
              hasKey={keys}
              isMain={choice.recommended || (choice.value === true && !isRisky(question))}
              disabled={isSending}
              onPress={() => counts(question, choice.value) && give(choice.value)}
            />
          ))}
          <span className="sr-only" aria-live="polite">
            {stands && ARMED_WORDS[stands]}
          </span>
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
  takesTwo: boolean;
  /** How it stands with the second press. */
  stands: keyof typeof ARMED_WORDS | undefined;
  number: number | undefined;
  /** Its number is a key just now. */
  hasKey: boolean;
  isMain: boolean;
  disabled: boolean;
  onPress: () => void;
}

/** Its size depends on nothing that changes while it is pressed: else a press would go to whatever moves below it. */
function ChoiceButton({ choice, takesTwo, stands, number, hasKey, isMain, disabled, onPress }: ChoiceButtonGiven) {
  return (
    <button type="button" className={`button min-h-11 justify-start @lg:min-h-9 ${isMain ? "button-accent" : ""}`} disabled={disabled} onClick={onPress}>
      {number !== undefined && (
        <kbd className={`key hidden pointer-fine:inline-block ${hasKey ? "" : "invisible"}`} aria-hidden="true">
          {number}
        </kbd>
      )}
      <span className="said min-w-0">
        {takesTwo ? (
          <span className="grid *:col-start-1 *:row-start-1">
            <span className={stands ? "invisible" : ""}>
              <Plain text={choice.label} />
            </span>
            {(["pressed", "early", "ready"] as const).map((one) => (
              <span key={one} className={stands === one ? "" : "invisible"}>
                {ARMED_WORDS[one]}
              </span>
            ))}
          </span>
        ) : (
          <Plain text={choice.label} />
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
