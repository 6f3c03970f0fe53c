// What a tool is called with. Where it is approved: whole, every field, nothing hidden. Also where it is read later.
import { Block, Plain } from "@/text/plain";

import { Diff } from "./diff";
import { type AskedHere, type Input, type Todo, asks, changes, todos } from "./tool";

/** `isPast`: nobody is to approve it any more, so that it may be told in a way that reads well and leaves little things out. */
export function ToolInput({ name, input, isPast = false }: { name: string; input: unknown; isPast?: boolean }) {
  if (input === null || typeof input !== "object" || Array.isArray(input)) return <Block name="input" text={JSON.stringify(input, null, 2) ?? ""} />;
  const fields = input as Input;
  const changed = changes(name, fields);
  const list = isPast ? todos(name, fields) : undefined;
  const questions = isPast ? asks(name, fields) : undefined;
  const shownAbove = [...(changed.length > 0 ? ["old_string", "new_string", "content", "edits", "file_path", "path"] : []), ...(list ? ["todos"] : []), ...(questions ? ["questions", "question", "options"] : [])];
  const others = Object.entries(fields).filter(([key]) => !shownAbove.includes(key));
  return (
    <div className="space-y-2">
      {changed.map((change, index) => (
        <Diff key={index} name={`change ${index}`} change={change} />
      ))}
      {list && <Todos list={list} />}
      {questions?.map((asked, index) => <AskedThere key={index} asked={asked} />)}
      {others.length > 0 && (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
          {others.map(([key, value]) => (
            <Field key={key} name={key} value={value} />
          ))}
        </dl>
      )}
    </div>
  );
}

const MARKS = { done: "✓", doing: "▸", open: "○" };
const MARK_WORDS = { done: "done", doing: "being done", open: "to be done" };

function Todos({ list }: { list: Todo[] }) {
  return (
    <ul className="space-y-0.5">
      {list.map(({ text, state }, index) => (
        <li key={index} className={`said flex gap-2 ${state === "done" ? "text-dim" : state === "doing" ? "font-medium" : ""}`}>
          <span className={`w-4 shrink-0 text-center ${state === "done" ? "text-good" : state === "doing" ? "text-work" : "text-dim"}`} role="img" aria-label={MARK_WORDS[state]}>
            {MARKS[state]}
          </span>
          <Plain text={text} />
        </li>
      ))}
    </ul>
  );
}

function AskedThere({ asked: { question, options } }: { asked: AskedHere }) {
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
  return (
    <>
      <dt className="said font-mono text-xs leading-5 text-dim">
        <Plain text={name} />
      </dt>
      <dd className="min-w-0">
        <Block name={name} text={typeof value === "string" ? value : JSON.stringify(value, null, 2)} className="leading-5" />
      </dd>
    </>
  );
}
