import { expect, test } from "vitest";

import { headline, pieces, visible } from "./visible";

test("ordinary text stays as it is", () => {
  for (const text of ["hello\nworld\t!", "Grüße, 你好, مرحبا", "line\r\nline", "👩‍👩‍👧 🏳️‍🌈", ""]) expect(visible(text)).toBe(text);
});

test("what would not be seen is named", () => {
  expect(visible("a\u001b[31mred")).toBe("a⟨␛⟩[31mred");
  expect(visible("a\u202etxt.exe")).toBe("a⟨U+202E⟩txt.exe");
  expect(visible("pay\u200bpal")).toBe("pay⟨U+200B⟩pal");
  expect(visible("x\u{e0041}")).toBe("x⟨U+E0041⟩");
  expect(visible("one\rtwo")).toBe("one⟨␍⟩two");
  expect(visible("\u0000\u007f\u0085")).toBe("⟨␀⟩⟨␡⟩⟨U+0085⟩");
  expect(visible("a\u200db")).toBe("a⟨U+200D⟩b");
});

test("it is the same each time it is asked", () => {
  const text = "a\u202eb";
  expect([visible(text), visible(text), visible(text)]).toEqual(Array(3).fill("a⟨U+202E⟩b"));
});

test("a hidden character says what it is", () => {
  expect(pieces("\u202e")).toEqual([{ hidden: "U+202E", name: "right-to-left override" }]);
});

test("a headline is one short line", () => {
  expect(headline("\n  first\nsecond")).toBe("first");
  expect(headline("x".repeat(500), 10)).toBe(`${"x".repeat(10)}…`);
});
