// A question as the dashboard sees it: what may be said to it, and by which key.
import type { Shapes } from "@/api/call";
import { type Used, asksPeople } from "@/session/tool";
import { words } from "@/text/words";

export type Question = Shapes["Question"];
export type Asked = Shapes["Asked"];
export type Given = Shapes["Given"];
export type Value = boolean | string | string[] | Record<string, unknown>;

/** One thing that can be said with one press. */
export interface Choice {
  value: boolean | string;
  label: string;
  description?: string | undefined;
  recommended: boolean;
}

/** It is answered by yes or no. */
export const isYesNo = ({ responseType }: Pick<Question, "responseType">) => responseType === "boolean" || responseType === "approval";

/** What the number keys say, in order. Empty if it takes more than one press. */
export function choices(question: Question): Choice[] {
  if (isYesNo(question)) {
    const [yes, no] = question.action || question.responseType === "approval" ? ["Approve", "Refuse"] : ["Yes", "No"];
    return [
      { value: true, label: yes ?? "", recommended: false },
      { value: false, label: no ?? "", recommended: false },
    ];
  }
  if (takesForm(question)) return [];
  return (question.options ?? []).map((option) => ({
    value: option.value,
    label: option.label,
    description: option.description ?? undefined,
    recommended: option.recommended ?? false,
  }));
}

/** Whether words of one's own are an answer: beside the options where that is said, as the reason of a no, or for want of
 * options. */
export const takesWords = (question: Question) => question.allowFreeText === true || isYesNo(question) || choices(question).length === 0;

/** One of the options is asked for and nothing else: then words are why it is none of them. Where one of them is a no, which is
 * what it would be taken for, they are why it is that. */
export function refusal(question: Question): Choice | undefined {
  const offered = choices(question);
  if (offered.length === 0 || takesWords(question)) return undefined;
  const isNo = (word: unknown) => /^(false|no|n)$/i.test(String(word));
  const no = offered.find(({ value }) => isNo(value)) ?? offered.find(({ label }) => isNo(label));
  return no ?? { value: false, label: "None of these", recommended: false };
}

/** Several things are asked at once, or several may be chosen: that is a form, not a button. */
export function takesForm(question: Question): boolean {
  const asked = question.questions ?? [];
  return question.responseType === "form" || asked.length > 1 || asked.some((one) => one.several);
}

/** Work stands still until it is answered. */
export const isBlocking = ({ blocking }: Question) => blocking;

/** To say yes to this takes a second press. What cannot be known is not taken for harmless: what an agent asks leave for in
 * its own words, and what it will make of its plan. As in `iris monitor`. */
export function isRisky(question: Question): boolean {
  const { risk, action, way, responseType } = question;
  if (risk == null) return action != null;
  return !["low", "medium"].includes(risk) || way === "plan" || (responseType === "approval" && action == null);
}

/** Whether it is put to us: to anybody, to the party we are, or to a job, which has nobody else to answer for it. */
export function needsMe({ askedOf, job }: Pick<Question, "askedOf" | "job">, party: string): boolean {
  return askedOf == null || askedOf === party || askedOf === `job-${job}`;
}

/** Whom it waits for, in words. */
export const waitsFor = (question: Pick<Question, "askedOf" | "job">, party: string) => (needsMe(question, party) ? "waits for you" : `waits for ${question.askedOf}`);

/** Whether this call is what it is about, or what it is asked by. */
export function asksBy({ action }: Pick<Question, "action">, { name, meaning }: Pick<Used, "name" | "meaning">): boolean {
  return action ? action.tool === name : asksPeople(meaning);
}

/** The answers to a form in the order of its questions; undefined while one is missing. */
export function formValue(asked: Asked[], picked: string[][], own: string[]): string[] | undefined {
  const values = asked.map((_, index) => {
    const text = own[index]?.trim();
    return [...(picked[index] ?? []), ...(text ? [text] : [])].join(", ");
  });
  return values.every((value) => value !== "") ? values : undefined;
}

/** The kind, in a word for people. */
export function kindWord(question: Question): string {
  return words(question.kind);
}

const STATES: Record<string, string> = { open: "open", answered: "answered", defaulted: "went by its default", expired: "ran out of time", cancelled: "withdrawn", superseded: "changed before it was answered" };

/** What became of it. */
export const outcomeWord = (state: string) => STATES[state] ?? words(state);

/** An agent told the one that asked more: nobody answered, and nothing took the question's place. */
export const isTalkedOver = ({ state, replacedBy, closedWhy }: Pick<Question, "state" | "replacedBy" | "closedWhy">) => state === "superseded" && !replacedBy && closedWhy != null;

/** The same of one question, where more is known than its state. */
export const outcome = (question: Pick<Question, "state" | "replacedBy" | "closedWhy">) => (isTalkedOver(question) ? "not answered" : outcomeWord(question.state));

/** An answer in words. */
export function spoken({ value, text }: Given): string {
  const word = value === true ? "yes" : value === false ? "no" : typeof value === "string" ? value : Array.isArray(value) ? value.join(", ") : value == null ? "" : JSON.stringify(value);
  return [word, text].filter(Boolean).join(": ");
}

/** An answer as the button says it that gives it: what is sent for it may be a word for machines. */
export function labelled(question: Question, given: Given): string {
  const label = (value: unknown) => [...choices(question), ...(question.options ?? []), ...(question.questions ?? []).flatMap(({ options }) => options ?? [])].find((one) => one.value === value)?.label;
  const { value } = given;
  const said: unknown = Array.isArray(value) ? value.map((one) => label(one) ?? one) : typeof value === "boolean" ? value : (label(value) ?? value);
  return spoken({ ...given, value: said });
}

/** Those that stop work come first; then what runs out first, then what waits longest. */
export function byUrgency(one: Question, other: Question): number {
  const end = ({ deadline }: Question) => deadline ?? Infinity;
  const sooner = end(one) === end(other) ? 0 : end(one) - end(other);
  return Number(isBlocking(other)) - Number(isBlocking(one)) || sooner || one.openedAt - other.openedAt;
}
