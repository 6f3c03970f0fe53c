// A form that an agent described by a schema: plain fields only, which is all that may be asked for.
import { type FormEvent, useId } from "react";

import { Plain } from "@/text/plain";
import { visible } from "@/text/visible";

interface Field {
  type?: string;
  title?: string;
  description?: string;
  enum?: unknown[];
  enumNames?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

interface Schema {
  properties?: Record<string, Field>;
  required?: string[];
}

/** What was filled in, in the types that were asked for; what was left empty is left out. */
export function filledIn(schema: Schema, form: FormData): Record<string, unknown> {
  const value = ({ type }: Field, text: string | null) => (type === "boolean" ? text !== null : text === null || text === "" ? undefined : type === "number" || type === "integer" ? Number(text) : text);
  const pairs = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, value(field, form.get(name) as string | null)] as const);
  return Object.fromEntries(pairs.filter(([, given]) => given !== undefined));
}

export function SchemaForm({ of, schema, isSending, onAnswer, onRefuse }: { of: string; schema: unknown; isSending: boolean; onAnswer: (value: Record<string, unknown>) => void; onRefuse: () => void }) {
  const known = (schema ?? {}) as Schema;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onAnswer(filledIn(known, new FormData(event.currentTarget)));
  };
  return (
    <form className="space-y-2" onSubmit={submit}>
      {Object.entries(known.properties ?? {}).map(([name, field], index) => (
        <FieldView key={name} reply={index === 0 ? of : undefined} name={name} field={field} isRequired={known.required?.includes(name) ?? false} />
      ))}
      <div className="flex flex-wrap gap-2">
        <button type="submit" className="button button-accent min-h-9" disabled={isSending}>
          Send
        </button>
        <button type="button" className="button min-h-9" disabled={isSending} onClick={onRefuse}>
          Do not answer
        </button>
      </div>
    </form>
  );
}

function FieldView({ reply, name, field, isRequired }: { /** Of which question it is the first. */ reply: string | undefined; name: string; field: Field; isRequired: boolean }) {
  const id = useId();
  const common = { id, name, "data-reply": reply, className: "field", required: isRequired, defaultValue: field.default === undefined ? "" : String(field.default) };
  return (
    <div>
      <label htmlFor={id} className="said font-medium">
        <Plain text={field.title ?? name} />
      </label>
      {field.description && (
        <p className="said text-xs text-dim">
          <Plain text={field.description} />
        </p>
      )}
      {field.type === "boolean" ? (
        <input id={id} name={name} data-reply={reply} type="checkbox" className="ml-2 size-6 accent-accent-solid" defaultChecked={field.default === true} />
      ) : field.enum ? (
        <select {...common}>
          {!isRequired && <option value="" />}
          {field.enum.map((value, index) => (
            <option key={index} value={String(value)}>
              {visible(field.enumNames?.[index] ?? String(value))}
            </option>
          ))}
        </select>
      ) : (
        <input {...common} data-start={common.defaultValue} type={field.type === "number" || field.type === "integer" ? "number" : "text"} step={field.type === "integer" ? 1 : "any"} min={field.minimum} max={field.maximum} maxLength={field.maxLength} />
      )}
    </div>
  );
}
