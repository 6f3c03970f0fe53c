// A text in a box that scrolls: how much of it there is, how much is below, and that somebody has looked at it.
import { type ReactNode, type RefObject, createContext, use, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Is told of every such box that is shown, under a name that stays when it goes and comes back. Gives the way to leave. */
export type Witness = (name: string, box: HTMLElement, more: number) => () => void;

/** Whoever has to know what was looked at: where something is to be approved. */
export const Witnessed = createContext<Witness | undefined>(undefined);

/** A box that is scrolled to within this of its end is at its end: heights are fractions. */
export const NEARLY = 4;

interface Extent {
  scrollHeight: number;
  scrollTop: number;
  clientHeight: number;
}

/** The lines as they are shown, long ones in several: how many there are, and how many are below what is in view. */
export function count({ scrollHeight, scrollTop, clientHeight }: Extent, lineHeight: number): { all: number; below: number } {
  const rest = scrollHeight - clientHeight - scrollTop;
  return { all: Math.round(scrollHeight / lineHeight), below: rest <= NEARLY ? 0 : Math.max(1, Math.round(rest / lineHeight)) };
}

export const lineHeight = (box: HTMLElement) => Number.parseFloat(getComputedStyle(box).lineHeight) || 16;

/** For what has to be looked at. `more`: lines that are left out of it. */
export function useWitnessed<Box extends HTMLElement>(name: string, more = 0): RefObject<Box | null> {
  const box = useRef<Box>(null);
  const witness = use(Witnessed);
  useEffect(() => (box.current && witness ? witness(name, box.current, more) : undefined), [witness, name, more]);
  return box;
}

/** `more`: lines that are left out of it. */
export function ScrollBox({ name, more = 0, className, children }: { name: string; more?: number; className: string; children: ReactNode }) {
  const box = useWitnessed<HTMLPreElement>(name, more);
  const witness = use(Witnessed);
  const [{ all, below, scrolls }, setExtent] = useState({ all: 0, below: 0, scrolls: false });
  const measure = () => {
    if (!box.current) return;
    const now = { ...count(box.current, lineHeight(box.current)), scrolls: box.current.scrollHeight - box.current.clientHeight > NEARLY };
    setExtent((last) => (last.all === now.all && last.below === now.below && last.scrolls === now.scrolls ? last : now));
  };
  // Before it is painted: what is below it may not move when somebody is about to press it.
  useLayoutEffect(measure, [children]);
  useEffect(() => {
    const watcher = new ResizeObserver(measure);
    if (box.current) watcher.observe(box.current);
    return () => watcher.disconnect();
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <>
      <pre ref={box} className={`max-h-96 overflow-auto ${className}`} tabIndex={0} onScroll={measure}>
        {children}
      </pre>
      {/* It stays when the end is reached, so that nothing moves. */}
      {scrolls && (
        <p className={`border-t border-dashed border-line px-2 py-0.5 font-sans text-xs ${below > 0 && witness ? "text-held" : "text-dim"}`} data-below={below}>
          {all.toLocaleString()} lines, {below > 0 ? `${below.toLocaleString()} below: scroll to see them` : "this is the end"}
        </p>
      )}
    </>
  );
}
