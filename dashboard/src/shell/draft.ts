// What somebody has written and not sent yet. It is there when they come back to it from another page, as long as this one
// is open; it is nowhere else.
import { Watched, useWatched } from "@/api/watch";

const drafts = new Watched<ReadonlyMap<string, string>>(new Map());

export type SetDraft = (next: string | ((now: string) => string)) => void;

export function setDraft(of: string, next: string) {
  if ((drafts.get().get(of) ?? "") === next) return;
  drafts.update((all) => (next === "" ? new Map([...all].filter(([other]) => other !== of)) : new Map(all).set(of, next)));
}

/** As a state that outlives what shows it. `of` says what it is for. */
export function useDraft(of: string): [string, SetDraft] {
  const text = useWatched(drafts).get(of) ?? "";
  return [text, (next) => setDraft(of, typeof next === "function" ? next(drafts.get().get(of) ?? "") : next)];
}
