// A blocking question that comes while somebody looks at another page. One at a time, never while somebody writes, and
// deaf for a moment, so that a key meant for something else is not an answer.
import { useRouterState } from "@tanstack/react-router";
import { Dialog } from "radix-ui";
import { useEffect, useRef, useState } from "react";

import { onEvent } from "@/api/live";
import { useWatched } from "@/api/watch";
import { DialogContent } from "@/shell/dialog";
import { kept } from "@/shell/keep";
import { isTyping, useKeys } from "@/shell/keys";
import { isCutOff } from "@/shell/writing";

import { useOpenQuestions } from "./ask";
import { QuestionBody, QuestionHead } from "./card";
import { latest } from "./edit";
import { DEAF, focusReply, inView, listed, useAnswerKeys } from "./in-view";
import { type Question, isBlocking } from "./question";
import { isSnoozed, snoozed } from "./snooze";

export const wantsModal = kept("modal", true);

/** How long a page has to show a question by itself before it is opened over it. */
const SHOWS_WITHIN = 500;

export function QuestionModal() {
  const { mine } = useOpenQuestions();
  const isWanted = useWatched(wantsModal);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const arrived = useRef(new Set<string>());
  const [shown, setShown] = useState<string>();
  const [wakesAt, setWakesAt] = useState(0);

  // Only what arrives while the page is open interrupts; what was open before waits in the inbox.
  useEffect(
    () =>
      onEvent((event) => {
        if (event.kind === "question.opened" || event.kind === "question.shown") arrived.current.add((event.data as { id: string }).id);
      }),
    [],
  );

  const seen = useWatched(inView);
  // Who has seen it where it was asked may look away from it.
  useEffect(() => seen.forEach((id) => arrived.current.delete(id)), [seen]);
  const inList = useWatched(listed);
  const aside = useWatched(snoozed);
  // Where a question is in view anyway, it does not open over itself; what was put aside does not open at all.
  const isElsewhere = (question: Question) => seen.has(question.id) || inList.has(question.id) || isSnoozed(question, aside, Date.now());
  const isOnItsPage = ({ session, job }: Question) => path === "/inbox" || path === "/" || path === `/session/${session}` || path === `/job/${job}`;
  // What was changed here stays where it is, as what it has become.
  const current = latest(shown);
  const waiting = mine.filter((question) => (arrived.current.has(question.id) || question.id === current) && isBlocking(question) && (question.id === current || !isElsewhere(question)));
  const question = waiting.find(({ id }) => id === current);
  const first = question ? undefined : waiting[0];
  const next = first?.id;
  const mayShow = first !== undefined && isOnItsPage(first);

  useEffect(() => {
    if (!isWanted || next === undefined) return;
    const open = () => {
      if (isTyping(document.activeElement) || isCutOff() || document.hidden || document.querySelector('[role="dialog"]')) return;
      setShown(next);
      setWakesAt(Date.now() + DEAF);
    };
    const once = setTimeout(open, mayShow ? SHOWS_WITHIN : 0);
    const again = setInterval(open, 1000);
    return () => {
      clearTimeout(once);
      clearInterval(again);
    };
  }, [isWanted, next, mayShow]);

  const isOpen = question !== undefined;
  const close = () => {
    if (question) arrived.current.delete(question.id);
    setShown(undefined);
  };

  useAnswerKeys(question, { inDialog: true });
  useKeys({ r: () => question && focusReply(question.id) }, { enabled: isOpen, inDialog: true });

  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && close()}>
      <DialogContent
        aria-describedby={undefined}
        className="card @container fixed outline-none inset-x-2 bottom-2 z-50 max-h-[85dvh] space-y-3 overflow-auto border-l-4 border-l-accent-solid p-4 shadow-2xl md:inset-x-auto md:top-[12vh] md:bottom-auto md:left-1/2 md:w-[36rem] md:-translate-x-1/2"
        onOpenAutoFocus={(event) => {
          // On the dialog and not on its first button, which the space bar would press.
          event.preventDefault();
          (event.currentTarget as HTMLElement).focus();
        }}
      >
        {question && (
          <>
            <Dialog.Title className="sr-only">An agent needs you</Dialog.Title>
            <QuestionHead question={question} />
            <div onClickCapture={(event) => Date.now() < wakesAt && event.stopPropagation()}>
              <QuestionBody key={question.id} question={question} keys />
            </div>
            <div className="flex items-center justify-between text-xs text-dim">
              <span>{waiting.length > 1 && `${waiting.length - 1} more wait in the inbox`}</span>
              <Dialog.Close className="button button-plain">
                Later <kbd className="key hidden pointer-fine:inline-block">Esc</kbd>
              </Dialog.Close>
            </div>
          </>
        )}
      </DialogContent>
    </Dialog.Root>
  );
}
