// What an agent is doing just now, in a line, from the newest message that was heard of it.
import type { Event } from "@/api/stream";
import { type Input, subject } from "@/session/tool";
import { headline } from "@/text/visible";

interface Said {
  type: string;
  text?: string;
  data?: { message?: { content?: { type?: string; name?: string; input?: Input }[] } };
}

export function step(event: Event | undefined): string | undefined {
  const said = event?.data as Said | undefined;
  switch (said?.type) {
    case "tool_use": {
      const call = said.data?.message?.content?.find(({ type }) => type === "tool_use");
      return headline(`${call?.name ?? said.text ?? "tool"} ${subject(call?.name ?? "", call?.input ?? {})}`);
    }
    case "tool_result":
      return "reads what a tool gave back";
    case "thinking":
      return "thinks";
    case "assistant":
      return said.text && headline(said.text);
    case "task":
    case "retry":
    case "compaction":
    case "model_fallback":
      return said.text;
    default:
      return undefined;
  }
}
