// The rows on the screen: only those in view exist, however long the conversation is. It stays where it is when something
// above it grows, and at the end when it follows.
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import type { Session } from "@/api/ask";
import { useWatched } from "@/api/watch";
import { notLet } from "@/question/decisions";
import { inView, useAnswerKeys } from "@/question/in-view";
import { InlineQuestion } from "@/question/inline";
import { type Question, asksBy, waitsFor } from "@/question/question";
import { WasAsked } from "@/question/was-asked";
import { isTyping, useKeys } from "@/shell/keys";
import { Unread } from "@/shell/unread";
import { Markdown } from "@/text/markdown";
import { Plain } from "@/text/plain";

import { Finder, useFinds, useMarks } from "./find";
import { type Item, type ItemKeys, guess, keysOf } from "./list";
import { usePlace } from "./place";
import { Rail, TurnMenu } from "./rail";
import { RowView } from "./row";
import type { Transcript } from "./transcript";
import { EndRow, GapRow, SpeakerRow, TellRow, UnreadRow } from "./turn";
import { lostWord } from "./turn-words";

interface Given {
  transcript: Transcript;
  items: Item[];
  /** What is asked in it and open, whether it is listed here or shown elsewhere on the page. */
  asked: Question[];
  /** What was asked in it and is decided. */
  decided: Question[];
  session: Session;
  me: string;
  startAt: string | undefined;
  find: string | undefined;
  hasRail: boolean;
  /** Where one is in it has an address, which is told of the turn that was gone to. */
  onTurn?: ((turn: string | undefined) => void) | undefined;
  /** Puts words where one tells, to be told again. */
  onAgain?: ((text: string) => void) | undefined;
  isFinding: boolean;
  setFinding: (isFinding: boolean) => void;
}

