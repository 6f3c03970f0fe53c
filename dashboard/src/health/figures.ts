// From what happened to figures over time. Pure.
import type { TurnEnd } from "./recent";

export interface Slot {
  at: number;
  done: number;
  bad: number;
  cost: number;
  /** The median and the slowest twentieth of how long turns took, in milliseconds; null if there were none. */
  median: number | null;
  slow: number | null;
}

/** The shortest time that is shown: less is no picture. */
const SHORTEST = 60 * 60_000;

/** Equal pieces of time that cover everything, at most `most` of them. */
export function slots(ends: TurnEnd[], now: number, most = 48): Slot[] {
  const first = Math.min(ends[0]?.at ?? now, now - SHORTEST);
  const width = Math.max(60_000, Math.ceil((now - first + 1) / most));
  const start = now - width * Math.max(1, Math.ceil((now - first + 1) / width));
  const count = Math.round((now - start) / width);
  const sorted: TurnEnd[][] = Array.from({ length: count }, () => []);
  for (const end of ends) sorted[Math.min(count - 1, Math.max(0, Math.floor((end.at - start) / width)))]?.push(end);
  return sorted.map((inside, index) => {
    const times = inside.map(({ durationMs }) => durationMs).sort((one, other) => one - other);
    const bad = inside.filter(({ ending }) => ending === "failed" || ending === "terminated").length;
    return { at: start + index * width, done: inside.length - bad, bad, cost: inside.reduce((sum, { costUsd }) => sum + costUsd, 0), median: part(times, 0.5), slow: part(times, 0.95) };
  });
}

/** The value below which this share of sorted values lies. */
export function part(sorted: number[], share: number): number | null {
  return sorted.length === 0 ? null : (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null);
}
