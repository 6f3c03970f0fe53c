// What was decided, in lines. Pure.
import type { Used } from "@/session/tool";
import { headline } from "@/text/visible";

import { deedLine } from "./deed";
import { type Question, type Value, asksBy, labelled, outcome } from "./question";

/** Who decided. What took its place is a question, and its number says nothing to anybody. */
export const decidedBy = ({ state, closedBy }: Question) => (state === "superseded" ? undefined : (closedBy ?? undefined));

/** What was decided, or why nothing was. */
export function decision(question: Question): string | undefined {
  const { answer, responseType, action, closedWhy } = question;
  if (!answer) return closedWhy ?? undefined;
  const isLeave = responseType === "approval" || action != null;
  if (!isLeave || typeof answer.value !== "boolean") return labelled(question, answer);
  return [answer.value ? "approved" : "refused", answer.text].filter(Boolean).join(": ");
}

/** What became of it, in a word: of what was asked leave for, whether it was given. And what was said with it. */
export function verdict(question: Question): { word: string; isYes: boolean; more: string | undefined } {
  const { state, answer, responseType, action, closedWhy } = question;
  if (state !== "answered" || !answer) return { word: outcome(question), isYes: false, more: answer ? labelled(question, answer) : (closedWhy ?? undefined) };
  const isLeave = (responseType === "approval" || action != null) && typeof answer.value === "boolean";
  if (!isLeave) return { word: "answered", isYes: true, more: labelled(question, answer) };
  return { word: answer.value ? "approved" : "refused", isYes: answer.value === true, more: answer.text ?? undefined };
}

/** What was answered just now, short enough to be read in passing. */
export function answeredLine(question: Question, value: Value, text: string | undefined): string {
  const given = { value, ...(text !== undefined && { text }) };
  const { word, more } = verdict({ ...question, state: "answered", answer: given });
  const said = word === "answered" ? `${headline(more ?? "", 60)} · ${headline(deedLine(question), 60)}` : deedLine(question).replace(/\?$/, "");
  return headline(`${capital(word)}: ${said}`, 130);
}

/** The same of several that were answered together. */
export function togetherLine(questions: Question[], value: Value): string {
  const [first] = questions;
  if (!first || questions.length === 1) return first ? answeredLine(first, value, undefined) : "";
  const { word, more } = verdict({ ...first, state: "answered", answer: { value } });
  return headline(`${questions.length} ${word}${word === "answered" ? `: ${more ?? ""}` : ""}`, 80);
}

const capital = (word: string) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

/** Who decided, where there are only words. */
export function deciderWords(question: Question): string {
  const by = decidedBy(question);
  return by === undefined ? "" : by.startsWith("rule:") ? " by a rule" : ` by ${by}`;
}

interface Called extends Used {
  at: number;
  result?: { at: number; isError: boolean };
}

/** How much earlier a question may be heard than the call that it is about. */
const AHEAD = 2000;

/** Whether a question was asked because of a call: about it, or by it. It may be heard a little before the call is. */
export function isAbout(question: Question, call: Called): boolean {
  const { action, openedAt } = question;
  if (!asksBy(question, call) || call.at > openedAt + AHEAD || openedAt > (call.result?.at ?? Infinity)) return false;
  return action ? inOrder(action.input) === inOrder(call.input) : openedAt - call.at < AHEAD;
}

/** Why a call was not made: leave was asked for it and not given. Then it did not fail, whatever came back. */
export function notLet(call: Called, ofItsTurn: Question[]): Question | undefined {
  const { result } = call;
  if (!result?.isError) return undefined;
  const asked = ofItsTurn.filter(({ action, openedAt, closedAt, state }) => action?.tool === call.name && state !== "superseded" && call.at <= openedAt + AHEAD && (closedAt ?? Infinity) <= result.at);
  // Several of one tool may be asked about at a time. One that was changed before it was decided is like no call.
  const same = asked.filter(({ action }) => inOrder(action?.input) === inOrder(call.input));
  const about = (same.length > 0 ? same : asked.length === 1 ? asked : []).toSorted((one, other) => one.openedAt - other.openedAt).at(-1);
  return about && !verdict(about).isYes ? about : undefined;
}

/** The same for what is the same, in whichever order it was written. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "object" && part !== null && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1))) : part)) ?? "";
}