export function Conversation({ transcript, items, asked, decided, session, me, startAt, find, hasRail, onTurn, onAgain, isFinding, setFinding }: Given) {
  const box = useRef<HTMLDivElement>(null);
  // The turn that somebody went to. It may be too near to the end to come to the top, and is read nevertheless.
  const [picked, setPicked] = useState(startAt);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => guess(items[index]),
    getItemKey: useItemKey(items),
    overscan: 12,
    paddingEnd: 24,
  });
  const { follows, goTo: goToPlace, leaveStart, heardScroll } = usePlace(box, rows, items, startAt === undefined ? "end" : "row");

  const jump = useCallback(
    (index: number) => {
      goToPlace("row");
      rows.scrollToIndex(index, { align: "start" });
    },
    [rows, goToPlace],
  );
  const jumpToTurn = useCallback(
    (id: string) => {
      setPicked(id);
      jump(Math.max(0, items.findIndex((item) => item.kind === "tell" && item.key === id)));
    },
    [items, jump],
  );
  const goTo = (turn: string) => {
    jumpToTurn(turn);
    onTurn?.(turn);
  };
  const follow = () => {
    setPicked(undefined);
    goToPlace("end");
    onTurn?.(undefined);
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  const goToStart = () => {
    setPicked(undefined);
    goToPlace("start");
    if (box.current) box.current.scrollTop = 0;
  };
  const finds = useFinds(transcript, items, isFinding, find, jump);

  useMarks(box, finds, isFinding);

  useEnds(box, hasRail, { Home: goToStart, End: follow });

  // Once for each turn that the address names, when it is there.
  const jumped = useRef<string>(undefined);
  const isUnknown = startAt !== undefined && transcript.isOpened && !transcript.list().some(({ turn }) => turn.id === startAt);
  useEffect(() => {
    if (startAt === undefined || jumped.current === startAt || items.length === 0) return;
    jumped.current = startAt;
    if (isUnknown) {
      setPicked(undefined);
      goToPlace("end");
    } else jumpToTurn(startAt);
  }, [items, startAt, isUnknown, jumpToTurn, goToPlace]);

  const readOn = () => {
    leaveStart();
    setPicked(undefined);
  };

  const step = (by: number) => {
    const first = rows.getVirtualItemForOffset((rows.scrollOffset ?? 0) + 1)?.index ?? 0;
    const isTell = (item: Item) => item.kind === "tell";
    const to = by > 0 ? items.findIndex((item, index) => index > first && isTell(item)) : items.findLastIndex((item, index) => index < first && isTell(item));
    const turn = items[to]?.key;
    if (turn !== undefined) goTo(turn);
  };

  // The numbers answer what is in view; what is not is a press away.
  const seen = useWatched(inView);
  const listed = useMemo(() => items.flatMap((item) => (item.kind === "question" ? [item.question] : [])), [items]);
  const asking = listed.find(({ id }) => seen.has(id));
  const unseen = asking ? undefined : listed[0];
  useAnswerKeys(asking);

  const first = rows.getVirtualItemForOffset(rows.scrollOffset ?? 0)?.index;
  const current = picked ?? turnOf(follows ? items.at(-1) : first === undefined ? undefined : items[first]);

  useKeys({
    j: () => step(1),
    k: () => step(-1),
    f: follow,
    "/": () => setFinding(true),
    n: () => finds.step(1),
    N: () => finds.step(-1),
  });

  return (
    <div className="flex min-h-0 flex-1">
      {hasRail && <Rail session={session.id} parts={transcript.list()} items={items} asked={asked} me={me} current={current} onJump={goTo} />}
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        {hasRail && <TurnMenu parts={transcript.list()} onJump={goTo} />}
        {isUnknown && (
          <p role="note" className="said border-b border-line bg-raised px-3 py-1.5 text-xs">
            There is no turn <span className="font-mono"><Plain text={startAt} /></span> in this session. This is its newest.
          </p>
        )}
        {isFinding && <Finder transcript={transcript} finds={finds} onClose={() => (setFinding(false), box.current?.focus({ preventScroll: true }))} />}
        <div
          ref={box}
          tabIndex={0}
          role="log"
          aria-label="Conversation"
          aria-live="off"
          className="min-h-0 flex-1 overflow-auto px-3 [overflow-anchor:none] md:px-5"
          onScroll={() => heardScroll(startAt === undefined || jumped.current !== undefined)}
          onWheel={readOn}
          onTouchMove={readOn}
          onKeyDown={(event) => SCROLLS.has(event.key) && readOn()}
          onPointerDown={(event) => isScrollBar(event) && readOn()}
        >
          {!transcript.isOpened && <Unread what="What was said" />}
          {transcript.isOpened && items.length === 0 && <p className="py-10 text-center text-dim">Nothing has been said yet. Tell it something below.</p>}
          <div className="relative mx-auto max-w-4xl" style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map(({ index, key, start }) => {
              const item = items[index];
              if (!item) return null;
              return (
                <div key={key} data-index={index} ref={rows.measureElement} className={`absolute inset-x-0 top-0 ${finds.current === index ? "rounded ring-2 ring-work" : ""}`} style={{ transform: `translateY(${start}px)` }}>
                  <ItemView item={item} isFound={finds.current === index} asked={asked} decided={decided} transcript={transcript} session={session} me={me} onAgain={onAgain} hasKeys={item.kind === "question" && item.question.id === asking?.id} />
                </div>
              );
            })}
          </div>
        </div>
        {/* Below what is said and not over it: the answers to a question may be there. */}
        {(unseen || !follows) && (
          <div className="flex justify-end gap-2 border-t border-line px-3 py-1.5 md:px-5">
            {unseen && (
              <button type="button" className="button button-accent" onClick={() => jump(items.findIndex(({ key }) => key === unseen.id))}>
                Show what it asks
              </button>
            )}
            {!follows && (
              <button type="button" className="button" onClick={follow}>
                <ArrowDown size={15} aria-hidden="true" /> Follow
              </button>
            )}
          </div>
        )}
      </div>
    </div>
  );
}

/** Whoever presses one of these reads on, from the turn they had gone to. */
const SCROLLS: ReadonlySet<string> = new Set(["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "]);

