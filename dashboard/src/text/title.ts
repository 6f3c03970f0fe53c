import { headline } from "./visible";

// Marks that only tell Markdown how to look. What may be meant as it is stays: `2**16`, `src/**/*.ts` and `__init__.py` are
// no emphasis, which opens where words do and closes where they do.
const OPENS = String.raw`(?<=^|[\s([{"'“‘«—–,;:_~-])`;
const CLOSES = String.raw`(?=$|[\s)\]}"'”’»—–_~-]|[.,;:!?…]+(?:$|[\s)\]}"'”’»_~]))`;
const INSIDE = String.raw`(?=[^\s/.\\])(.+?)(?<=[^\s/\\])`;
const MARKS: [RegExp, string][] = [
  [/^\s*(?:#{1,6}\s+|>\s+|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)]\s+)/, ""],
  // A link is a word of its own and leads somewhere: `of[name](event)` is none, and one that has a bracket in it is whole.
  [/(?<![\w\])])!?\[([^\][\n]+)\]\((?:[a-z][a-z0-9+.-]*:|[/#.?])(?:[^()\s]|\([^()\s]*\))*\)/gi, "$1"],
  [new RegExp(String.raw`${OPENS}(\*\*|~~)${INSIDE}\1${CLOSES}`, "g"), "$2"],
  // One word between such strokes is a name, as in Python.
  [new RegExp(String.raw`${OPENS}__(?!\w+__)${INSIDE}__${CLOSES}`, "g"), "$1"],
  [new RegExp(String.raw`${OPENS}\*(?!\*)(?=[^\s/.\\])([^*]+?)(?<=[^\s/\\])\*${CLOSES}`, "g"), "$1"],
];
const CODE = /(`+)(?!`)(.+?)(?<!`)\1(?!`)/g;
/** Stands for code while the marks around it are taken away: in it, everything is meant as it is. */
const HELD = "\u0000";

/** The first line that says something, for a row: Markdown is shown as what it says, without its marks. */
export function title(text: string, longest?: number): string {
  const line = text.split("\n").find((one) => /[\p{L}\p{N}]/u.test(one) && !/^\s*(?:```|~~~)/.test(one)) ?? text;
  return headline(unmarked(headline(line, 1000)), longest);
}

/** Every line of it, without the marks. */
export const unmarked = (text: string) => text.split("\n").map(unmarkedLine).join("\n");

function unmarkedLine(line: string): string {
  if (line.includes(HELD)) return line;
  const codes = [...line.matchAll(CODE)].map(([, , code]) => code ?? "");
  const rest = MARKS.reduce((left, [mark, instead]) => left.replace(mark, instead), line.replace(CODE, HELD));
  return rest.split(HELD).reduce((before, after, index) => `${before}${codes[index - 1]}${after}`);
}
