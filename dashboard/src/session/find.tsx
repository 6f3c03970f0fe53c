// Finding words in a conversation. What has not been read yet is read first, from the newest turn back.
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { useEffect, useMemo, useState } from "react";

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
      <span className="text-xs whitespace-nowrap text-dim" role="status">
        {finds.current === undefined ? "" : `${finds.at.indexOf(finds.current) + 1} of `}
        {finds.at.length} found{isReading ? ", still reading" : ""}
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
