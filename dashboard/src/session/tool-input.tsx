// What a tool is called with. Where it is approved: whole, every field, nothing hidden. Also where it is read later.
import type { Shapes } from "@/api/call";
import { Block, Plain } from "@/text/plain";
import { useWitnessed } from "@/text/scroll";

import { Diff } from "./diff";
import type { Input, Meaning } from "./tool";

/** `isPast`: nobody is to approve it any more, so that it may be told in a way that reads well and leaves little things out. */
export function ToolInput({ input, meaning, isPast = false }: { input: unknown; meaning: Meaning | undefined; isPast?: boolean }) {
  if (input === null || typeof input !== "object" || Array.isArray(input)) return <Block name="input" text={JSON.stringify(input, null, 2) ?? ""} />;
  const fields = input as Input;
  const changed = meaning?.changes ?? [];
  const notes = (isPast && meaning?.notes) || [];
  const questions = (isPast && meaning?.asks) || [];
  // What is told by nothing above is shown below, whatever it is.
  const shownAbove = changed.length + notes.length + questions.length > 0 ? (meaning?.covers ?? []) : [];
  const others = Object.entries(fields).filter(([key]) => !shownAbove.includes(key));
  return (
    <div className="space-y-2">
      {changed.map((change, index) => (
        <Diff key={index} name={`change ${index}`} change={change} />
      ))}
      {notes.length > 0 && <Notes notes={notes} />}
      {questions.map((asked, index) => <AskedThere key={index} asked={asked} />)}
      {others.length > 0 && (
        // A name may be as long as its agent likes: it has a third of the room at most, and the rest is for what is in it.
        <dl className="grid grid-cols-[fit-content(30%)_minmax(0,1fr)] gap-x-3 gap-y-1">
          {others.map(([key, value]) => (
            <Field key={key} name={key} value={value} />
          ))}
        </dl>
      )}
    </div>
  );
}

const MARKS: Record<string, { mark: string; words: string }> = { done: { mark: "✓", words: "done" }, doing: { mark: "▸", words: "being done" } };
const OPEN = { mark: "○", words: "to be done" };

function Notes({ notes }: { notes: Shapes["Note"][] }) {
  return (
    <ul className="space-y-0.5">
      {notes.map(({ text, state }, index) => (
        <li key={index} className={`said flex gap-2 ${state === "done" ? "text-dim" : state === "doing" ? "font-medium" : ""}`}>
          <span className={`w-4 shrink-0 text-center ${state === "done" ? "text-good" : state === "doing" ? "text-work" : "text-dim"}`} role="img" aria-label={(MARKS[state] ?? OPEN).words}>
            {(MARKS[state] ?? OPEN).mark}
          </span>
          <Plain text={text} />
        </li>
      ))}
    </ul>
  );
}

function AskedThere({ asked: { question, options = [] } }: { asked: Shapes["CallQuestion"] }) {
  return (
    <div className="said">
      <p className="font-medium">
        <Plain text={question} />
      </p>
      {options.length > 0 && (
        <ul className="list-disc pl-5 text-dim">
          {options.map((option, index) => (
            <li key={index}>
              <Plain text={option} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Field({ name, value }: { name: string; value: unknown }) {
  // A name is part of what is approved, as well.
  const box = useWitnessed<HTMLElement>(`name ${name}`);
  return (
    <>
      <dt ref={box} className="said min-w-0 font-mono text-xs leading-5 text-dim">
        <Plain text={name} />
      </dt>
      <dd className="min-w-0">
        <Block name={`field ${name}`} text={typeof value === "string" ? value : JSON.stringify(value, null, 2)} className="leading-5" />
      </dd>
    </>
  );
}
