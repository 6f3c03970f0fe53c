// Answering with one press, or in one's own words.
import { Watched, useWatched } from "@/api/watch";
import { useDraft } from "@/shell/draft";
import { leave } from "@/shell/focus";
import { wantsKeys } from "@/shell/keys";
import { Plain } from "@/text/plain";
import { headline, visible } from "@/text/visible";

import { draftOf } from "./ask";
import { takesAnswers } from "./edit";
import { pointedOut } from "./in-sight";
import { type Choice, type Question, type Value, choices, isRisky, isYesNo, refusal, takesWords } from "./question";
import { linesUnseen, unseen } from "./seen";

/** The question whose yes waits for a second press, and how that stands. */
const armed = new Watched<{ id: string; stands: Stands } | undefined>(undefined);
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

/** Whether this press counts. A yes to something risky needs two, one after the other, so that no slip of a finger is one; and
 * so does one to something of which lines were not seen. */
export function counts(question: Question, value: Value): boolean {
  if (!takesAnswers(question)) return false;
  const now = armed.get();
  const isSecond = now?.id === question.id;
  if (value !== true || !(isRisky(question) || linesUnseen(question.id) > 0) || (isSecond && now.stands === "ready")) {
    disarm();
    return true;
  }
  arm(question.id, isSecond ? "early" : "pressed");
  return false;
}

type Stands = "pressed" | "early" | "ready";

/** What the button says meanwhile, and why it asks. */
export function armedWords(stands: Stands, left: number): string {
  if (stands !== "ready") return stands === "early" ? "Too soon, wait…" : "Wait…";
  return left > 0 ? `${left.toLocaleString()} line${left === 1 ? "" : "s"} not seen. Press again to approve` : "Press again to approve";
}

const againWords = (number: number) => `Press ${number} again to give this answer`;

interface OnePressGiven {
  question: Question;
  /** Its numbers are keys just now; `never` where they cannot be. */
  keys: boolean | "never";
  isSending: boolean;
  give: (value: Value, text?: string) => void;
}

export function OnePress({ question, keys, isSending, give }: OnePressGiven) {
  const now = useWatched(armed);
  const hasKeys = useWatched(wantsKeys);
  const stands = now?.id === question.id ? now.stands : undefined;
  const offered = choices(question);
  const refused = refusal(question);
  const left = useWatched(unseen).get(question.id) ?? 0;
  const shown = useWatched(pointedOut);
  const says = (value: Value, index: number) => (stands && value === true ? armedWords(stands, left) : shown?.id === question.id && shown.index === index ? againWords(index + 1) : undefined);
  return (
    <div className="flex flex-col gap-2 @lg:flex-row @lg:flex-wrap">
      {offered.length > 0 && (
        <div className="flex flex-col gap-2 @lg:flex-row @lg:flex-wrap" role="group" aria-label="Answers" data-answers={question.id}>
          {offered.map((choice, index) => (
            <ChoiceButton
              key={index}
              choice={choice}
              says={says(choice.value, index)}
              number={index < 9 && keys !== "never" && hasKeys ? index + 1 : undefined}
              hasKey={keys === true}
              isMain={choice.recommended}
              disabled={isSending}
              onPress={() => counts(question, choice.value) && give(choice.value)}
            />
          ))}
          <span className="sr-only" aria-live="polite">
            {stands ? armedWords(stands, left) : shown?.id === question.id && `It was out of view. ${againWords(shown.index + 1)}`}
          </span>
        </div>
      )}
      {takesWords(question) && (
        <Reply
          of={question}
          label={isYesNo(question) ? "Refuse, and say why" : offered.length ? "Or answer in your own words" : "Your answer"}
          send={isYesNo(question) ? "Refuse" : "Send"}
          disabled={isSending}
          onSend={(text) => (isYesNo(question) ? give(false, text) : give(text))}
        />
      )}
      {refused && <Reply of={question} label={`${visible(refused.label)}, and say why`} send={visible(headline(refused.label, 40))} disabled={isSending} onSend={(text) => give(refused.value, text)} />}
    </div>
  );
}

interface ChoiceButtonGiven {
  choice: Choice;
  /** Why one press was not enough. */
  says: string | undefined;
  number: number | undefined;
  /** Its number is a key just now. */
  hasKey: boolean;
  isMain: boolean;
  disabled: boolean;
  onPress: () => void;
}

/** Its size depends on nothing that changes while it is pressed: else a press would go to whatever moves below it. What it has
 * to say meanwhile is on its edge, where it takes no room. */
function ChoiceButton({ choice, says, number, hasKey, isMain, disabled, onPress }: ChoiceButtonGiven) {
  return (
    <button type="button" className={`button relative min-h-11 justify-start @lg:min-h-9 ${isMain ? "button-accent" : ""} ${says ? "outline-2 outline-offset-2 outline-ink" : ""}`} disabled={disabled} onClick={onPress}>
      {says && <span className="absolute bottom-full left-0 z-10 mb-0.5 w-max max-w-80 rounded bg-ink px-1.5 text-left text-xs leading-4 font-medium text-page">{says}</span>}
      {number !== undefined && (
        <kbd className={`key hidden pointer-fine:inline-block ${hasKey ? "" : "invisible"}`} aria-hidden="true">
          {number}
        </kbd>
      )}
      {/* The room of its number is kept, so that nothing moves when it has one; without, the words take the middle of it. */}
      <span className={`said min-w-0 ${number !== undefined && !hasKey ? "pointer-fine:-translate-x-[1.625rem] @lg:pointer-fine:-translate-x-[0.8125rem]" : ""}`}>
        <Plain text={choice.label} />
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

function Reply({ of, label, send, disabled, onSend }: { of: Question; label: string; send: string; disabled: boolean; onSend: (text: string) => void }) {
  const [text, setText] = useDraft(draftOf(of));
  const submit = () => text.trim() && onSend(text.trim());
  return (
    <form
      className="flex min-w-64 flex-1 items-stretch gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        rows={1}
        data-reply={of.id}
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
          if (event.key === "Escape") leave(event.currentTarget);
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
