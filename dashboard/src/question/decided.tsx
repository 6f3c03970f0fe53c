import { Link } from "@tanstack/react-router";

import { Empty } from "@/shell/page";
import { Plain } from "@/text/plain";
import { Moment } from "@/text/time";

import { By } from "./by";
import type { Decision } from "./decisions";
import { outcomeWord } from "./question";

export function Decided({ decisions }: { decisions: Decision[] | undefined }) {
  if (!decisions) return null;
  if (decisions.length === 0) return <Empty title="Nothing decided lately" text="Every answer is kept, with who gave it and when. The newest are listed here." />;
  return (
    <ul className="card divide-y divide-line">
      {decisions.map((decision) => (
        <li key={`${decision.id}-${decision.at}`} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 py-2">
          <span className="w-20 shrink-0 text-xs text-dim">
            <Moment at={decision.at} />
          </span>
          <span className="said min-w-40 flex-1">
            <Plain text={decision.text} />
          </span>
          <span className="said text-dim">
            <span className={decision.outcome === "answered" ? "text-good" : "text-dim"}>{outcomeWord(decision.outcome)}</span>
            {decision.by && <By by={decision.by} through={decision.through} />}
            {decision.answer && <>: <span className="text-ink"><Plain text={decision.answer} /></span></>}
          </span>
          {decision.session && (
            <Link to="/session/$id" params={{ id: decision.session }} className="link text-xs">
              {decision.team ?? "session"}
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}
