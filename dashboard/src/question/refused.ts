// Why an answer was not taken, in the words of this page. What the daemon says may name commands and addresses for
// programs; whoever looks at a card has the card. Pure.
import { Refusal } from "@/api/call";

/** The question is answered, gone or past its time: nothing to try again. What has changed is asked anew, and can be. */
export const isOver = ({ status, closed }: Refusal) => status === 404 || status === 410 || (status === 409 && closed !== undefined);

export function refusedWords({ status, message, hint, closed }: Refusal): { text: string; hint: string | undefined } {
  if (status === 404) return { text: "there is no such question any more", hint: "The inbox has what is open." };
  if (closed?.state === "superseded" && hint?.startsWith("nobody answered it")) return { text: hint, hint: undefined };
  if (closed?.state === "superseded") return { text: "it was changed before it was answered", hint: "What took its place is in the inbox." };
  if (closed) return { text: message, hint: status === 410 || isRepeatable(closed.state) ? "Its work can be run again with your answer." : "Your answer changed nothing." };
  if (status === 409 && message.includes("digest")) return { text: "what is asked is not what you looked at", hint: "Look at it again, and answer what you see." };
  if (status === 409) return { text: message, hint: "Somebody may have run it again before." };
  if (status === 422) return { text: message, hint: "Choose one of the answers, or write one that fits." };
  return { text: message, hint: isForElsewhere(hint) ? undefined : hint };
}

/** The same in sentences. */
export function refusedLine(before: string, error: Refusal): string {
  const { text, hint } = refusedWords(error);
  return [`${before}: ${text}`, hint].filter((part) => part !== undefined).map(ended).join(" ");
}

/** Whether the work that asked can be done again with an answer: it ended without one. */
export const isRepeatable = (state: string) => ["expired", "cancelled", "defaulted"].includes(state);

const ended = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`);

const isForElsewhere = (hint: string | undefined) => hint !== undefined && /`iris (inbox|answer|jobs)|\/api\//.test(hint);
