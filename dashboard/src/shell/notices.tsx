// Short notices at the edge of the page. They are read out, go away by themselves, and never cover a button.
import { X } from "lucide-react";

import { Refusal } from "@/api/call";
import { connection } from "@/api/live";
import { Watched, useWatched } from "@/api/watch";
import { Plain } from "@/text/plain";

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

export function Notices() {
  const shown = useWatched(notices);
  return (
    <div role="status" aria-live="polite" className="pointer-events-none fixed inset-x-0 bottom-16 z-60 flex flex-col items-center gap-2 px-3 md:bottom-4">
      {shown.map(({ id, tone, text, hint, undo, button }) => (
        <div key={id} className={`card pointer-events-auto flex max-w-xl items-start gap-3 px-3 py-2 shadow-lg ${tone === "bad" ? "border-bad" : ""}`}>
          <div className="said min-w-0">
            <p className={tone === "bad" ? "text-bad" : ""}>
              <Plain text={text} />
            </p>
            {hint && (
              <p className="text-dim">
                <Plain text={hint} />
              </p>
            )}
            {button && (
              <button type="button" className="link min-h-6" onClick={() => (button.act(), dismiss(id))}>
                {button.label} {button.takesBack && <kbd className="key hidden pointer-fine:inline-block" aria-hidden="true">u</kbd>}
              </button>
            )}
          </div>
          {undo && (
            <button type="button" className="link" onClick={() => (undo(), dismiss(id))}>
              Undo
            </button>
          )}
          <button type="button" aria-label="Dismiss" className="-m-2 flex size-9 shrink-0 items-center justify-center text-dim" onClick={() => dismiss(id)}>
            <X size={16} />
          </button>
        </div>
      ))}
    </div>
  );
}
