import { useRouter } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { DropdownMenu } from "radix-ui";
import { useEffect, useRef, useState } from "react";

import { type Question, isBlocking, waitsFor } from "@/question/question";
import { Plain } from "@/text/plain";
import { money, zone } from "@/text/time";
import { title } from "@/text/title";

import { isFailed } from "./failure";
import type { Item } from "./list";
import type { Part } from "./transcript";
import { stateWord, turnTitle } from "./turn-words";

const HEIGHT = 46;

interface RailGiven {
  session: string;
  parts: readonly Part[];
  items: Item[];
  asked: Question[];
  me: string;
  /** The turn that is being read. */
  current: string | undefined;
  onJump: (turn: string) => void;
}

/** Every turn in a line, to jump to. Each is a link, so that a turn can be pointed at; not one of the router, by which the turn
 * in the address is the current one, whatever is being read. */
export function Rail({ session, parts, items, asked, me, current, onJump }: RailGiven) {
  const box = useRef<HTMLDivElement>(null);
  const router = useRouter();
  const turns = useVirtualizer({ count: parts.length, getScrollElement: () => box.current, estimateSize: () => HEIGHT, overscan: 8 });
  // It goes with what is being read; whoever looks around in it meanwhile is left alone.
  const at = parts.findIndex(({ turn }) => turn.id === current);
  useEffect(() => {
    if (at >= 0) turns.scrollToIndex(at);
    // Turns that come before it are no reason to move.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [current, at >= 0, turns]);
  // The list of parts is one object; what is in it is known to have changed by the items.
  void items;
  return (
    <nav ref={box} aria-label="Turns" tabIndex={0} className="hidden w-60 shrink-0 overflow-auto border-r border-line lg:block">
      <ol className="relative" style={{ height: turns.getTotalSize() }}>
        {turns.getVirtualItems().map(({ index, start }) => {
          const turn = parts[index]?.turn;
          if (!turn) return null;
          const own = asked.filter((one) => one.turn === turn.id);
          const question = own.find(isBlocking);
          const isCurrent = turn.id === current;
          const isBad = isFailed(turn);
          return (
            <li key={turn.id} className="absolute inset-x-0 top-0" style={{ height: HEIGHT, transform: `translateY(${start}px)` }}>
              <a href={router.buildLocation({ to: "/session/$id", params: { id: session }, search: { turn: turn.id } }).href} aria-current={isCurrent ? "true" : undefined} onClick={(event) => isPlain(event) && (event.preventDefault(), onJump(turn.id))} className={`block h-full w-full border-l-2 px-3 py-1 -outline-offset-2 hover:bg-raised ${isCurrent ? "border-l-ink bg-raised" : "border-l-transparent"}`}>
                <span className="said block truncate">
                  <Plain text={title(turnTitle(turn), 60)} />
                </span>
                <span className="flex justify-between text-xs text-dim">
                  <span>
                    {turn.number} · {question ? <span className="text-accent">{waitsFor(question, me)}</span> : <span className={isBad ? "text-bad" : turn.state === "running" ? "text-work" : ""}>{stateWord(turn)}</span>}
                    {!question && own.length > 0 && <span className="text-accent"> · asks</span>}
                  </span>
                  {turn.usage && turn.usage.costUsd > 0 && <span className="tabular-nums">{money(turn.usage.costUsd)}</span>}
                </span>
              </a>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

/** A press that asks for no other tab or window. */
const isPlain = ({ metaKey, ctrlKey, shiftKey, altKey }: React.MouseEvent) => !metaKey && !ctrlKey && !shiftKey && !altKey;

/** As many turns as a finger scrolls through. */
const IN_MENU = 200;

/** The same where there is no room beside the conversation: the newest first, and any of them by its number. */
export function TurnMenu({ parts, onJump }: { parts: readonly Part[]; onJump: (turn: string) => void }) {
  const [most, setMost] = useState(IN_MENU);
  if (parts.length < 2) return null;
  const older = parts.length - most;
  return (
    <div className="flex items-center gap-3 border-b border-line bg-surface px-3 py-1 text-xs text-dim lg:hidden">
      <DropdownMenu.Root modal={false} onOpenChange={(isOpen) => !isOpen && setMost(IN_MENU)}>
        <DropdownMenu.Trigger className="min-h-11 flex-1 text-left">{parts.length.toLocaleString()} turns ▾</DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu max-h-[60dvh] w-[calc(100vw-1rem)] max-w-md overflow-auto" align="start" aria-label="Turns">
            {parts
              .slice(-most)
              .toReversed()
              .map(({ turn }) => (
                <DropdownMenu.Item key={turn.id} className="menu-item min-h-11 gap-2" onSelect={() => onJump(turn.id)}>
                  <span className="min-w-8 shrink-0 text-right text-xs text-dim tabular-nums">{turn.number}</span>
                  <span className="said min-w-0 truncate">
                    <Plain text={title(turnTitle(turn), 60)} />
                  </span>
                </DropdownMenu.Item>
              ))}
            {older > 0 && (
              <DropdownMenu.Item
                className="menu-item min-h-11 text-work"
                onSelect={(event) => {
                  event.preventDefault();
                  setMost(most + IN_MENU);
                }}
              >
                Show {Math.min(older, IN_MENU)} older ones
              </DropdownMenu.Item>
            )}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <GoToTurn parts={parts} onJump={onJump} />
      <span title={zone()}>times in {zone()}</span>
    </div>
  );
}

/** To a turn by its number, or to the nearest there is. */
function GoToTurn({ parts, onJump }: { parts: readonly Part[]; onJump: (turn: string) => void }) {
  const [first, last] = [parts[0]?.turn.number, parts.at(-1)?.turn.number];
  const go = (box: HTMLInputElement) => {
    const wanted = Number(box.value);
    const meant = nearestTurn(parts, wanted);
    if (!wanted || meant === undefined) return;
    onJump(meant);
    box.value = "";
    box.blur();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        go(event.currentTarget.elements[0] as HTMLInputElement);
      }}
    >
      <label className="flex items-center gap-1.5">
        Turn
        <input type="number" inputMode="numeric" enterKeyHint="go" min={first} max={last} placeholder={`${first} – ${last}`} aria-label="Go to turn number" className="field min-h-11 w-22 tabular-nums md:min-h-8 md:py-1" />
      </label>
    </form>
  );
}

export const nearestTurn = (parts: readonly Pick<Part, "turn">[], number: number) => (parts.find(({ turn }) => turn.number >= number) ?? parts.at(-1))?.turn.id;
