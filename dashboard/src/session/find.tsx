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
  step: (by: number, jump: (index: number) => void) => void;
}

export function useFinds(items: Item[], start: string | undefined): Finds {
  const [text, setText] = useState(start ?? "");
  const [chosen, choose] = useState(-1);
  const at = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    if (wanted.length < 2) return [];
    return items.flatMap((item, index) => (words(item).toLowerCase().includes(wanted) ? [index] : []));
  }, [items, text]);
  return {
    text,
    setText: (next) => (setText(next), choose(-1)),
    at,
    current: at[chosen],
    step: (by, jump) => {
      if (at.length === 0) return;
      const next = chosen < 0 ? (by > 0 ? 0 : at.length - 1) : (chosen + by + at.length) % at.length;
      choose(next);
      jump(at[next] ?? 0);
    },
  };
}

export function Finder({ transcript, finds, onJump, onClose }: { transcript: Transcript; finds: Finds; onJump: (index: number) => void; onClose: () => void }) {
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
          if (event.key === "Enter") finds.step(event.shiftKey ? -1 : 1, onJump);
          if (event.key === "Escape") onClose();
        }}
      />
      <span className="text-xs whitespace-nowrap text-dim" role="status">
        {finds.at.length} found{isReading ? ", still reading" : ""}
      </span>
      <button type="button" className="button" aria-label="Previous" onClick={() => finds.step(-1, onJump)}>
        <ChevronUp size={15} />
      </button>
      <button type="button" className="button" aria-label="Next" onClick={() => finds.step(1, onJump)}>
        <ChevronDown size={15} />
      </button>
      <button type="button" className="button button-plain" aria-label="Close" onClick={onClose}>
        <X size={15} />
      </button>
    </div>
  );
}
