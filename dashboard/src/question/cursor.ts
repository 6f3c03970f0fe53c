// Where the cursor of a list of questions is, and whether what it is at is before somebody's eyes. Pure, but for the last.

/** Where the cursor is: with its question, as long as that is there. When it is gone, at what took its place: the next one
 * that was below it, else the last one above. */
export function cursorAt(now: readonly string[], before: readonly string[], cursor: string | undefined): number {
  const found = cursor === undefined ? 0 : now.indexOf(cursor);
  if (found >= 0) return now.length > 0 ? found : -1;
  const was = before.indexOf(cursor ?? "");
  const heir = before.slice(was + 1).find((id) => now.includes(id)) ?? before.slice(0, Math.max(0, was)).findLast((id) => now.includes(id));
  return heir === undefined ? Math.min(0, now.length - 1) : now.indexOf(heir);
}

interface Span {
  top: number;
  bottom: number;
}

/** Whether enough of a card is in view to be answered: most of it, or more of it than of all else. */
export function isSeen(card: Span, room: Span): boolean {
  const shown = Math.min(card.bottom, room.bottom) - Math.max(card.top, room.top);
  return shown > 0 && (shown >= (card.bottom - card.top) * MOST || shown > (room.bottom - room.top) / 2);
}

const MOST = 0.75;

/** The same of what is on the page. */
export function isCardSeen(card: Element): boolean {
  const main = card.closest("main")?.getBoundingClientRect();
  const bar = card.closest("main")?.querySelector('[role="toolbar"]')?.getBoundingClientRect();
  const room = { top: Math.max(0, main?.top ?? 0, bar?.bottom ?? 0), bottom: Math.min(innerHeight, main?.bottom ?? innerHeight) };
  return isSeen(card.getBoundingClientRect(), room);
}
