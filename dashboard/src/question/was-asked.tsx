import { Link } from "@tanstack/react-router";
import { CircleHelp } from "lucide-react";

import { Plain } from "@/text/plain";
import { Moment } from "@/text/time";

import { By } from "./by";
import { decidedBy, verdict } from "./decisions";
import { deedLine } from "./deed";
import type { Question } from "./question";

/** A question in a conversation, where it was asked, when it is decided: what, by whom and when. */
export function WasAsked({ question }: { question: Question }) {
  const { word, isYes, more } = verdict(question);
  const by = decidedBy(question);
  return (
    <div role="note" aria-label={`Decided question of ${question.team}`} className="said my-1 flex items-baseline gap-2 border-l-2 border-edge/60 py-0.5 pl-2 text-xs text-dim">
      <CircleHelp size={14} className="shrink-0 self-start mt-0.5" aria-hidden="true" />
      <span className="min-w-0 flex-1">
        <Plain text={deedLine(question)} />{" "}
        <span className={`font-medium ${isYes ? "text-good" : "text-held"}`}>{word}</span>
        {by && <By by={by} through={question.closedThrough} />}
        {more && (
          <>
            : <span className="text-ink"><Plain text={more} /></span>
          </>
        )}
      </span>
      {question.closedAt != null && (
        <span className="shrink-0">
          <Moment at={question.closedAt} />
        </span>
      )}
      <Link to="/inbox" search={{ view: "decided", question: question.id }} className="link shrink-0">
        Decided
      </Link>
    </div>
  );
}
