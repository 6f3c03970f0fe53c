// What an agent is doing just now, in a line: from the newest message that was heard of it, or from what the daemon says of
// the time before this page was there.
import type { Session } from "@/api/ask";
import type { Shapes } from "@/api/call";
import type { Event } from "@/api/stream";
import { subject, toolName } from "@/session/tool";
import { headline } from "@/text/visible";
import { words } from "@/text/words";

interface Said {
  type: string;
  text?: string;
  calls?: Shapes["Call"][];
}

export interface Step {
  kind: string;
  at: number;
  /** Nothing for what says nothing in a line. */
  line: string | undefined;
}

/** The newer of what was heard and what the daemon said. */
export function newestStep(heard: Event | undefined, last: Session["last"]): Step | undefined {
  if (heard && heard.at >= (last?.at ?? 0)) return { kind: (heard.data as Said).type, at: heard.at, line: step(heard) };
  return last ? { kind: last.kind, at: last.at, line: line(last.kind, last.text) } : undefined;
}

export function step(event: Event | undefined): string | undefined {
  const said = event?.data as Said | undefined;
  const [call] = said?.calls ?? [];
  if (said?.type !== "tool_use" || !call) return said && line(said.type, said.text);
  return headline(`${toolName(call)} ${subject(call)}`);
}

function line(kind: string, text: string | undefined): string | undefined {
  switch (kind) {
    case "tool_use":
    case "assistant":
      return text && headline(text);
    case "tool_result":
      return "reads what a tool gave back";
    case "thinking":
      return "thinks";
    case "task":
    case "retry":
    case "compaction":
    case "model_fallback":
      return text;
    default:
      return undefined;
  }
}

const KINDS: Record<string, string> = { assistant: "words", tool_use: "tool call", tool_result: "tool result", thinking: "thought", system: "sign of life", compaction: "shortened its memory", model_fallback: "another model" };

/** What happened last in a session, by name: something its agent did, a change of its state, or that it was told something. */
export function lastEvent(session: Session, step: Step | undefined): { word: string; at: number } {
  const state = { word: session.stateSource ? words(session.stateSource.kind.replace(".", " ")) : "state changed", at: session.stateSince };
  const did = step && { word: KINDS[step.kind] ?? words(step.kind), at: step.at };
  const told = { word: "told", at: session.usedAt };
  // At the same moment, the more telling comes first.
  return [did, state, told].filter((one) => one !== undefined).reduce((newest, one) => (one.at > newest.at ? one : newest));
}
