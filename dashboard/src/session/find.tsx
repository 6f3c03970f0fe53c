// Finding words in a conversation. What has not been read yet is read first, from the newest turn back.
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type RefObject, useEffect, useMemo, useState } from "react";

import { type Item, words } from "./list";
import type { Transcript } from "./transcript";

export interface Finds {
  text: string;
  setText: (text: string) => void;
  at: number[];
  /** The row that is shown as found now. */
  current: number | undefined;
  step: (by: number) => void;
}

/** Shorter than this is not looked for. */
const SHORTEST = 2;

export function useFinds(transcript: Transcript, items: Item[], isFinding: boolean, start: string | undefined, jump: (index: number) => void): Finds {
  const [text, setText] = useState(start ?? "");
  // By its name and not by its place: while more is being read, places change.
  const [chosen, choose] = useState<string>();
  const typed = text.trim().toLowerCase();
  const wanted = isFinding && typed.length >= SHORTEST ? typed : undefined;
  useEffect(() => {
    transcript.lookFor(wanted);
    return () => transcript.lookFor(undefined);
  }, [transcript, wanted]);
  const at = useMemo(() => (wanted === undefined ? [] : items.flatMap((item, index) => (words(item).toLowerCase().includes(wanted) ? [index] : []))), [items, wanted]);
  const place = at.findIndex((index) => items[index]?.key === chosen);
  const go = (to: number) => {
    const index = at[to];
    if (index === undefined) return;
    choose(items[index]?.key);
    jump(index);
  };
  // The first find is gone to while one writes.
  const isLost = place < 0 && at.length > 0;
  useEffect(() => {
    if (isLost) go(0);
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted, isLost]);
  return {
    text,
    setText: (next) => (setText(next), choose(undefined)),
    at,
    current: at[place],
    step: (by) => go(place < 0 ? 0 : (place + by + at.length) % at.length),
  };
}

/** The words themselves are marked wherever they are in view, and those of the row that is gone to more so. */
export function useMarks(box: RefObject<HTMLElement | null>, finds: Finds, isFinding: boolean) {
  const typed = isFinding ? finds.text.trim() : "";
  // After every change of what is shown: rows come and go as one scrolls.
  useEffect(() => {
    if (!("highlights" in CSS)) return;
    const found = [...(box.current?.querySelectorAll("[data-index]") ?? [])].map((row) => ({ isCurrent: Number(row.getAttribute("data-index")) === finds.current, ranges: typed.length < SHORTEST ? [] : places(row, typed) }));
    CSS.highlights.set("found", new Highlight(...found.flatMap(({ ranges }) => ranges)));
    CSS.highlights.set("found-here", new Highlight(...found.flatMap(({ isCurrent, ranges }) => (isCurrent ? ranges : []))));
  });
  useEffect(() => () => void ("highlights" in CSS && (CSS.highlights.delete("found"), CSS.highlights.delete("found-here"))), []);
}

/** Where the words are in a row, also across what is bold in the middle of them. */
function places(row: Element, typed: string): Range[] {
  const texts: { node: Text; start: number }[] = [];
  let whole = "";
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    texts.push({ node, start: whole.length });
    whole += node.data;
  }
  const at = (offset: number, isEnd: boolean) => texts.findLast(({ start }) => (isEnd ? start < offset : start <= offset));
  return [...whole.matchAll(new RegExp(typed.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu"))].slice(0, MOST_MARKS).flatMap(({ index, 0: words }) => {
    const [first, last] = [at(index, false), at(index + words.length, true)];
    if (!first || !last) return [];
    const range = new Range();
    range.setStart(first.node, index - first.start);
    range.setEnd(last.node, index + words.length - last.start);
    return [range];
  });
}

const MOST_MARKS = 500;

/** How much was found. That nothing was looked for is not that nothing was found. */
export function foundWords({ text, at, current }: Pick<Finds, "text" | "at" | "current">, isReading: boolean): string {
  const typed = text.trim().length;
  if (typed < SHORTEST) return typed > 0 ? "two letters at least" : "";
  const place = current === undefined ? "" : `${at.indexOf(current) + 1} of `;
  return `${place}${at.length.toLocaleString()} found${isReading ? " so far, still reading…" : ""}`;
}

export function Finder({ transcript, finds, onClose }: { transcript: Transcript; finds: Finds; onClose: () => void }) {
  const [isReading, setReading] = useState(true);
  useEffect(() => {
    let isOver = false;
    void transcript.readAll(() => isOver).then(() => setReading(false));
    return () => {
      isOver = true;
    };
  }, [transcript]);
  return (
    <div className="flex items-center gap-2 border-b border-line bg-surface px-3 py-1.5">
      <input
        autoFocus
        className="field"
        type="search"
        aria-label="Find in this conversation"
        placeholder="Find"
        value={finds.text}
        onChange={(event) => finds.setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") finds.step(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") onClose();
        }}
      />
      <span className={`text-xs whitespace-nowrap text-dim ${isReading && finds.text.trim().length >= SHORTEST ? "busy" : ""}`} role="status" aria-busy={isReading}>
        {foundWords(finds, isReading)}
      </span>
      <button type="button" className="button" aria-label="Previous" onClick={() => finds.step(-1)}>
        <ChevronUp size={15} />
      </button>
      <button type="button" className="button" aria-label="Next" onClick={() => finds.step(1)}>
        <ChevronDown size={15} />
      </button>
      <button type="button" className="button button-plain" aria-label="Close" onClick={onClose}>
        <X size={15} />
      </button>
    </div>
  );
}
