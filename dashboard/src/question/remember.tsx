import type { Shapes } from "@/api/call";

import { type Question, isRisky, takesForm } from "./question";
import { TIMES, mayStick, useRefusalsLast } from "./rule";

/** Lets an answer hold for a while: a rule, which the settings list and take back. */
export function Remember({ question, chosen, onChoose }: { question: Question; chosen: Shapes["Remember"] | undefined; onChoose: (remember: Shapes["Remember"] | undefined) => void }) {
  const lasts = useRefusalsLast();
  if (takesForm(question)) return null;
  // What is risky may be remembered as the very same deed, never as any use of the tool.
  const scopes = question.action ? [{ scope: "deed", label: "this very action" }, ...(isRisky(question) ? [] : [{ scope: "tool", label: `any use of ${question.action.tool} that risks no more` }])] : [{ scope: "question", label: "this very question" }];
  const options = scopes.flatMap(({ scope, label }) => TIMES.map((time) => ({ scope, forMs: time.forMs, label: `for ${label}, for ${time.label}` })));
  return (
    <label className="flex flex-wrap items-center gap-2 text-xs text-dim">
      The answer holds
      <select className="field w-auto max-w-full py-1 text-xs" value={options.findIndex(({ scope, forMs }) => scope === chosen?.scope && forMs === chosen.forMs)} onChange={(event) => {
          const option = options[Number(event.target.value)];
          onChoose(option && { scope: option.scope, forMs: option.forMs });
        }}>
        <option value={-1}>{mayStick(question) && lasts ? `a yes only now, a no for ${lasts}` : "only now"}</option>
        {options.map(({ label }, index) => (
          <option key={index} value={index}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
