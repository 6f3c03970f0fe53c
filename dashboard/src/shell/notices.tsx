// Short notices beside the page, below the names of the pages, where nothing else is. They are read out and go away by
// themselves. On a phone, where there is nothing beside the page, only the newest is there, above it, and it makes room for
// it: nothing that can be pressed is below one.
import { X } from "lucide-react";
import { useLayoutEffect } from "react";

import { Refusal } from "@/api/call";
import { connection } from "@/api/live";
import { Watched, useWatched } from "@/api/watch";
import { Plain } from "@/text/plain";

import { wantsKeys } from "./keys";

export interface Notice {
  tone: "plain" | "bad";
  text: string;
  hint?: string | undefined;
  /** Says only that the daemon is away, and is wrong as soon as it is back. */
  isOfAway?: boolean;
  /** Takes it back. */
  undo?: () => void;
  /** Something else that can be done about it. */
  button?: { label: string; act: () => void; /** It takes back what was done: a key does the same. */ takesBack?: boolean } | undefined;
}

const notices = new Watched<readonly (Notice & { id: number })[]>([]);
let next = 0;

export function say(notice: Notice) {
  const id = next++;
  notices.update((all) => [...all.slice(-3), { ...notice, id }]);
  setTimeout(() => dismiss(id), notice.tone === "bad" || notice.button ? 15_000 : 7_000);
}

/** A failure, with what to do about it. */
export function complain(error: unknown) {
  const { message, hint } = error as Error & { hint?: string };
  say({ tone: "bad", text: message, hint, isOfAway: error instanceof Refusal && error.status === 0 });
}

connection.subscribe(() => {
  if (connection.get().state === "live") notices.update((all) => (all.some(({ isOfAway }) => isOfAway) ? all.filter(({ isOfAway }) => !isOfAway) : all));
});

/** Takes back what was done last, if it can be. */
export function undoLast() {
  const last = notices.get().findLast(({ undo, button }) => undo ?? button?.takesBack);
  if (!last) return;
  if (last.undo) last.undo();
  else last.button?.act();
  dismiss(last.id);
}

const dismiss = (id: number) => notices.update((all) => all.filter((notice) => notice.id !== id));

/** Those above the page make it move when they come and go. */
const isAbove = () => !matchMedia("(width >= 48rem)").matches;

/** When the page last moved by itself because of something above it. */
let movedAt = 0;

export const pageMoved = () => void (movedAt = Date.now());

/** How long a press was meant for what was there before. */
const SETTLES = 500;

/** Whether this press came in the moment in which the page moved under it. */
export const isSlip = (target: Element) => Date.now() - movedAt < SETTLES && target.closest("article button") !== null;

/** Whoever goes on with something else has read them, where they take room from it. Before that is done, which may say
 * something itself. */
export const dismissAbove = () => void (isAbove() && notices.get().length > 0 && notices.set([]));

export function Notices() {
  const shown = useWatched(notices);
  const hasKeys = useWatched(wantsKeys);
  const newest = shown.at(-1)?.id;
  useLayoutEffect(() => {
    const note = () => void (isAbove() && pageMoved());
    // When it comes, when another takes its place, and when it goes.
    if (newest === undefined) return;
    note();
    return note;
  }, [newest]);
  return (
    <div role="status" aria-live="polite" className="pointer-events-none z-60 flex shrink-0 flex-col items-center gap-2 max-md:relative md:fixed md:bottom-14 md:left-2 md:w-46">
      {shown.map(({ id, tone, text, hint, undo, button }) => (
        <div key={id} data-notice className={`card pointer-events-auto flex w-full items-start gap-3 px-3 py-2 shadow-lg md:gap-2 md:px-2 md:text-xs md:[@media(height<48rem)]:not-last:hidden max-md:items-center max-md:rounded-none max-md:border-x-0 max-md:border-t-0 max-md:py-1 max-md:text-xs max-md:not-last:hidden ${tone === "bad" ? "border-bad" : ""}`}>
          <div className="said min-w-0 max-md:flex max-md:flex-1 max-md:items-center max-md:gap-3">
            <p className={`max-md:line-clamp-3 max-md:flex-1 ${tone === "bad" ? "text-bad" : ""}`}>
              <Plain text={text} />
            </p>
            {hint && (
              <p className="text-dim max-md:hidden [@media(height<36rem)]:hidden">
                <Plain text={hint} />
              </p>
            )}
            {button && (
              <button type="button" className="link min-h-6 max-md:shrink-0" onClick={() => (button.act(), dismiss(id))}>
                {button.label} {button.takesBack && hasKeys && <kbd className="key hidden pointer-fine:inline-block" aria-hidden="true">u</kbd>}
              </button>
            )}
          </div>
          {undo && (
            <button type="button" className="link" onClick={() => (undo(), dismiss(id))}>
              Undo {hasKeys && <kbd className="key hidden pointer-fine:inline-block" aria-hidden="true">u</kbd>}
            </button>
          )}
          <button type="button" aria-label="Dismiss" className="-m-2 flex size-9 shrink-0 max-md:m-0 items-center justify-center text-dim" onClick={() => dismiss(id)}>
            <X size={16} />
          </button>
        </div>
      ))}
    </div>
  );
}
