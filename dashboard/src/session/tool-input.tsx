// What a tool is called with, whole: every field, nothing hidden. Used where it is approved and where it is read later.
import { Block, Plain } from "@/text/plain";

import { Diff } from "./diff";
import { type Input, changes } from "./tool";

export function ToolInput({ name, input }: { name: string; input: unknown }) {
  if (input === null || typeof input !== "object" || Array.isArray(input)) return <Block text={JSON.stringify(input, null, 2) ?? ""} />;
  const fields = input as Input;
  const changed = changes(name, fields);
  const shownAsDiff = changed.length > 0 ? ["old_string", "new_string", "content", "edits", "file_path", "path"] : [];
  const others = Object.entries(fields).filter(([key]) => !shownAsDiff.includes(key));
  return (
    <div className="space-y-2">
      {changed.map((change, index) => (
        <Diff key={index} change={change} />
      ))}
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

function Field({ name, value }: { name: string; value: unknown }) {
  return (
    <>
      <dt className="said font-mono text-xs leading-5 text-dim">
        <Plain text={name} />
      </dt>
      <dd className="min-w-0">
        <Block text={typeof value === "string" ? value : JSON.stringify(value, null, 2)} className="leading-5" />
      </dd>
    </>
  );
}
