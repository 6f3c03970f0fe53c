// Put aside until later, in this browser only: the question stays open for everybody else.
import { kept } from "@/shell/keep";

import type { Question } from "./question";

export const snoozed = kept<Readonly<Record<string, number>>>("snoozed", {});

/** A question that runs out soon is not kept aside, whatever was said. */
const COMES_BACK_BEFORE = 5 * 60_000;

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

/** The times that are offered. */
export function laterTimes(now: Date): { label: string; until: number }[] {
  const tomorrow = new Date(now);
  tomorrow.setDate(now.getDate() + 1);
  tomorrow.setHours(9, 0, 0, 0);
  return [
    { label: "15 minutes", until: now.getTime() + 15 * 60_000 },
    { label: "1 hour", until: now.getTime() + 60 * 60_000 },
    { label: "4 hours", until: now.getTime() + 4 * 60 * 60_000 },
    { label: "Tomorrow, 9:00", until: tomorrow.getTime() },
  ];
}
