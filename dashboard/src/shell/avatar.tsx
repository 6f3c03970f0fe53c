// A small coloured square for who speaks. The colour is the team's own if it has one, else it comes from its name, so it
// is the same on every page and every day.
export function Avatar({ name, color }: { name: string; color?: string | null | undefined }) {
  return (
    <span className="relative inline-flex size-6 shrink-0 items-center justify-center rounded-md font-mono text-[0.6875rem] font-semibold text-white uppercase" style={{ backgroundColor: shade(name) }} aria-hidden="true">
      {name.replace(/[^\p{L}\p{N}]/gu, "").slice(0, 2) || "?"}
      {color && <span className="absolute -right-0.5 -bottom-0.5 size-2 rounded-full border border-surface" style={{ backgroundColor: color }} />}
    </span>
  );
}

function shade(name: string): string {
  let sum = 7;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 360;
  return `hsl(${sum} 45% 30%)`;
}
