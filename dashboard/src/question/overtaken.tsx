// Somebody has written an answer, and another was quicker. The words stay, with whatever is still being typed, until whoever
// wrote them puts them away: they go to nobody. Who is writing has them before their eyes at once; for all others a strip
// above the page says that they are there, and takes nothing from what they do instead.
import { useQuery } from "@tanstack/react-query";
import { Dialog } from "radix-ui";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

import { Watched, useWatched } from "@/api/watch";
import { DialogContent } from "@/shell/dialog";
import { pageMoved } from "@/shell/notices";
import { Plain } from "@/text/plain";

import { refusals, sending } from "./ask";
import { deedLine } from "./deed";
import { Outcome, questionQuery } from "./linked";
import { type Question, spoken } from "./question";
import { type Written, isClosed, keepWords, putAway, unsent, writtenIn } from "./unsent";

/** The question whose words are shown, and in which field somebody was when it went. */
const opened = new Watched<{ id: string; at: number } | undefined>(undefined);

/** Goes on what a question is answered in: what somebody wrote there is kept when the question goes. */
export function useKeptWords({ id }: Question): RefObject<HTMLDivElement | null> {
  const answers = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const all = answers.current;
    // It is still on the page in this moment.
    return () => {
      const found = all && isClosed(id) ? writtenIn(all) : [];
      if (found.length === 0) return;
      keepWords(id, found.map(({ written }) => written));
      const at = found.findIndex(({ field }) => field === document.activeElement);
      if (at >= 0 && !sending.get().has(id) && !refusals.get().has(id)) opened.set({ id, at });
    };
  }, [id]);
  return answers;
}

export function Overtaken() {
  const all = useWatched(unsent);
  const sent = useWatched(sending);
  const now = useWatched(opened);
  const lost = [...all].filter(([id]) => !sent.has(id));
  const shown = lost.find(([id]) => id === now?.id);
  const waiting = lost.filter((one) => one !== shown);
  const newest = waiting.at(-1);
  return (
    <>
      {newest && <Strip key={newest[0]} id={newest[0]} words={newest[1]} more={waiting.length - 1} />}
      {shown && <Kept key={shown[0]} id={shown[0]} words={shown[1]} at={now?.at ?? 0} />}
    </>
  );
}

function Strip({ id, words, more }: { id: string; words: readonly Written[]; /** How many others there are, which come when it is put away. */ more: number }) {
  const { data: ended, isPending } = useQuery(questionQuery(id));
  // It was taken, and only the word that it was is lost.
  const said = ended?.answer ? spoken(ended.answer) : undefined;
  const isSent = words.some(({ text }) => said === text.trim() || said?.endsWith(`: ${text.trim()}`));
  useEffect(() => {
    if (isSent) putAway(id);
  }, [id, isSent]);
  // Of very many that are open not all are listed.
  const isShown = !isPending && !isSent && ended?.state !== "open";
  useLayoutEffect(() => {
    if (!isShown) return;
    pageMoved();
    return pageMoved;
  }, [isShown]);
  if (!isShown) return null;
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 border-b border-held bg-surface px-3 py-2">
      <span className="font-medium text-held">What you wrote was not sent{more > 0 && `, nor to ${more} more`}</span>
      <About id={id} />
      <button type="button" className="link min-h-6 max-md:min-h-11" onClick={() => opened.set({ id, at: 0 })}>
        Show it
      </button>
      <button type="button" className="link min-h-6 max-md:min-h-11" onClick={() => putAway(id)}>
        Put it away
      </button>
    </div>
  );
}

/** What they were written to. */
function About({ id }: { id: string }) {
  const { data: question } = useQuery(questionQuery(id));
  return question ? (
    <span className="said line-clamp-2 min-w-0 max-md:basis-full">
      Not open any more: <Plain text={question.team} />: <Plain text={deedLine(question)} />
    </span>
  ) : null;
}

function Kept({ id, words, at }: { id: string; words: readonly Written[]; /** Which of them is being written. */ at: number }) {
  const boxes = useRef<HTMLDivElement>(null);
  const { data: ended } = useQuery(questionQuery(id));
  const close = () => {
    putAway(id);
    opened.set(undefined);
  };
  const isOne = words.length === 1;
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <DialogContent
        className="card fixed inset-x-2 top-[12vh] z-50 max-h-[80dvh] space-y-3 overflow-auto border-l-4 border-l-held p-4 shadow-2xl md:inset-x-auto md:left-1/2 md:w-[36rem] md:-translate-x-1/2"
        // Whoever puts it away means to: by Esc or by the button.
        onInteractOutside={(event) => event.preventDefault()}
        onOpenAutoFocus={(event) => {
          event.preventDefault();
          const box = boxes.current?.querySelectorAll("textarea")[at];
          box?.focus();
          box?.setSelectionRange(box.value.length, box.value.length);
        }}
      >
        <Dialog.Title className="text-base font-semibold">What you wrote was not sent</Dialog.Title>
        <Dialog.Description asChild>
          <div>
            <About id={id} />
            {ended && ended.state !== "open" && <Outcome question={ended} />}
          </div>
        </Dialog.Description>
        <div ref={boxes} className="space-y-2">
          {words.map(({ name, text }, index) => (
            <label key={index} className="block">
              {!isOne && (
                <span className="said text-xs text-dim">
                  <Plain text={name} />
                </span>
              )}
              <textarea defaultValue={text} rows={1} aria-label={isOne ? "What you wrote, to be copied" : name} className="field field-sizing-content block max-h-60 min-h-11 resize-none" />
            </label>
          ))}
        </div>
        <div className="flex justify-end gap-2">
          <Copy words={() => wordsOf(words, [...(boxes.current?.querySelectorAll("textarea") ?? [])])} />
          <Dialog.Close className="button">
            Put it away <kbd className="key hidden pointer-fine:inline-block">Esc</kbd>
          </Dialog.Close>
        </div>
      </DialogContent>
    </Dialog.Root>
  );
}

/** As they are by now, each under its name if there are several. */
function wordsOf(words: readonly Written[], boxes: HTMLTextAreaElement[]): string {
  const now = boxes.map(({ value }) => value);
  return now.length === 1 ? (now[0] ?? "") : now.map((text, index) => `${words[index]?.name}:\n${text}`).join("\n\n");
}

function Copy({ words }: { words: () => string }) {
  const [outcome, setOutcome] = useState<"Copied" | "Not copied: mark it, and copy it by hand">();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(words());
      setOutcome("Copied");
    } catch {
      // A browser may keep it to itself where the page came without encryption.
      setOutcome("Not copied: mark it, and copy it by hand");
    }
  };
  return (
    <>
      <span role="status" className="self-center text-xs text-dim">
        {outcome}
      </span>
      <button type="button" className="button" onClick={() => void copy()}>
        Copy
      </button>
    </>
  );
}
