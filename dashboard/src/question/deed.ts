// What would be done, in a line: from the action itself, not from what the agent says about it. Pure.
import { title, unmarked } from "@/text/title";
import { headline } from "@/text/visible";

import { type Question, isYesNo } from "./question";

/** "Run `make all` and 2 more lines?" in its parts, so that what the agent wrote can be told from our words. */
export interface Deed {
  verb: string;
  what: string;
  more: string;
}

/** What tools do that go by one thing, by their nature. As in `iris monitor` (monitor/deed.rs). */
const VERBS = new Map<string, { verb: string; isPath?: boolean }>([
  ["shell", { verb: "Run" }],
  ["changes", { verb: "Edit", isPath: true }],
  ["writes", { verb: "Write", isPath: true }],
  ["reads", { verb: "Read", isPath: true }],
  ["lists", { verb: "List", isPath: true }],
  ["finds", { verb: "Find" }],
  ["searches", { verb: "Search for" }],
  ["fetches", { verb: "Fetch" }],
  ["searches_web", { verb: "Search the web for" }],
]);
const LONGEST = 100;
const MOST = 300;

/** Nothing for what is no action, or of a kind that is not known here: its own question has to do. */
export function deed({ action }: Pick<Question, "action">): Deed | undefined {
  if (!action?.meaning) return undefined;
  const { nature, about, served } = action.meaning;
  if (served) return { verb: "Use", what: served.tool, more: ` of ${served.server}` };
  const known = VERBS.get(nature);
  if (!known || about == null || about.trim() === "") return undefined;
  const what = known.isPath ? within(action.folder, about) : about.trim();
  const lines = what.split("\n").length - 1;
  return { verb: known.verb, what: headline(what, LONGEST), more: lines > 0 ? ` and ${lines} more line${lines > 1 ? "s" : ""}` : "" };
}

/** The same where there is only text. */
export function deedLine(question: Pick<Question, "action" | "question">): string {
  const found = deed(question);
  return found ? `${found.verb} ${found.what}${found.more}?` : title(question.question, MOST);
}

/** What is asked, where there is room for all of it. What somebody says yes to is shown as it is. */
export const whole = (question: Pick<Question, "question" | "responseType">) => (isYesNo(question) ? question.question : unmarked(question.question));

/** A path in the team's folder is named from there; one that leads out of it is named whole. */
function within(folder: string, path: string): string {
  const inside = folder && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  return inside.split("/").includes("..") ? path : inside;
}
