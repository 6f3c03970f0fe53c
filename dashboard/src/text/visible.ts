// What an agent wrote is data. Characters that would steer the reader's eye or screen (control characters, direction
// overrides, zero-width and tag characters) are shown by name instead of taking effect.

export type Piece = { text: string; hidden?: undefined } | { text?: undefined; hidden: string; name: string };

const NAMES: Record<number, string> = {
  0x00ad: "soft hyphen",
  0x061c: "Arabic letter mark",
  0x180e: "Mongolian vowel separator",
  0x200b: "zero-width space",
  0x200c: "zero-width non-joiner",
  0x200d: "zero-width joiner",
  0x200e: "left-to-right mark",
  0x200f: "right-to-left mark",
  0x202a: "left-to-right embedding",
  0x202b: "right-to-left embedding",
  0x202c: "pop direction",
  0x202d: "left-to-right override",
  0x202e: "right-to-left override",
  0x2028: "line separator",
  0x2029: "paragraph separator",
  0x2060: "word joiner",
  0x2066: "left-to-right isolate",
  0x2067: "right-to-left isolate",
  0x2068: "first strong isolate",
  0x2069: "pop isolate",
  0xfeff: "byte order mark",
};

// Line feed and tab are ordinary; a carriage return before a line feed is, too. A search for these has no memory, so it is
// the same each time it is asked.
// oxlint-disable-next-line no-control-regex no-misleading-character-class
const HIDDEN = /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]/u;
const EVERY_HIDDEN = new RegExp(HIDDEN, "gu");

/** The text in pieces: what can be read, and what would not have been seen. */
export function pieces(text: string): Piece[] {
  if (!HIDDEN.test(text)) return [{ text }];
  const found: Piece[] = [];
  let done = 0;
  for (const match of text.matchAll(EVERY_HIDDEN)) {
    if (joinsEmoji(text, match.index, match[0])) continue;
    if (match.index > done) found.push({ text: text.slice(done, match.index) });
    found.push(named(match[0]));
    done = match.index + match[0].length;
  }
  if (done < text.length) found.push({ text: text.slice(done) });
  return found;
}

/** The same in one string, for places that hold no elements: titles and labels. */
export function visible(text: string): string {
  return pieces(text)
    .map((piece) => piece.text ?? `⟨${piece.hidden}⟩`)
    .join("");
}

function named(character: string): Piece {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return { hidden: String.fromCharCode(0x2400 + code), name: `control character ${code}` };
  if (code === 0x7f) return { hidden: "␡", name: "delete" };
  const hex = code.toString(16).toUpperCase().padStart(4, "0");
  return { hidden: `U+${hex}`, name: NAMES[code] ?? "invisible character" };
}

/** A family or a flag is one picture made of several, and is left alone. */
function joinsEmoji(text: string, at: number, character: string): boolean {
  if (character !== "\u200d") return false;
  return /\p{Extended_Pictographic}(\ufe0f|\p{Emoji_Modifier})*$/u.test(text.slice(0, at).slice(-8)) && /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 4));
}

/** The first line, short enough for a row. */
export function headline(text: string, longest = 160): string {
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
