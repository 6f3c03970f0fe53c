// How much of what would be approved has been before somebody's eyes. A yes to lines that nobody has seen takes a second
// press, as in `iris monitor`.
import { Watched } from "@/api/watch";
import { NEARLY, type Witness, lineHeight } from "@/text/scroll";

/** In a box that is narrower than this nobody reads what does not fit into one line of it. */
const NARROWEST = 48;

interface Looked {
  box: HTMLElement | undefined;
  /** Its first line was in view. */
  hasStart: boolean;
  /** How far down it was looked at, in pixels. */
  down: number;
  /** Lines that are not even in the box. */
  more: number;
}

/** The boxes of each question. They go and come back as one scrolls; what was seen stays seen. */
const looked = new Map<string, Map<string, Looked>>();

/** For each question of which something was out of view: how many lines still are. */
export const unseen = new Watched<ReadonlyMap<string, number>>(new Map());

/** How many lines of it nobody has seen, as of now. */
export function linesUnseen(id: string): number {
  if (looked.has(id)) look(id);
  return unseen.get().get(id) ?? 0;
}

export const witness = (id: string): Witness => (name, box, more) => {
  const boxes = looked.get(id) ?? new Map<string, Looked>();
  looked.set(id, boxes);
  boxes.set(name, { hasStart: false, down: 0, ...boxes.get(name), box, more });
  const later = () => (frame ??= requestAnimationFrame(lookAtAll));
  const watcher = new ResizeObserver(later);
  watcher.observe(box);
  // Nobody scrolls when what was above it goes and it moves up.
  const comes = new IntersectionObserver(later, { threshold: [0, 0.25, 0.5, 0.75, 1] });
  comes.observe(box);
  // Scrolling does not bubble; whatever it is that scrolls, the box or a page around it, is caught on its way down.
  document.addEventListener("scroll", later, { capture: true, passive: true });
  later();
  return () => {
    watcher.disconnect();
    comes.disconnect();
    document.removeEventListener("scroll", later, { capture: true });
    const last = boxes.get(name);
    if (last?.box === box) boxes.set(name, { ...last, box: undefined });
  };
};

let frame: number | undefined;

function lookAtAll() {
  frame = undefined;
  for (const id of looked.keys()) look(id);
}

function look(id: string) {
  let left = 0;
  for (const now of looked.get(id)?.values() ?? []) left += lookInto(now);
  const known = unseen.get().get(id);
  // What was in view from the first moment is not worth a word.
  if (left !== (known ?? 0)) unseen.update((all) => new Map(all).set(id, left));
}

/** Notes what of a box is in view, and gives how many of its lines never were. */
function lookInto(looked: Looked): number {
  const { box, more } = looked;
  if (!box) return 0;
  const { top, bottom, width, height } = box.getBoundingClientRect();
  const view = visible(box);
  const line = lineHeight(box);
  const isCramped = width < NARROWEST && (box.scrollWidth > box.clientWidth + NEARLY || box.scrollHeight > 1.5 * line);
  const isReadable = !isCramped && height >= line / 2 && view.right - view.left >= width - NEARLY;
  if (isReadable && view.bottom > view.top) {
    if (box.scrollTop <= NEARLY && top >= view.top - NEARLY) looked.hasStart = true;
    const isWhole = bottom <= view.bottom + NEARLY;
    looked.down = Math.max(looked.down, box.scrollTop + (isWhole ? box.clientHeight : view.bottom - top));
  }
  const rest = box.scrollHeight - (looked.hasStart ? looked.down : 0);
  const lines = rest <= NEARLY ? 0 : Math.max(1, Math.round(rest / line));
  // Words that have no room to be read in have no lines either, and were seen by nobody.
  return more + (isReadable || looked.hasStart || !box.textContent ? lines : Math.max(1, lines));
}

type Sides = Pick<DOMRect, "top" | "bottom" | "left" | "right">;

/** From where to where something of it can be seen: everything that it scrolls in cuts off some of it. */
function visible(box: HTMLElement): Sides {
  let seen = within(box.getBoundingClientRect(), { top: 0, bottom: innerHeight, left: 0, right: innerWidth });
  for (let around = box.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflowY !== "visible") seen = within(seen, around.getBoundingClientRect());
  }
  return seen;
}

const within = (one: Sides, other: Sides): Sides => ({ top: Math.max(one.top, other.top), bottom: Math.min(one.bottom, other.bottom), left: Math.max(one.left, other.left), right: Math.min(one.right, other.right) });
