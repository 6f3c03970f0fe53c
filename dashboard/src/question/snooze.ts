// Put aside until later, in this browser only: the question stays open for everybody else.
import { kept } from "@/shell/keep";

import type { Question } from "./question";

export const snoozed = kept<Readonly<Record<string, number>>>("snoozed", {});

/** A question that runs out soon is not kept aside, whatever was said. */
const COMES_BACK_BEFORE = 5 * 60_000;

/** When it is back at the latest if it is put aside until then; undefined if it runs out too soon to be put aside at all. */
export function comesBack({ deadline }: Pick<Question, "deadline">, until: number, now: number): number | undefined {
  const back = deadline == null ? until : Math.min(until, deadline - COMES_BACK_BEFORE);
  return back > now ? back : undefined;
}

export function snooze(id: string, until: number) {
  const now = Date.now();
  snoozed.update((all) => ({ ...Object.fromEntries(Object.entries(all).filter(([, end]) => end > now)), [id]: until }));
}

export function wake(id: string) {
  snoozed.update((all) => Object.fromEntries(Object.entries(all).filter(([other]) => other !== id)));
}

export function isSnoozed(question: Question, all: Readonly<Record<string, number>>, now: number): boolean {
  const until = all[question.id];
  const { deadline } = question;
  return until !== undefined && until > now && !(deadline != null && deadline - now < COMES_BACK_BEFORE);
}

/** The times that are offered: those at which it is still open. */
export function laterTimes(question: Pick<Question, "deadline">, now: Date): { label: string; until: number }[] {
  const tomorrow = new Date(now);
  tomorrow.setDate(now.getDate() + 1);
  tomorrow.setHours(9, 0, 0, 0);
  const at = now.getTime();
  const all = [
    { label: "15 minutes", until: at + 15 * 60_000 },
    { label: "1 hour", until: at + 60 * 60_000 },
    { label: "4 hours", until: at + 4 * 60 * 60_000 },
    { label: "Tomorrow, 9:00", until: tomorrow.getTime() },
  ];
  const kept = all.filter(({ until }) => comesBack(question, until, at) === until);
  const last = comesBack(question, Infinity, at);
  return kept.length === all.length || last === undefined || last === Infinity ? kept : [...kept, { label: "Until 5 minutes before it runs out", until: last }];
}
