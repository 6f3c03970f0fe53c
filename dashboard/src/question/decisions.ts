// From the log to what was decided. Pure.
import type { Event } from "@/api/stream";

/** What was decided: a question's end, as the log tells it. */
export interface Decision {
  id: string;
  at: number;
  team: string | undefined;
  session: string | undefined;
  text: string;
  outcome: string;
  by: string | undefined;
  answer: string | undefined;
}

interface Told {
  id: string;
  text?: string;
  by?: string;
  why?: string;
  answer?: { type: string; why?: string; values?: string[] };
}

export function decisions(events: Event[]): Decision[] {
  const asked = new Map<string, string>();
  const found: Decision[] = [];
  for (const event of events) {
    const told = event.data as Told;
    if (event.kind === "question.opened") asked.set(told.id, told.text ?? "");
    else
      found.push({
        id: told.id,
        at: event.at,
        team: event.team ?? undefined,
        session: event.session ?? undefined,
        text: asked.get(told.id) ?? "a question from before",
        outcome: event.kind.slice("question.".length),
        by: told.by,
        answer: spoken(told),
      });
  }
  return found.reverse();
}

function spoken({ answer, why }: Told): string | undefined {
  if (answer?.type === "approve") return "approved";
  if (answer?.type === "refuse") return answer.why ? `refused: ${answer.why}` : "refused";
  return answer?.values?.join(" · ") ?? why;
}
