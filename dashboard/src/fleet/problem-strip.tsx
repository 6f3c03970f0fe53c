// What is wrong, above the fleet and without pushing it off the screen.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Clock, TriangleAlert } from "lucide-react";
import { useState } from "react";

import { type Session, statusQuery } from "@/api/ask";
import { steps } from "@/api/live";
import { useWatched } from "@/api/watch";
import type { SessionFigures, TurnEnd } from "@/health/turns";
import { Block, Plain } from "@/text/plain";
import { useKnownNow } from "@/text/time";

import { type Problem, problems } from "./problems";

interface Given {
  sessions: Session[];
  figures: ReadonlyMap<string, SessionFigures>;
  asking: ReadonlySet<string>;
  me: string;
}

/** How many are there at first; on a phone fewer, of one line each. */
const FIRST = 6;
const FIRST_ON_PHONE = 2;

export function Problems({ sessions, figures, asking, me }: Given) {
  const [isWhole, setWhole] = useState(false);
  const status = useQuery(statusQuery).data;
  const ends = new Map<string, TurnEnd>([...figures].flatMap(([id, { last }]) => (last ? [[id, last] as const] : [])));
  const found = problems({ status, sessions, ends, steps: useWatched(steps), asking, me, now: useKnownNow() });
  if (found.length === 0) return null;
  const more = (shown: number) => (isWhole ? "Show fewer" : `and ${found.length - shown} more`);
  return (
    <section aria-label="Problems" className={`card ${found.every(({ isCalm }) => isCalm) ? "" : "border-bad"}`}>
      <ul className="divide-y divide-line">
        {(isWhole ? found : found.slice(0, FIRST)).map((problem, index) => (
          <Line key={problem.key} problem={problem} isWhole={isWhole} className={!isWhole && index >= FIRST_ON_PHONE ? "max-md:hidden" : ""} />
        ))}
      </ul>
      {found.length > FIRST_ON_PHONE && (
        <button type="button" aria-expanded={isWhole} className={`link min-h-6 px-3 pb-1.5 text-xs ${found.length > FIRST ? "" : "md:hidden!"}`} onClick={() => setWhole(!isWhole)}>
          <span className="md:hidden">{more(FIRST_ON_PHONE)}</span>
          <span className="max-md:hidden">{more(FIRST)}</span>
        </button>
      )}
    </section>
  );
}

function Line({ problem, isWhole, className }: { problem: Problem; isWhole: boolean; className: string }) {
  const [isOpen, setOpen] = useState(false);
  const { text, detail, each } = problem;
  const folded = isWhole ? "" : "max-md:truncate";
  return (
    <li className={`said px-3 py-1.5 ${className}`}>
      <div className="flex items-center gap-2">
        {problem.isCalm ? <Clock size={15} className="shrink-0 text-dim" aria-hidden="true" /> : <TriangleAlert size={15} className="shrink-0 text-bad" aria-hidden="true" />}
        <span className={`min-w-0 flex-1 ${folded}`}>
          <Plain text={text} />
          {detail && (
            <span className={isWhole ? "block" : "block max-md:hidden"}>
              <Block text={detail} className="mt-0.5 text-dim" />
            </span>
          )}
        </span>
        {each && (
          <button type="button" className="link text-xs" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Fold" : "Each"}
          </button>
        )}
        <Place problem={problem} />
      </div>
      {isOpen && each && (
        <ul className="mt-1 max-h-60 space-y-1 overflow-auto pl-6 text-xs text-dim">
          {each.map((one) => (
            <li key={one.key} className="flex items-center gap-2">
              <span className="min-w-0 flex-1">
                <Plain text={one.text} />
              </span>
              <Place problem={one} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** Where it is seen. */
function Place({ problem: { page, session, turn } }: { problem: Problem }) {
  if (page) {
    return (
      <Link className="link text-xs" to={page}>
        Look
      </Link>
    );
  }
  if (!session) return null;
  return (
    <Link className="link text-xs" to="/session/$id" params={{ id: session }} search={turn ? { turn } : {}}>
      Look
    </Link>
  );
}
