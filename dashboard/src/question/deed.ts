// What would be done, in a line: from the action itself, not from what the agent says about it. Pure.
import { title } from "@/text/title";
import { headline } from "@/text/visible";

import type { Question } from "./question";

/** "Run `make all` and 2 more lines?" in its parts, so that what the agent wrote can be told from our words. */
export interface Deed {
  verb: string;
  what: string;
  more: string;
}

/** Each tool with the one field that it goes by. An agent may send others along, which decide nothing. */
const TOOLS: Record<string, { verb: string; field: string; isPath?: boolean }> = {
  Bash: { verb: "Run", field: "command" },
  Edit: { verb: "Edit", field: "file_path", isPath: true },
  MultiEdit: { verb: "Edit", field: "file_path", isPath: true },
  NotebookEdit: { verb: "Edit", field: "notebook_path", isPath: true },
  Write: { verb: "Write", field: "file_path", isPath: true },
  Read: { verb: "Read", field: "file_path", isPath: true },
  LS: { verb: "List", field: "path", isPath: true },
  Glob: { verb: "Find", field: "pattern" },
  Grep: { verb: "Search for", field: "pattern" },
  WebFetch: { verb: "Fetch", field: "url" },
  WebSearch: { verb: "Search the web for", field: "query" },
};
const LONGEST = 100;
const MOST = 300;

/** Nothing for what is no action, or of a kind that is not known here: its own question has to do. */
export function deed({ action }: Pick<Question, "action">): Deed | undefined {
  if (!action) return undefined;
  const [, server, own] = /^mcp__(.+?)__(.+)$/.exec(action.tool) ?? [];
  if (own) return { verb: "Use", what: own, more: ` of ${server}` };
  const tool = TOOLS[action.tool];
  const about = tool && (action.input as Record<string, unknown> | null)?.[tool.field];
  if (!tool || typeof about !== "string" || about.trim() === "") return undefined;
  const what = tool.isPath ? within(action.folder, about) : about.trim();
  const lines = what.split("\n").length - 1;
  return { verb: tool.verb, what: headline(what, LONGEST), more: lines > 0 ? ` and ${lines} more line${lines > 1 ? "s" : ""}` : "" };
}

/** The same where there is only text. */
export function deedLine(question: Pick<Question, "action" | "question">): string {
  const found = deed(question);
  return found ? `${found.verb} ${found.what}${found.more}?` : title(question.question, MOST);
}

/** A path in the team's folder is named from there; one that leads out of it is named whole. */
function within(folder: string, path: string): string {
  const inside = folder && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  return inside.split("/").includes("..") ? path : inside;
}
