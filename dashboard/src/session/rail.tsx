import { useVirtualizer } from "@tanstack/react-virtual";
import { DropdownMenu } from "radix-ui";
import { useEffect, useRef } from "react";

import { type Question, waitsFor } from "@/question/question";
import { Plain } from "@/text/plain";
import { money, zone } from "@/text/time";
import { headline } from "@/text/visible";

import type { Item } from "./list";
import type { Part } from "./transcript";
import { stateWord, turnTitle } from "./turn-words";

const HEIGHT = 46;

/** Every turn in a line, to jump to. */
export function Rail({ parts, items, asked, me, onJump }: { parts: readonly Part[]; items: Item[]; asked: Question[]; me: string; onJump: (turn: string) => void }) {
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
          const question = asked.find((one) => one.turn === turn.id);
          const isBad = turn.state === "failed" || turn.state === "terminated";
          return (
            <li key={turn.id} className="absolute inset-x-0 top-0" style={{ height: HEIGHT, transform: `translateY(${start}px)` }}>
              <button type="button" onClick={() => onJump(turn.id)} className="h-full w-full px-3 py-1 text-left hover:bg-raised">
                <span className="said block truncate">
                  <Plain text={headline(turnTitle(turn), 60)} />
                </span>
                <span className="flex justify-between text-xs text-dim">
                  <span>
                    {turn.number} · {question ? <span className="text-accent">{waitsFor(question, me)}</span> : <span className={isBad ? "text-bad" : turn.state === "running" ? "text-work" : ""}>{stateWord(turn)}</span>}
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

/** As many turns as a finger scrolls through. */
const IN_MENU = 200;

/** The same where there is no room beside the conversation: the newest first. */
export function TurnMenu({ parts, onJump }: { parts: readonly Part[]; onJump: (turn: string) => void }) {
  if (parts.length < 2) return null;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="flex min-h-9 items-center justify-between gap-2 border-b border-line bg-surface px-3 text-xs text-dim lg:hidden">
        <span>{parts.length} turns ▾</span> <span title={zone()}>times in {zone()}</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu max-h-[60dvh] w-[calc(100vw-1rem)] max-w-md overflow-auto" align="start" aria-label="Turns">
          {parts
            .slice(-IN_MENU)
            .toReversed()
            .map(({ turn }) => (
              <DropdownMenu.Item key={turn.id} className="menu-item min-h-11 gap-2" onSelect={() => onJump(turn.id)}>
                <span className="w-8 shrink-0 text-right text-xs text-dim tabular-nums">{turn.number}</span>
                <span className="said min-w-0 truncate">
                  <Plain text={headline(turnTitle(turn), 60)} />
                </span>
              </DropdownMenu.Item>
            ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
