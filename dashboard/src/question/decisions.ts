// What was decided, in lines. Pure.
import type { Event } from "@/api/stream";

import { deedLine } from "./deed";
import { type Question, spoken } from "./question";

/** What an opened question asks, in a line, as its event tells it. */
export function openedLine({ data }: Pick<Event, "data">): string {
  const { text, detail } = data as { text?: string; detail?: { approval?: { tool: string; input: unknown; folder: string } } };
  const action = detail?.approval && { ...detail.approval, shown: "", digest: "" };
  return deedLine({ question: text ?? "It has a question.", action: action ?? null });
}

/** Who decided. What took its place is a question, and its number says nothing to anybody. */
export const decidedBy = ({ state, closedBy }: Question) => (state === "superseded" ? undefined : (closedBy ?? undefined));

/** What was decided, or why nothing was. */
export function decision({ answer, responseType, action, closedWhy }: Question): string | undefined {
  if (!answer) return closedWhy ?? undefined;
  const isLeave = responseType === "approval" || action != null;
  if (!isLeave || typeof answer.value !== "boolean") return spoken(answer);
  return [answer.value ? "approved" : "refused", answer.text].filter(Boolean).join(": ");
}
