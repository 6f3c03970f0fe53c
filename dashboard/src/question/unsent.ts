// What somebody wrote to a question that is not open any more: another was quicker, or it ran out. It went to nobody, and
// stays until whoever wrote it puts it away.
import { hashKey } from "@tanstack/react-query";

import { queries } from "@/api/ask";
import { Watched } from "@/api/watch";
import { drafts } from "@/shell/draft";
import { isTyping } from "@/shell/keys";

import { draftOf, forgetDrafts, formOf, pendingQuery } from "./ask";
import { latest } from "./edit";
import { ownWords } from "./form";

/** The words of one field, by its name on the page. */
export interface Written {
  name: string;
  text: string;
}

/** By question. One whose answer is on its way, or was taken, may be among them: see `sending`. */
export const unsent = new Watched<ReadonlyMap<string, readonly Written[]>>(new Map());

export const keepWords = (id: string, words: readonly Written[]) => unsent.update((all) => new Map(all).set(id, words));

export function putAway(id: string) {
  forgetDrafts({ id });
  unsent.update((all) => new Map([...all].filter(([other]) => other !== id)));
}

/** Not open any more, and not because we changed it. */
export function isClosed(id: string): boolean {
  const open = queries.getQueryData(pendingQuery.queryKey);
  return open !== undefined && latest(id) === id && !open.some((question) => question.id === id);
}

type Field = HTMLInputElement | HTMLTextAreaElement;

/** What was written in these fields. What was in one from the start nobody has written. */
export function writtenIn(all: Element): { field: Field; written: Written }[] {
  const fields = [...all.querySelectorAll<Field>("textarea, input")].filter((field) => isTyping(field) && field.value.trim() !== "" && field.value !== field.dataset["start"]);
  return fields.map((field) => ({ field, written: { name: field.getAttribute("aria-label") ?? field.labels?.[0]?.textContent ?? "", text: field.value } }));
}

/** Those that were open when it was last looked. */
let before: ReadonlySet<string> | undefined;

/** Whoever began to answer may be on another page by now, or have read the page anew. What is written to a question that had
 * ended before is meant for that: see past.tsx. */
function lookForDrafts() {
  const open = queries.getQueryData(pendingQuery.queryKey);
  if (!open) return;
  for (const [name, text] of Object.entries(drafts.get())) {
    const id = name.slice(name.indexOf(" ") + 1);
    const words = name === draftOf({ id }) ? [{ name: "", text }] : name === formOf({ id }) ? ownWords(text) : [];
    if (words.length > 0 && (before?.has(id) ?? true) && isClosed(id) && !unsent.get().has(id)) keepWords(id, words);
  }
  before = new Set(open.map(({ id }) => id));
}

const PENDING = hashKey(pendingQuery.queryKey);
queries.getQueryCache().subscribe(({ type, query }) => type === "updated" && query.queryHash === PENDING && lookForDrafts());
