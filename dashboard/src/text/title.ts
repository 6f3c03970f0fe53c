import { headline } from "./visible";

// Marks that only tell Markdown how to look. What may be meant as it is stays: `2**16`, `src/**/*.ts` and `__init__.py` are
// no emphasis, which opens where words do and closes where they do.
const OPENS = String.raw`(?<=^|[\s([{"'“‘«—–,;:_~-])`;
const CLOSES = String.raw`(?=$|[\s)\]}"'”’»—–_~-]|[.,;:!?…]+(?:$|[\s)\]}"'”’»_~]))`;
const INSIDE = String.raw`(?=[^\s/.\\])(.+?)(?<=[^\s/\\])`;
/** Around the number of what is held back while marks are taken away, code and where links lead: in it, everything is meant
 * as it is. */
const HELD = "\u0000";
const HOLDS = new RegExp(`${HELD}(\\d+)${HELD}`, "g");
const TARGET = String.raw`[^()\s${HELD}]`;
/** A link is a word of its own and leads somewhere: `of[name](event)` is none, and one that has a bracket in it is whole. */
const LINK = new RegExp(String.raw`(?<![\w\])])!?\[([^\][\n]+)\]\(((?:[a-z][a-z0-9+.-]*:|[/#.?])(?:${TARGET}|\(${TARGET}*\))*)\)`, "gi");
const START = /^\s*(?:#{1,6}\s+|>\s+|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)]\s+)/;
const MARKS: [RegExp, string][] = [
  [new RegExp(String.raw`${OPENS}(\*\*|~~)${INSIDE}\1${CLOSES}`, "g"), "$2"],
  // One word between such strokes is a name, as in Python.
  [new RegExp(String.raw`${OPENS}__(?!\w+__)${INSIDE}__${CLOSES}`, "g"), "$1"],
  [new RegExp(String.raw`${OPENS}\*(?!\*)(?=[^\s/.\\])([^*]+?)(?<=[^\s/\\])\*${CLOSES}`, "g"), "$1"],
];
const CODE = /(`+)(?!`)(.+?)(?<!`)\1(?!`)/g;

/** The first line that says something, for a row: Markdown is shown as what it says, without its marks, and a link
 * without where it leads. */
export function title(text: string, longest?: number): string {
  const line = text.split("\n").find((one) => /[\p{L}\p{N}]/u.test(one) && !/^\s*(?:```|~~~)/.test(one)) ?? text;
  return headline(unmarkedLine(headline(line, 1000), () => ""), longest);
}

/** Every line of it, without the marks. Where a link leads is said beside it: what somebody answers may hang on that. */
export const unmarked = (text: string) =>
  text
    .split("\n")
    .map((line) => unmarkedLine(line, (text, target) => (text === target ? "" : ` (${target})`)))
    .join("\n");

function unmarkedLine(line: string, leads: (text: string, target: string) => string): string {
  if (line.includes(HELD)) return line;
  const held: string[] = [];
  const hold = (text: string) => `${HELD}${held.push(text) - 1}${HELD}`;
  const begun = line.replace(CODE, (_, _marks, code: string) => hold(code)).replace(START, "");
  const linked = begun.replace(LINK, (_, text: string, target: string) => `${text}${hold(leads(text, target))}`);
  return MARKS.reduce((left, [mark, instead]) => left.replace(mark, instead), linked).replace(HOLDS, (_, at: string) => held[Number(at)] ?? "");
}
