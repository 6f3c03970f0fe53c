// Somebody was writing an answer, and another was quicker. The words stay, with whatever is still being typed, until whoever
// wrote them puts them away: they go to nobody.
import { useQuery } from "@tanstack/react-query";
import { Dialog } from "radix-ui";
import { type RefObject, useLayoutEffect, useRef } from "react";

import { queries } from "@/api/ask";
import { Watched, useWatched } from "@/api/watch";
import { DialogContent } from "@/shell/dialog";
import { setDraft } from "@/shell/draft";
import { isTyping } from "@/shell/keys";
import { Plain } from "@/text/plain";

import { draftOf, pendingQuery, sending } from "./ask";
import { deedLine } from "./deed";
import { latest } from "./edit";
import { Outcome, questionQuery } from "./linked";
import type { Question } from "./question";

const overtaken = new Watched<{ question: Question; words: string } | undefined>(undefined);

/** Goes on what a question is answered in: what somebody writes there is kept when the question goes. */
export function useKeptWords(question: Question): RefObject<HTMLDivElement | null> {
  const answers = useRef<HTMLDivElement>(null);
  const asked = useRef(question);
  useLayoutEffect(() => {
    const all = answers.current;
    // It is still on the page in this moment.
    return () => {
      if (all?.contains(document.activeElement) && isTyping(document.activeElement) && isOvertaken(asked.current.id)) overtaken.set({ question: asked.current, words: wordsIn(all) });
    };
  }, []);
  return answers;
}

/** Not open any more, and not by us. */
const isOvertaken = (id: string) => !sending.get().has(id) && latest(id) === id && !(queries.getQueryData(pendingQuery.queryKey) ?? []).some((open) => open.id === id);

function wordsIn(all: Element): string {
  const written = [...all.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("textarea, input")].filter((field) => isTyping(field) && field.value.trim() !== "");
  return written.map(({ value }) => value).join("\n");
}

export function Overtaken() {
  const now = useWatched(overtaken);
  return now && <Kept key={now.question.id} {...now} />;
}

function Kept({ question, words }: { question: Question; words: string }) {
  const box = useRef<HTMLTextAreaElement>(null);
  const { data: ended } = useQuery(questionQuery(question.id));
  const close = () => {
    setDraft(draftOf(question), "");
    overtaken.set(undefined);
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <DialogContent
        className="card fixed inset-x-2 top-[12vh] z-50 space-y-3 border-l-4 border-l-held p-4 shadow-2xl md:inset-x-auto md:left-1/2 md:w-[36rem] md:-translate-x-1/2"
        // Whoever puts it away means to: by Esc or by the button.
        onInteractOutside={(event) => event.preventDefault()}
        onOpenAutoFocus={(event) => {
          event.preventDefault();
          box.current?.focus();
          box.current?.setSelectionRange(words.length, words.length);
        }}
      >
        <Dialog.Title className="text-base font-semibold">What you wrote was not sent</Dialog.Title>
        <Dialog.Description asChild>
          <div>
            <p className="said">
              Not open any more: <Plain text={question.team} />: <Plain text={deedLine(question)} />
            </p>
            {ended && ended.state !== "open" && <Outcome question={ended} />}
          </div>
        </Dialog.Description>
        <textarea ref={box} defaultValue={words} rows={3} aria-label="What you wrote, to be copied" className="field field-sizing-content block max-h-60 min-h-11 resize-none" />
        <div className="flex justify-end">
          <Dialog.Close className="button">
            Put it away <kbd className="key hidden pointer-fine:inline-block">Esc</kbd>
          </Dialog.Close>
        </div>
      </DialogContent>
    </Dialog.Root>
  );
}
