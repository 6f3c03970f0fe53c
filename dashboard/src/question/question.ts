// A question as the dashboard sees it: what may be said to it, and by which key.
import type { Shapes } from "@/api/call";

export type Question = Shapes["Question"];
export type Asked = Shapes["Asked"];
export type Value = boolean | string | string[];

/** One thing that can be said with one press. */
export interface Choice {
  value: boolean | string;
  label: string;
  description?: string | undefined;
  recommended: boolean;
}

/** What the number keys say, in order. Empty if it takes more than one press. */
export function choices(question: Question): Choice[] {
  if (question.responseType === "boolean") {
    const [yes, no] = question.action ? ["Approve", "Refuse"] : ["Yes", "No"];
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
    recommended: isRecommended(option),
  }));
}

/** Several things are asked at once, or several may be chosen: that is a form, not a button. */
export function takesForm(question: Question): boolean {
  const asked = question.questions ?? [];
  return asked.length > 1 || asked.some((one) => one.several);
}

export function isRecommended(option: Shapes["Choice"]): boolean {
  return (option as { recommended?: boolean | null }).recommended === true;
}

/** Work stands still until it is answered. */
export function isBlocking(question: Question): boolean {
  return !["clarifying", "educational", "celebratory", "preference"].includes(question.kind);
}

/** Whether it is put to us: to anybody, or to the party we are. */
export function needsMe(question: Question, party: string): boolean {
  return question.askedOf == null || question.askedOf === party;
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
  return question.kind.replaceAll("_", " ");
}

/** Those that wait longest and stop work come first. */
export function byUrgency(one: Question, other: Question): number {
  return Number(isBlocking(other)) - Number(isBlocking(one)) || one.openedAt - other.openedAt;
}
