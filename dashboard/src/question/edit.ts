// Changing an action before it is approved. Iris makes another question of it, with a digest and a risk of its own; the
// one that was changed cannot be answered any more.
import { useMutation } from "@tanstack/react-query";

import { queries } from "@/api/ask";
import { api, body } from "@/api/call";
import { Watched } from "@/api/watch";
import { complain } from "@/shell/notices";

import { pendingQuery } from "./ask";
import type { Question } from "./question";

/** The question whose action is being changed just now: it takes no answer meanwhile. */
export const editing = new Watched<string | undefined>(undefined);

/** What took the place of what, by this browser. */
const changed = new Watched<ReadonlyMap<string, { from: Question; at: number }>>(new Map());
const successors = new Map<string, string>();

/** The question that is now in the place of this one. */
export function latest(id: string | undefined): string | undefined {
  const next = id === undefined ? undefined : successors.get(id);
  return next === undefined ? id : latest(next);
}

/** What the agent had asked for, if we changed it. */
export const changedFrom = ({ id }: Question) => changed.get().get(id)?.from;

/** The second press of a double click on the form must not be a yes to what comes in its place. */
const DEAF = 700;

export function takesAnswers({ id }: Question): boolean {
  return editing.get() !== id && Date.now() - (changed.get().get(id)?.at ?? 0) > DEAF;
}

export function useEdit() {
  return useMutation({
    mutationFn: ({ question, input }: { question: Question; input: object }) => body(api.POST("/api/questions/{id}/edit", { params: { path: { id: question.id } }, body: { input } })),
    onSuccess: (made, { question }) => {
      successors.set(question.id, made.id);
      changed.update((all) => new Map(all).set(made.id, { from: question, at: Date.now() }));
      queries.setQueryData(pendingQuery.queryKey, (open) => open && [...open.filter(({ id }) => id !== question.id && id !== made.id), made]);
    },
    onError: complain,
  });
}

/** A field of the action as text, and whether that text is JSON. */
export interface Field {
  name: string;
  text: string;
  isJson: boolean;
}

export function fields(input: unknown): Field[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  return Object.entries(input).map(([name, value]) => (typeof value === "string" ? { name, text: value, isJson: false } : { name, text: JSON.stringify(value, null, 2), isJson: true }));
}

/** The input that the fields stand for; a text instead if one of them cannot be read. */
export function written(all: Field[]): object | string {
  const made: [string, unknown][] = [];
  for (const { name, text, isJson } of all) {
    try {
      made.push([name, isJson ? JSON.parse(text) : text]);
    } catch {
      return `${name} is no JSON`;
    }
  }
  return Object.fromEntries(made);
}
