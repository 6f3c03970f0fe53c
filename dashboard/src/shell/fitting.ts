// Which commands fit what was typed, the best first. Pure.
import { defaultFilter } from "cmdk";

export interface Entry {
  label: string;
  key: string;
  act: () => void;
}

export interface Group {
  heading: string;
  entries: Entry[];
}

/** Those groups that have something that fits, the one with the best first: it is the one that Enter does. */
export function fitting(groups: Group[], typed: string): Group[] {
  if (typed.trim() === "") return groups.filter(({ entries }) => entries.length > 0);
  const all = groups.map(({ heading, entries }) => ({ heading, entries: entries.map((entry) => ({ entry, rank: rank(`${entry.label} ${entry.key}`, typed) })) }));
  // Scattered letters are for want of anything better.
  const least = all.some(({ entries }) => entries.some(({ rank }) => rank >= HAS_WORDS)) ? HAS_WORDS : Number.MIN_VALUE;
  const ranked = all.map(({ heading, entries }) => {
    const fits = entries.filter(({ rank }) => rank >= least);
    fits.sort((one, other) => other.rank - one.rank);
    return { heading, entries: fits.map(({ entry }) => entry), best: fits[0]?.rank ?? 0 };
  });
  return ranked.filter(({ best }) => best > 0).sort((one, other) => other.best - one.best);
}

const HAS_WORDS = 0.8;

/** From 0 to 1: what has every word that was typed is before what only has the letters, scattered over other words. */
function rank(text: string, typed: string): number {
  const [said, wanted] = [text.toLowerCase(), typed.trim().toLowerCase()];
  if (said.startsWith(wanted)) return 1;
  const parts = wanted.split(/\s+/);
  if (parts.every((part) => begins(said, part))) return 0.9;
  if (parts.every((part) => said.includes(part))) return HAS_WORDS;
  return defaultFilter(text, typed) / 2;
}

/** Whether a word of it begins so. */
const begins = (said: string, part: string) => said.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(part));
