// A small coloured square for who speaks. The colour is the team's own if it has one, else it comes from its name, so it
// is the same on every page and every day.
import { useQuery } from "@tanstack/react-query";

import { teamsQuery } from "@/api/ask";

export function Avatar({ name }: { name: string }) {
  const { data: own } = useQuery({ ...teamsQuery, select: (teams) => teams.find((team) => team.name === name)?.color ?? null });
  const colour = own ?? shade(name);
  return (
    <span className="inline-flex size-6 shrink-0 items-center justify-center rounded-md font-mono text-[0.6875rem] font-semibold uppercase" style={{ backgroundColor: colour, color: isBright(colour) ? "#000" : "#fff" }} aria-hidden="true">
      {initials(name)}
    </span>
  );
}

/** Of its first two parts, as several teams of one family begin the same; of a name of one part, how that begins. */
export function initials(name: string): string {
  const [first = "", second] = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = second === undefined ? [...first].slice(0, 2) : [...first].slice(0, 1).concat([...second].slice(0, 1));
  return letters.join("") || "?";
}

function shade(name: string): string {
  let sum = 7;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 360;
  return `hsl(${sum} 45% 30%)`;
}

const known = new Map<string, boolean>();
let brush: CanvasRenderingContext2D | null | undefined;

/** Whether black is read on it better than white. A colour may be written in any way a browser knows, so the browser is
 * asked what it is: it gives every colour that is not transparent back as six digits. */
function isBright(colour: string): boolean {
  let found = known.get(colour);
  if (found === undefined) {
    brush ??= document.createElement("canvas").getContext("2d");
    if (!brush) return false;
    brush.fillStyle = "#000";
    brush.fillStyle = colour;
    const parts = /^#(..)(..)(..)$/.exec(brush.fillStyle)?.slice(1) ?? [];
    const [red = 0, green = 0, blue = 0] = parts.map((part) => (Number.parseInt(part, 16) / 255) ** 2.2);
    found = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
    known.set(colour, found);
  }
  return found;
}
