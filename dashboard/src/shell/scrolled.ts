// How far a page was scrolled. A page begins at its top; whoever goes back finds it where they left it. A conversation has a
// scroll of its own, which is not touched.
import { type AnyRouter, type ParsedLocation, useRouter } from "@tanstack/react-router";
import { type RefObject, useEffect } from "react";

export function useScrolled(main: RefObject<HTMLElement | null>) {
  const router = useRouter();
  useEffect(() => watchScroll(router, main), [router, main]);
}

function watchScroll(router: AnyRouter, main: RefObject<HTMLElement | null>): () => void {
  const tops = new Map<string, number>();
  let giveUp = () => {};
  const ends = [
    router.subscribe("onBeforeLoad", ({ fromLocation }) => {
      if (fromLocation && main.current) tops.set(entryOf(fromLocation), main.current.scrollTop);
    }),
    router.subscribe("onRendered", ({ fromLocation, toLocation }) => {
      if (!main.current || !fromLocation || pageOf(fromLocation) === pageOf(toLocation)) return;
      giveUp();
      giveUp = scrollTo(main.current, tops.get(entryOf(toLocation)) ?? 0);
    }),
  ];
  return () => [...ends, giveUp].forEach((end) => end());
}

/** The entry in the browser's history. */
const entryOf = ({ state, href }: ParsedLocation) => state.__TSR_key ?? href;

/** The lists of the inbox are pages of their own; what else is said after the `?` is a part of a page. */
const pageOf = ({ pathname, search }: ParsedLocation) => `${pathname} ${(search as { view?: string }).view ?? ""}`;

/** How long to wait for what is still being read, and who does not wait. */
const LATE = 2000;
const OWN = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

/** As far as there is anything, and further when there is. Gives the way to stop. */
function scrollTo(main: HTMLElement, top: number): () => void {
  const stop = new AbortController();
  const until = performance.now() + LATE;
  const go = () => {
    if (stop.signal.aborted) return;
    main.scrollTop = top;
    if (main.scrollTop < top - 1 && performance.now() < until) requestAnimationFrame(go);
    else stop.abort();
  };
  const end = () => stop.abort();
  for (const kind of OWN) addEventListener(kind, end, { signal: stop.signal, passive: true, capture: true });
  go();
  return end;
}
