// From the log to what was decided. Pure.
import type { Event } from "@/api/stream";

import type { Through } from "./by";
import { deedLine } from "./deed";

/** What was decided: a question's end, as the log tells it. */
export interface Decision {
  id: string;
  at: number;
  team: string | undefined;
  session: string | undefined;
  text: string;
  outcome: string;
  by: string | undefined;
  through: Through | undefined;
  answer: string | undefined;
}

interface Told {
  id: string;
  text?: string;
  detail?: { approval?: { tool: string; input: unknown; folder: string } };
  by?: string;
  through?: Through;
  why?: string;
  answer?: { type: string; why?: string; values?: string[] };
}

/** What ends a question. Other things happen to one as well. */
const ENDS = new Set(["answered", "defaulted", "expired", "cancelled", "superseded"]);

export function decisions(events: Event[]): Decision[] {
  const asked = new Map<string, string>();
  const found: Decision[] = [];
  for (const event of events) {
    const told = event.data as Told;
    const outcome = event.kind.slice("question.".length);
    if (outcome === "opened") asked.set(told.id, openedLine(event));
    else if (ENDS.has(outcome))
      found.push({
        id: told.id,
        at: event.at,
        team: event.team ?? undefined,
        session: event.session ?? undefined,
        text: asked.get(told.id) ?? "a question from before",
        outcome,
        // What took its place is a question, and its number says nothing to anybody.
        by: outcome === "superseded" ? undefined : told.by,
        through: told.through,
        answer: spoken(told),
      });
  }
  return found.reverse();
}

/** What an opened question asks, in a line, as its event tells it. */
export function openedLine({ data }: Pick<Event, "data">): string {
  const { text, detail } = data as Told;
  const action = detail?.approval && { ...detail.approval, shown: "", digest: "" };
  return deedLine({ question: text ?? "It has a question.", action: action ?? null });
}

function spoken({ answer, why }: Told): string | undefined {
  if (answer?.type === "approve") return "approved";
  if (answer?.type === "refuse") return answer.why ? `refused: ${answer.why}` : "refused";
  return answer?.values?.join(" · ") ?? why;
}
