// Which questions somebody has before their eyes, and the number keys for one of them. That a question is on the page does
// not mean that it is in view: a conversation is long, and its rows exist only where they are looked at.
import { useEffect, useRef } from "react";

import { Watched } from "@/api/watch";
import { numbers, useKeys } from "@/shell/keys";
import { say } from "@/shell/notices";

import { answer, sending } from "./ask";
import { isInSight } from "./in-sight";
import { counts } from "./press";
import { type Question, choices, takesForm } from "./question";

export const inView = new Watched<ReadonlySet<string>>(new Set());

/** What is listed in the inbox just now, as it is filtered: who works through that list needs no interruption for what is in it. */
export const listed = new Watched<ReadonlySet<string>>(new Set());

/** Goes on the card of a question: it counts as seen while most of it is in view, or as much as there is room for. */
export function useSeen<T extends Element>(id: string) {
  const card = useRef<T>(null);
  useEffect(() => {
    if (!card.current) return;
    const note = (isSeen: boolean) => inView.update((all) => (all.has(id) === isSeen ? all : new Set(isSeen ? [...all, id] : [...all].filter((other) => other !== id))));
    const watcher = new IntersectionObserver(
      (entries) => {
        const last = entries.at(-1);
        if (last) note(last.intersectionRatio > 0.6 || last.intersectionRect.height > (last.rootBounds?.height ?? Infinity) / 2);
      },
      { threshold: [0, 0.2, 0.4, 0.61, 0.8, 1] },
    );
    watcher.observe(card.current);
    return () => {
      watcher.disconnect();
      note(false);
    };
  }, [id]);
  return card;
}

/** A key that was meant for something else, just before a question came into view, is no answer to it. */
export const DEAF = 700;

/** What a number key means for a question: the same as a press on the button with that number, if one sees it. Whether it was
 * an answer. */
export function pressNumber(question: Question | undefined, index: number): boolean {
  if (question && takesForm(question)) return goFillIn(question), false;
  const choice = question && choices(question)[index];
  if (!question || !choice || sending.get().has(question.id) || !isInSight(question.id, index) || !counts(question, choice.value)) return false;
  void answer({ question, value: choice.value });
  return true;
}

/** Where words to this question are written, or its form begins; if it is there twice, in the one that is over the other. */
export const focusReply = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-reply="${id}"]`)].at(-1)?.focus();

/** No number is an answer to a form, and none is filled in by one. */
function goFillIn({ id }: Question) {
  focusReply(id);
  say({ tone: "plain", text: "This one is a form: fill it in, then send it" });
}

export function useAnswerKeys(question: Question | undefined, { inDialog = false } = {}) {
  const id = question?.id;
  const since = useRef(0);
  useEffect(() => {
    since.current = Date.now();
  }, [id]);
  useKeys(
    numbers((index) => Date.now() - since.current >= DEAF && pressNumber(question, index)),
    { enabled: question !== undefined, inDialog },
  );
}
