import { headline } from "./visible";

// Marks that only tell Markdown how to look. A single star or stroke may be meant as it is: it stays.
const MARKS: [RegExp, string][] = [
  [/^\s*(?:#{1,6}\s+|>\s*|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)]\s+)/, ""],
  // A link is a word of its own and leads somewhere: `of[name](event)` is none, and one that has a bracket in it is whole.
  [/(?<![\w\])])!?\[([^\][\n]+)\]\((?:[a-z][a-z0-9+.-]*:|[/#.?])(?:[^()\s]|\([^()\s]*\))*\)/gi, "$1"],
  [/(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1/g, "$2"],
  [/(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])/g, "$1"],
  [/(`+)(?!`)(.+?)(?<!`)\1(?!`)/g, "$2"],
];

/** The first line that says something, for a row: Markdown is shown as what it says, without its marks. */
export function title(text: string, longest?: number): string {
  const line = text.split("\n").find((one) => /[\p{L}\p{N}]/u.test(one) && !/^\s*(?:```|~~~)/.test(one)) ?? text;
  return headline(unmarked(headline(line, 1000)), longest);
}

/** Every line of it, without the marks. */
export const unmarked = (text: string) => text.split("\n").map((line) => MARKS.reduce((left, [mark, instead]) => left.replace(mark, instead), line)).join("\n");
