import { expect, test } from "vitest";

import { lines } from "./diff";

const brief = (before: string, after: string) => lines({ path: "f", before, after }).map(({ sign, text }) => sign + text);

test("what changed is marked, and what surrounds it is shown", () => {
  expect(brief("a\nb\nc", "a\nB\nc")).toEqual([" a", "-b", "+B", " c"]);
});

test("a last line that got a successor is unchanged, and its line end is not hidden", () => {
  expect(brief("a\nold\nlast", "a\nnew\nlast\nmore\n")).toEqual([" a", "-old", "+new", " last", "+more", "…a newline at the end now"]);
  expect(brief("a\nb", "a\nb\nc")).toEqual([" a", " b", "+c"]);
  expect(brief("a\nb\nc", "a\nb")).toEqual([" a", " b", "-c"]);
  expect(brief("a\n", "a")).toEqual([" a", "…no newline at the end any more"]);
  expect(brief("a", "a\n")).toEqual([" a", "…a newline at the end now"]);
});

test("a new file is all new", () => {
  expect(brief("", "a\nb\n")).toEqual(["+a", "+b"]);
});

test("a long stretch without changes is left out", () => {
  const many = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const shown = brief(["x", ...many, "y"].join("\n"), ["X", ...many, "Y"].join("\n"));
  expect(shown).toContain("…34 lines unchanged");
  expect(shown).toHaveLength(2 + 3 + 1 + 3 + 2);
});
