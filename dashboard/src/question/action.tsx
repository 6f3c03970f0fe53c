import { ToolInput } from "@/session/tool-input";
import { Block, Plain } from "@/text/plain";

import type { Question } from "./question";

const COLOUR: Record<string, string> = { high: "text-bad", medium: "text-held", low: "text-dim" };

/** What would be done, exactly, and what Iris makes of it. */
export function Action({ question }: { question: Question }) {
  const { action, risk, riskWhy } = question;
  const judged = risk && (
    <p className={`mt-1 text-xs ${COLOUR[risk] ?? ""}`}>
      {risk} risk{riskWhy && <>: <Plain text={riskWhy} /></>}
    </p>
  );
  if (!action) return judged ?? null;
  return (
    <section className={`rounded-md border bg-page p-2 ${risk === "high" ? "border-bad" : "border-line"}`} aria-label="What would be done">
      <p className="label mb-1">
        <span className="font-mono text-ink">
          <Plain text={action.tool} />
        </span>{" "}
        would be called with exactly this
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
      <ToolInput name={action.tool} input={action.input} />
      {judged}
      {action.shown && (
        // A plan may be nowhere else: its input can be empty.
        <details className="mt-1 text-xs text-dim" open={question.way === "plan"}>
          <summary>As it is to the byte{action.digest && <span className="font-mono"> · {action.digest.slice(0, 12)}</span>}</summary>
          <Block text={action.shown} />
        </details>
      )}
    </section>
  );
}
