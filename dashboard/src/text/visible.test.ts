import { expect, test } from "vitest";

import { headline, pieces, visible } from "./visible";

test("ordinary text stays as it is", () => {
  for (const text of ["hello\nworld\t!", "Grüße, 你好, مرحبا", "line\r\nline", "👩‍👩‍👧 🏳️‍🌈 👩🏽‍💻 ❤️ ⚠️", ""]) expect(visible(text)).toBe(text);
});

test("what would not be seen is named", () => {
  expect(visible("a\u001b[31mred")).toBe("a⟨ESC⟩[31mred");
  expect(visible("a\u202etxt.exe")).toBe("a⟨U+202E⟩txt.exe");
  expect(visible("pay\u200bpal")).toBe("pay⟨U+200B⟩pal");
  expect(visible("x\u{e0041}")).toBe("x⟨U+E0041⟩");
  expect(visible("one\rtwo")).toBe("one⟨CR⟩two");
  expect(visible("\u0000\u007f\u0085")).toBe("⟨NUL⟩⟨DEL⟩⟨U+0085⟩");
  expect(visible("\u0007\u001f")).toBe("⟨BEL⟩⟨US⟩");
  expect(visible("a\u200db")).toBe("a⟨U+200D⟩b");
});

test("what is named cannot be written", () => {
  expect(visible("a⟨U+202E⟩b")).toBe("a⟨U+27E8⟩U+202E⟩b");
  expect(visible("a⟨U+202E⟩b")).not.toBe(visible("a\u202eb"));
});

// The same list as in iris-core.
test("nothing that draws nothing is left out", () => {
  const hidden = [
    0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180f, 0x2028, 0x2064, 0x3164, 0xfe00, 0xfe0f, 0xffa0, 0xfff9, 0xfffb, 0x13430, 0x1343f,
    0x1bca0, 0x1d159, 0x1d173, 0x1d17a, 0xe0000, 0xe007f, 0xe0100, 0xe01ef, 0xe0fff,
    0x16fe4, 0xe000, 0xf8ff, 0xfdd0, 0xfdef, 0xfffe, 0xffff, 0x1fffe, 0xdffff, 0xf0000, 0x100000, 0x10ffff,
  ];
  const spaces = [0xa0, 0x1680, 0x2000, 0x2003, 0x200a, 0x202f, 0x205f, 0x2800, 0x3000];
  for (const code of [...hidden, ...spaces]) {
    const hex = code.toString(16).toUpperCase().padStart(4, "0");
    expect(visible(`rm${String.fromCodePoint(code)}x`)).toBe(`rm⟨U+${hex}⟩x`);
  }
});

test("nothing hides behind a picture", () => {
  expect(visible("👩\u200drm")).toBe("👩⟨U+200D⟩rm");
  expect(visible("❤\ufe0f\ufe0f")).toBe("❤\ufe0f⟨U+FE0F⟩");
  expect(visible("1\ufe0f")).toBe("1⟨U+FE0F⟩");
  for (const sign of ["→", "↔", "∑", "│", "⬛", "✈"]) expect(visible(`a${sign}\u200d${sign}b`)).toBe(`a${sign}⟨U+200D⟩${sign}b`);
  for (const sign of ["→", "∑", "│", "🂡"]) expect(visible(`a${sign}\ufe0fb`)).toBe(`a${sign}⟨U+FE0F⟩b`);
  for (const whole of ["🏴\u200d☠\ufe0f", "⛓\ufe0f\u200d💥", "🙂\u200d↔\ufe0f", "⛹🏽\u200d♀\ufe0f", "🐈\u200d⬛"]) expect(visible(whole)).toBe(whole);
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

test("a few marks are a letter, a tower of them is written out", () => {
  const marks = (count: number) => "\u0301".repeat(count);
  for (const word of ["Viê\u0323t", "é", `a${marks(4)}`, "क्ष\u093f", "בְּרֵאשִׁית"]) expect(visible(word)).toBe(word);
  expect(visible(`a${marks(6)}b`)).toBe(`a${marks(4)}⟨U+0301⟩⟨U+0301⟩b`);
  expect(pieces(`a${marks(5)}`).at(-1)).toEqual({ hidden: "U+0301", name: "one mark too many" });
});
