// What an agent wrote is data. Characters that would steer the reader's eye or screen (control characters, direction
// overrides, characters that draw nothing, spaces that are none to a shell) are shown by name instead of taking effect.
// The list is that of iris-core, in visible.rs.

export type Piece = { text: string; hidden?: undefined } | { text?: undefined; hidden: string; name: string };

const NAMES: Record<number, string> = {
  0x00a0: "no-break space",
  0x00ad: "soft hyphen",
  0x034f: "combining grapheme joiner",
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
  0x202f: "narrow no-break space",
  0x2800: "empty Braille pattern",
  0x3000: "ideographic space",
  0xfeff: "byte order mark",
};

// By letters: few fonts have the pictures that Unicode has for these.
const CONTROLS = "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(" ");

// Line feed and tab are ordinary; a carriage return before a line feed is, too. A search for these has no memory, so it is
// the same each time it is asked.
// oxlint-disable-next-line no-control-regex no-misleading-character-class
const HIDDEN = /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{13430}-\u{1343f}\u{16fe4}\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\p{Co}\p{Noncharacter_Code_Point}]/u;
// Marks stand on the letter before them: a few are a letter of some language, a tower of them falls over the lines above.
const TOWER = /[\p{Mn}\p{Me}](?<=[\p{Mn}\p{Me}]{5})/u;
const EVERY_HIDDEN = new RegExp(`${HIDDEN.source}|${TOWER.source}`, "gu");

/** The text in pieces: what can be read, and what would not have been seen. */
export function pieces(text: string): Piece[] {
  if (!HIDDEN.test(text) && !TOWER.test(text)) return [{ text }];
  const found: Piece[] = [];
  let done = 0;
  for (const match of text.matchAll(EVERY_HIDDEN)) {
    if (belongsToPicture(text, match.index, match[0])) continue;
    if (match.index > done) found.push({ text: text.slice(done, match.index) });
    found.push(named(match[0]));
    done = match.index + match[0].length;
  }
  if (done < text.length) found.push({ text: text.slice(done) });
  return found;
}

/** The same in one string, for places that hold no elements: titles and labels. It can be read back in one way only: a bracket
 * that looks like the beginning of a name is named itself, as a backslash is in what iris-core shows. */
export function visible(text: string): string {
  return pieces(text)
    .map((piece) => piece.text?.replaceAll("⟨", "⟨U+27E8⟩") ?? `⟨${piece.hidden}⟩`)
    .join("");
}

function named(character: string): Piece {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return { hidden: CONTROLS[code] ?? "", name: `control character ${code}` };
  if (code === 0x7f) return { hidden: "DEL", name: "delete" };
  const hex = code.toString(16).toUpperCase().padStart(4, "0");
  return { hidden: `U+${hex}`, name: NAMES[code] ?? (/[\p{Mn}\p{Me}]/u.test(character) && !HIDDEN.test(character) ? "one mark too many" : "invisible character") };
}

// Emoji, but for digits and signs of ASCII. Of those that are joined to one picture only some signs of the older blocks may be a
// part: arrows and the like draw side by side.
const ENDS_WITH_PICTURE = /(?![\0-\u007f])\p{Emoji}$/u;
const ENDS_WITH_PERSON = /(?:[\u26d3\u26f9\u2764]|(?=[\u{1f000}-\u{1ffff}])\p{Emoji})(?:\ufe0f|[\u{1f3fb}-\u{1f3ff}])*$/u;
const BEGINS_JOINED = /^(?:[\u2194\u2195\u2620\u2640\u2642\u2695\u2696\u26a7\u2708\u2764\u27a1\u2b1b]|(?=[\u{1f000}-\u{1ffff}])\p{Emoji})/u;

/** A heart in colour or a family is one picture made of several characters, and is left alone. */
function belongsToPicture(text: string, at: number, character: string): boolean {
  const before = text.slice(Math.max(0, at - 8), at);
  if (character === "\ufe0f") return ENDS_WITH_PICTURE.test(before);
  return character === "\u200d" && ENDS_WITH_PERSON.test(before) && BEGINS_JOINED.test(text.slice(at + 1, at + 3));
}

/** The first line, short enough for a row. */
export function headline(text: string, longest = 160): string {
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
