// Where one is in a conversation: at its end, which is followed, at its beginning, or at a row that is being read. It stays so
// when rows come and grow.
import type { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useLayoutEffect, useReducer, useRef, useState } from "react";

import type { Item } from "./list";

export type Place = "start" | "row" | "end";
type Rows = ReturnType<typeof useVirtualizer<HTMLDivElement, Element>>;

/** What is at the top of the view: a row, and how far it has gone out of it. */
interface Anchor {
  key: string;
  offset: number;
  items: Item[];
}

export function usePlace(box: RefObject<HTMLElement | null>, rows: Rows, items: Item[], first: Place) {
  // Known at once, and not with the next drawing: rows may come in the very moment in which somebody leaves the end.
  const place = useRef(first);
  const [follows, showFollows] = useState(first === "end");
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const anchor = useRef<Anchor>(undefined);
  const top = useRef(0);
  const goTo = useCallback((to: Place) => {
    place.current = to;
    showFollows(to === "end");
  }, []);
  /** Whoever went to the beginning stays there until they go elsewhere, whatever is measured or read meanwhile. */
  const leaveStart = () => place.current === "start" && goTo("row");

  const note = (element: HTMLElement) => {
    top.current = element.scrollTop;
    const row = rows.getVirtualItemForOffset(element.scrollTop);
    const item = row && items[row.index];
    anchor.current = item && { key: item.key, offset: element.scrollTop - row.start, items };
  };

  /** Whoever scrolls up reads something; whoever comes to the end wants to see what is next. A scroll bar that is dragged
   * says neither by wheel nor by key, so it is told by the way it goes. */
  const heardScroll = (mayFollow: boolean) => {
    const element = box.current;
    if (!element) return;
    const isEnd = isAtEnd(element);
    if (isEnd && mayFollow) goTo("end");
    else if (!isEnd && element.scrollTop < top.current - 1 && place.current === "end") goTo("row");
    note(element);
  };

  const total = rows.getTotalSize();
  const drawn = useRef<readonly unknown[]>([]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const now = [items, total, follows];
    const isSame = now.every((one, index) => one === drawn.current[index]);
    drawn.current = now;
    // Whoever has come to the beginning and was not heard yet has left what was being read.
    const isUnheard = place.current === "row" && element.scrollTop === 0 && top.current > 0;
    const to = isSame || isUnheard ? undefined : topOf(place.current, element, anchor.current, rows, items);
    const isMoved = to !== undefined && Math.abs(to - element.scrollTop) > 1;
    if (isMoved) element.scrollTop = to;
    note(element);
    if (!isMoved) return;
    // The list hears of it only in the next frame, and would show nothing in this one.
    rows.scrollOffset = element.scrollTop;
    draw();
  });
  return { follows, goTo, leaveStart, heardScroll };
}

/** Where the view begins; undefined if it need not move. */
function topOf(place: Place, element: HTMLElement, anchor: Anchor | undefined, rows: Rows, items: Item[]): number | undefined {
  if (place === "end") return element.scrollHeight - element.clientHeight;
  if (place === "start") return 0;
  if (!anchor || anchor.items === items) return undefined;
  const index = items.findIndex(({ key }) => key === anchor.key);
  // Rows that were just drawn for the first time were measured, which is counted in by whoever asks for a place.
  rows.getVirtualItemForOffset(0);
  const start = index < 0 ? undefined : rows.measurementsCache[index]?.start;
  return start === undefined ? undefined : start + anchor.offset;
}

const isAtEnd = (box: HTMLElement) => box.scrollHeight - box.scrollTop - box.clientHeight < 4;
