// Single keys as commands. They never act while somebody writes, or while a dialog is open that does not know them.
import { useEffect, useRef } from "react";

import { kept } from "./keep";

/** Whether single keys do anything. Who speaks to their machine, or hits keys by chance, may not want that. */
export const wantsKeys = kept("keys", true);

export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) && !(target instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(target.type));
}

/** `inDialog` is for the keys of a dialog itself; all others rest while one is open. */
export function useKeys(keys: Keys, { enabled = true, inDialog = false } = {}) {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    if (!enabled) return;
    const hear = (event: KeyboardEvent) => {
      if (!wantsKeys.get() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
      // A menu or another dialog over a dialog has the keys to itself.
      if (document.querySelectorAll('[role="dialog"], [role="menu"]').length > (inDialog ? 1 : 0)) return;
      const act = current.current[event.key];
      if (!act) return;
      event.preventDefault();
      act(event);
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, [enabled, inDialog]);
}

/** A key that is held down is one press, also of a button that has the focus. */
export function useNoRepeats() {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.repeat && (event.key === "Enter" || event.key === " ") && event.target instanceof Element && event.target.closest('button, [role="button"]')) event.preventDefault();
    };
    addEventListener("keydown", hear, { capture: true });
    return () => removeEventListener("keydown", hear, { capture: true });
  }, []);
}

/** The keys 1 to 9, for whatever can be picked by number. */
export function numbers(pick: (index: number) => void): Keys {
  return Object.fromEntries(Array.from({ length: 9 }, (_, index) => [String(index + 1), () => pick(index)]));
}
