import { useEffect, useState } from "react";

import { Plain } from "@/text/plain";
import { visible } from "@/text/visible";

import { editing, fields, useEdit, written } from "./edit";
import type { Question } from "./question";

/** The action field by field. Nothing runs by sending it: what comes back is asked anew, as Iris reads it. */
export function EditForm({ question, onClose }: { question: Question; onClose: () => void }) {
  const [start] = useState(() => fields(question.action?.input));
  const [now, setNow] = useState(start);
  const edit = useEdit();
  const made = written(now);
  const isChanged = now.some(({ text }, index) => text !== start[index]?.text);
  const { id } = question;
  useEffect(() => {
    editing.set(id);
    return () => editing.update((other) => (other === id ? undefined : other));
  }, [id]);
  return (
    <form
      className="space-y-2"
      aria-label="Edit first"
      onSubmit={(event) => {
        event.preventDefault();
        if (typeof made === "object" && isChanged) edit.mutate({ question, input: made }, { onSuccess: onClose });
      }}
    >
      {now.map((field, index) => (
        <label key={field.name} className="block">
          <span className="said font-mono text-xs text-dim">
            <Plain text={field.name} />
            {field.isJson && " (JSON)"}
          </span>
          <textarea
            className="field field-sizing-content block max-h-80 min-h-9 resize-y font-mono text-xs"
            rows={1}
            spellCheck={false}
            aria-label={visible(field.name)}
            data-start={start[index]?.text}
            autoFocus={index === 0}
            value={field.text}
            onChange={(event) => setNow((all) => all.with(index, { ...field, text: event.target.value }))}
          />
        </label>
      ))}
      {typeof made === "string" && (
        <p role="alert" className="said text-xs text-bad">
          <Plain text={made} />
        </p>
      )}
      <p className="text-xs text-dim">Nothing runs yet. Iris reads what you wrote and shows what it would do; then you approve that.</p>
      <div className="flex flex-wrap gap-2">
        <button type="submit" className="button button-ink min-h-9" disabled={!isChanged || typeof made === "string" || edit.isPending}>
          Show what it would do
        </button>
        <button type="button" className="button min-h-9" onClick={onClose}>
          Leave it as it is
        </button>
      </div>
    </form>
  );
}