/** Home and End, with Ctrl or without. A browser goes there bit by bit, and stops where rows are measured on its way. `isAlone`: no
 * other part of the page would take these keys when nothing has the focus. */
function useEnds(box: React.RefObject<HTMLElement | null>, isAlone: boolean, keys: Readonly<Record<string, () => void>>) {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const go = current.current[event.key];
      if (!go || event.defaultPrevented || event.altKey || event.metaKey || event.shiftKey || isTyping(event.target) || document.querySelector('[role="dialog"], [role="menu"]')) return;
      const from = event.target as HTMLElement;
      const isNowhere = from === document.body || from.id === "main";
      if (isNowhere ? !isAlone : !box.current || scrollerOf(from) !== box.current) return;
      event.preventDefault();
      go();
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, [box, isAlone]);
}

/** What the keys scroll that are pressed there. */
function scrollerOf(from: HTMLElement): HTMLElement | undefined {
  for (let around: HTMLElement | null = from; around; around = around.parentElement) {
    if (around.scrollHeight > around.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(around).overflowY)) return around;
  }
  return undefined;
}

const isScrollBar = ({ target, currentTarget: box, nativeEvent }: React.PointerEvent<HTMLElement>) => target === box && nativeEvent.offsetX >= box.clientWidth;

const turnOf = (item: Item | undefined) => (item?.kind === "question" ? (item.question.turn ?? undefined) : item?.part.turn.id);

function useItemKey(items: Item[]): ItemKeys["keyOf"] {
  const kept = useRef<ItemKeys>(undefined);
  const keys = useMemo(() => keysOf(items, kept.current), [items]);
  useEffect(() => {
    kept.current = keys;
  }, [keys]);
  return keys.keyOf;
}

interface ItemGiven {
  item: Item;
  transcript: Transcript;
  session: Session;
  me: string;
  asked: Question[];
  decided: Question[];
  onAgain: ((text: string) => void) | undefined;
  hasKeys: boolean;
  isFound: boolean;
}

function ItemView({ item, transcript, session, me, asked, decided, onAgain, hasKeys, isFound }: ItemGiven) {
  const open = useCallback((key: string, isOpen: boolean) => transcript.setOpen(key, isOpen), [transcript]);
  switch (item.kind) {
    case "tell":
      return <TellRow part={item.part} session={session} me={me} />;
    case "speaker":
      return <SpeakerRow part={item.part} team={session.to} />;
    case "unread":
      return <UnreadRow part={item.part} transcript={transcript} />;
    case "gap":
      return <GapRow part={item.part} most={item.most} transcript={transcript} />;
    case "row":
      return <RowView row={item.row} team={session.to} waits={waits(item, asked, me)} refused={refused(item, decided)} lost={lostWord(item.part.turn)} isFound={isFound} onOpen={open} />;
    case "writing":
      return (
        <div className="py-1.5" data-writing>
          <Markdown text={item.part.writing} />
        </div>
      );
    case "question":
      return <InlineQuestion question={item.question} keys={hasKeys} on="session" />;
    case "decided":
      return <WasAsked question={item.question} />;
    case "end":
      return <EndRow part={item.part} onAgain={onAgain} />;
  }
}

/** Whom a call waits for that has not come back: it does not run while somebody is asked about it. */
function waits(item: Extract<Item, { kind: "row" }>, asked: Question[], me: string): string | undefined {
  const { row, part } = item;
  if (row.kind !== "tool" || row.call.result) return undefined;
  const question = asked.find((one) => one.turn === part.turn.id && asksBy(one, row.call));
  return question && waitsFor(question, me);
}

/** The question by which a call was not let: it is not the tool that failed. */
function refused({ row, part }: Extract<Item, { kind: "row" }>, decided: Question[]): Question | undefined {
  if (row.kind !== "tool" || !row.call.result?.isError) return undefined;
  return notLet(row.call, decided.filter(({ turn }) => turn === part.turn.id));
}
