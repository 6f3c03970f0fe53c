// A number gives the answer that has this number on the screen. If its button is not there, or not whole, the press shows
// it and the next one counts.
import { Watched } from "@/api/watch";

/** The button that was brought into view by its number, as it was not. */
export const pointedOut = new Watched<{ id: string; index: number; at: number } | undefined>(undefined);

/** What was just brought into view is looked at before it counts. */
const LOOK = 700;
const MARKED_FOR = 6000;
let unmark: ReturnType<typeof setTimeout> | undefined;

/** Whether this answer to the question is before one's eyes. If it is not, it is from now on. */
export function isInSight(id: string, index: number): boolean {
  const button = buttonOf(id, index);
  const now = pointedOut.get();
  const isMarked = now?.id === id && now.index === index;
  if (!button || (isMarked && Date.now() - now.at < LOOK)) return false;
  clearTimeout(unmark);
  // Of one that is larger than the room there is, no more can be shown than its middle.
  const isSeen = isWhole(button) || (isMarked && hits(button, 0.5, 0.5));
  if (isSeen) return pointedOut.set(undefined), true;
  button.scrollIntoView({ block: "center" });
  pointedOut.set({ id, index, at: Date.now() });
  unmark = setTimeout(() => pointedOut.set(undefined), MARKED_FOR);
  return false;
}

/** If the question is there twice, the one that is over the other. */
const buttonOf = (id: string, index: number) => [...document.querySelectorAll(`[data-answers="${id}"]`)].at(-1)?.querySelectorAll("button")[index];

const isWhole = (button: Element) => [0, 1].every((x) => [0, 1].every((y) => hits(button, x, y)));

/** Its corners are round. */
const INSET = 4;

/** Whether it is what one sees at this place of it, from 0 to 1: neither cut off nor covered. */
function hits(button: Element, x: number, y: number): boolean {
  const { left, top, width, height } = button.getBoundingClientRect();
  return button.contains(document.elementFromPoint(left + INSET + x * (width - 2 * INSET), top + INSET + y * (height - 2 * INSET)));
}
