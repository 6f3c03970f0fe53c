import { useMemo } from "react";

import { ToolInput } from "@/session/tool-input";
import { Markdown } from "@/text/markdown";
import { Block, Plain } from "@/text/plain";
import { Witnessed } from "@/text/scroll";

import { deedLine } from "./deed";
import { changedFrom } from "./edit";
import { EditForm } from "./edit-form";
import type { Question } from "./question";
import { witness } from "./seen";

/** A plan is written to be read; what it is to the byte is below it. */
function planOf({ way, action }: Question): { plan?: string; rest?: Record<string, unknown> } {
  const input: unknown = action?.input;
  if (way !== "plan" || !action?.meaning?.about || input === null || typeof input !== "object") return {};
  const { about, covers = [] } = action.meaning;
  return { plan: about, rest: Object.fromEntries(Object.entries(input).filter(([field]) => !covers.includes(field))) };
}

const COLOUR: Record<string, string> = { high: "text-bad", medium: "text-held", low: "text-dim" };

/** What would be done, exactly, and what Iris makes of it. */
export function Action({ question, isEditing = false, onEdit }: { question: Question; isEditing?: boolean; /** Absent where there is nothing to decide any more. */ onEdit?: (isEditing: boolean) => void }) {
  const { id, action, risk, riskWhy } = question;
  const witnessed = useMemo(() => witness(id), [id]);
  const before = changedFrom(question);
  const { plan, rest = {} } = planOf(question);
  const judged = risk && (
    <p className={`said mt-1 text-xs ${COLOUR[risk] ?? ""}`}>
      {risk} risk{riskWhy && <>: <Plain text={riskWhy} /></>}
    </p>
  );
  if (!action) return judged ?? null;
  const canEdit = onEdit && question.way !== "elicitation" && typeof action.input === "object";
  if (isEditing)
    return (
      <div role="group" className="rounded-md border border-line bg-page p-2" aria-label="What would be done">
        <EditForm question={question} onClose={() => onEdit?.(false)} />
      </div>
    );
  return (
    <div role="group" className={`rounded-md border bg-page p-2 ${risk === "high" ? "border-bad" : "border-line"}`} aria-label="What would be done">
      {before && (
        <p className="said mb-1 text-xs text-work">
          You changed this. It was: <Plain text={deedLine(before)} />
        </p>
      )}
      <div className="mb-1 flex items-start justify-between gap-3 pointer-fine:items-baseline">
        <p className="label said min-w-0">
          <span className="font-mono text-ink">
            <Plain text={action.tool} />
          </span>{" "}
          {onEdit ? "would be called with exactly this" : "was to be called with exactly this"}
          {action.folder && (
            <>
              {" "}
              in <Plain text={action.folder} />
            </>
          )}
          {action.reason && (
            <>
              {" "}
              · <Plain text={action.reason} />
            </>
          )}
        </p>
        {canEdit && (
          <button type="button" className="link min-h-6 shrink-0 text-xs" onClick={() => onEdit(true)}>
            Edit first
          </button>
        )}
      </div>
      {plan && <Markdown text={plan} />}
      {(!plan || Object.keys(rest).length > 0) && (
        <Witnessed value={witnessed}>
          {/* What cannot be read exactly is a text, and is nowhere but in its bytes. */}
          {typeof action.input === "string" ? <Block text={action.shown} /> : <ToolInput input={plan ? rest : action.input} meaning={action.meaning} />}
        </Witnessed>
      )}
      {judged}
      {action.shown && typeof action.input !== "string" && (
        // A plan may be nowhere else: its input can be empty, or hold another than the one that the agent wrote down.
        <details className="mt-1 text-xs text-dim" open={question.way === "plan" && (!plan || action.shown.startsWith("plan as the agent wrote it:"))}>
          <summary>As it is to the byte{action.digest && <span className="font-mono"> · {action.digest.slice(0, 12)}</span>}</summary>
          <Block text={action.shown} />
        </details>
      )}
      {!canEdit && action.digest && (
        <p className="said mt-1 text-xs text-dim">
          digest <span className="font-mono">{action.digest}</span>
        </p>
      )}
    </div>
  );
}
