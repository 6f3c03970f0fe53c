// What somebody has written and not sent yet. It is there when they come back to it from another page, or read this one anew,
// as long as its tab is open; it is nowhere else.
import { useWatched } from "@/api/watch";

import { kept } from "./keep";

export const drafts = kept<Readonly<Record<string, string>>>("drafts", {}, () => sessionStorage);

export type SetDraft = (next: string | ((now: string) => string)) => void;

export function setDraft(of: string, next: string) {
  if ((drafts.get()[of] ?? "") === next) return;
  drafts.update((all) => Object.fromEntries(Object.entries({ ...all, [of]: next }).filter(([, text]) => text !== "")));
}

/** As a state that outlives what shows it. `of` says what it is for. */
export function useDraft(of: string): [string, SetDraft] {
  const text = useWatched(drafts)[of] ?? "";
  return [text, (next) => setDraft(of, typeof next === "function" ? next(drafts.get()[of] ?? "") : next)];
}
