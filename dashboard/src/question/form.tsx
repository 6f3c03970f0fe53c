// Several questions at once, or several answers to one: they are answered together.
import { useId } from "react";

import { useDraft } from "@/shell/draft";
import { Plain } from "@/text/plain";
import { visible } from "@/text/visible";

import { formOf } from "./ask";
import { type Asked, type Question, formValue } from "./question";

interface Filled {
  picked: string[][];
  own: string[];
}

/** What a draft of these says; nothing, if it is none of them. */
function filled(draft: string, asked: Asked[]): Filled {
  const found = draft === "" ? undefined : (JSON.parse(draft) as Filled);
  return found?.own.length === asked.length ? found : { picked: asked.map(() => []), own: asked.map(() => "") };
}

/** The words among it, each by its number. */
export const ownWords = (draft: string) => (JSON.parse(draft) as Filled).own.map((text, index) => ({ name: `Answer ${index + 1}`, text })).filter(({ text }) => text.trim() !== "");

export function AskedForm({ of, asked, isSending, onAnswer, onRefuse }: { of: Pick<Question, "id">; asked: Asked[]; isSending: boolean; onAnswer: (values: string[]) => void; onRefuse: () => void }) {
  const [draft, setDraft] = useDraft(formOf(of));
  const { picked, own } = filled(draft, asked);
  const change = (how: (now: Filled) => Partial<Filled>) =>
    setDraft((draft) => {
      const now = filled(draft, asked);
      return JSON.stringify({ ...now, ...how(now) });
    });
  const value = formValue(asked, picked, own);
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (value) onAnswer(value);
      }}
    >
      {asked.map((one, index) => (
        <OneAsked key={index} asked={one} reply={index === 0 ? of.id : undefined} picked={picked[index] ?? []} own={own[index] ?? ""} onPick={(values) => change(({ picked }) => ({ picked: picked.with(index, values) }))} onOwn={(text) => change(({ own }) => ({ own: own.with(index, text) }))} />
      ))}
      <div className="flex flex-wrap gap-2">
        <button type="submit" className="button button-accent min-h-9" disabled={isSending || !value}>
          Send {asked.length > 1 ? `${asked.length} answers` : "answer"}
        </button>
        <button type="button" className="button min-h-9" disabled={isSending} onClick={onRefuse}>
          Do not answer
        </button>
      </div>
    </form>
  );
}

function OneAsked({ asked, reply, picked, own, onPick, onOwn }: { asked: Asked; /** Of which question it is the first: there one begins. */ reply: string | undefined; picked: string[]; own: string; onPick: (values: string[]) => void; onOwn: (text: string) => void }) {
  const id = useId();
  const toggle = (value: string) => {
    const without = picked.filter((other) => other !== value);
    if (asked.several) return onPick(without.length < picked.length ? without : [...picked, value]);
    onPick([value]);
    onOwn("");
  };
  return (
    <fieldset className="space-y-1">
      <legend className="said font-medium">
        <Plain text={asked.question} />
        {asked.several && <span className="font-normal text-dim"> (any number)</span>}
      </legend>
      {(asked.options ?? []).map((option, index) => (
        <label key={index} className="flex min-h-8 items-start gap-2 rounded px-1 py-1 hover:bg-raised">
          <input data-reply={index === 0 ? reply : undefined} type={asked.several ? "checkbox" : "radio"} name={id} className="mt-1 size-4 accent-accent-solid" checked={picked.includes(option.value)} onChange={() => toggle(option.value)} />
          <span className="said min-w-0">
            <Plain text={option.label} />
            {option.recommended && <span className="text-accent"> · recommended</span>}
            {option.description && (
              <span className="block text-xs text-dim">
                <Plain text={option.description} />
              </span>
            )}
          </span>
        </label>
      ))}
      <input
        className="field"
        data-reply={asked.options?.length ? undefined : reply}
        aria-label={`Your own answer to: ${visible(asked.question)}`}
        placeholder={asked.options?.length ? "Something else" : "Your answer"}
        value={own}
        onChange={(event) => {
          onOwn(event.target.value);
          if (!asked.several && event.target.value) onPick([]);
        }}
      />
    </fieldset>
  );
}
