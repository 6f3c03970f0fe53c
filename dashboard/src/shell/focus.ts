// Where the focus goes when what had it goes: to what had it before, else to the page. Never to nothing, from where a key
// leads nowhere and a screen reader begins anew.

import { useEffect } from "react";

const OVER = '[role="dialog"], [role="menu"]';

/** For each thing that lies over the page: what had the focus when it came. */
const origins = new WeakMap<Element, Element>();

/** What had the focus last, also if it has gone since. */
let last: Element | undefined;

/** Gives the way to stop. */
export function watchFocus(): () => void {
  const hear = ({ target }: FocusEvent) => {
    if (target instanceof Element) last = target;
  };
  addEventListener("focusin", hear);
  return () => removeEventListener("focusin", hear);
}

/** What has the focus, or had it when it went. A field that somebody left on purpose has it no more. */
export function holder(): Element | null {
  const now = document.activeElement;
  return now === document.body && last?.isConnected === false ? last : now;
}

/** Remembers what had the focus when this came over it. */
export function remember(over: Element, origin: Element | null) {
  if (origin && !over.contains(origin)) origins.set(over, origin);
}

/** Gives the focus back when `over` goes. What was opened from it and took its place keeps it. */
export function giveBack(over: Element) {
  const hasSuccessor = [...document.querySelectorAll(OVER)].some((other) => over.contains(origins.get(other) ?? null));
  if (!hasSuccessor) focusOn(origins.get(over));
}

/** To the element, or to what it came from if it is gone: a menu to its button, a dialog to what it was opened by. */
function focusOn(element: Element | undefined) {
  for (let at = element; at; at = before(at)) {
    if (!at.isConnected || !(at instanceof HTMLElement) || at === document.body) continue;
    at.focus({ preventScroll: true });
    if (document.activeElement === at) return;
  }
  focusMain();
}

function before(element: Element): Element | undefined {
  const over = element.closest(OVER);
  if (!over) return undefined;
  const button = over.getAttribute("role") === "menu" ? document.getElementById(over.getAttribute("aria-labelledby") ?? "") : null;
  return button ?? origins.get(over);
}

/** What had the focus went, and nothing has it since. */
const isLost = () => document.activeElement === document.body && last?.isConnected === false;

/** Says who takes the focus when what had it went with something that nobody closed, such as a question that is answered. What
 * is further inside is asked first. */
export function useLostFocus(take: () => void) {
  useEffect(() => {
    if (isLost()) take();
  });
}

export const focusMain = () => document.getElementById("main")?.focus({ preventScroll: true });

/** Out of what is written in, to what it is in. */
export function leave(field: Element) {
  field.closest<HTMLElement>("article, [role='dialog'], main")?.focus({ preventScroll: true });
}
