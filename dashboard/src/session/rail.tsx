import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";

import { Plain } from "@/text/plain";
import { money } from "@/text/time";
import { headline } from "@/text/visible";

import type { Item } from "./list";
import type { Part } from "./transcript";
import { stateWord, turnTitle } from "./turn-words";

const HEIGHT = 46;

/** Every turn in a line, to jump to. */
export function Rail({ parts, items, onJump }: { parts: readonly Part[]; items: Item[]; onJump: (turn: string) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const turns = useVirtualizer({ count: parts.length, getScrollElement: () => box.current, estimateSize: () => HEIGHT, overscan: 8 });
  const count = parts.length;
  useEffect(() => {
    if (count > 0) turns.scrollToIndex(count - 1);
  }, [count, turns]);
  // The list of parts is one object; what is in it is known to have changed by the items.
  void items;
  return (
    <nav ref={box} aria-label="Turns" tabIndex={0} className="hidden w-60 shrink-0 overflow-auto border-r border-line lg:block">
      <ol className="relative" style={{ height: turns.getTotalSize() }}>
        {turns.getVirtualItems().map(({ index, start }) => {
          const turn = parts[index]?.turn;
          if (!turn) return null;
          const isBad = turn.state === "failed" || turn.state === "terminated";
          return (
            <li key={turn.id} className="absolute inset-x-0 top-0" style={{ height: HEIGHT, transform: `translateY(${start}px)` }}>
              <button type="button" onClick={() => onJump(turn.id)} className="h-full w-full px-3 py-1 text-left hover:bg-raised">
                <span className="said block truncate">
                  <Plain text={headline(turnTitle(turn), 60)} />
                </span>
                <span className="flex justify-between text-xs text-dim">
                  <span>
                    {turn.number} · <span className={isBad ? "text-bad" : turn.state === "running" ? "text-work" : ""}>{stateWord(turn)}</span>
                  </span>
                  {turn.usage && turn.usage.costUsd > 0 && <span className="tabular-nums">{money(turn.usage.costUsd)}</span>}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
