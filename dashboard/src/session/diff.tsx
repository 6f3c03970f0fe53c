import { diffLines } from "diff";
import { memo, use, useMemo, useState } from "react";

import { Plain } from "@/text/plain";
import { ScrollBox, Witnessed } from "@/text/scroll";

import type { Change } from "./tool";

interface Line {
  sign: "+" | "-" | " " | "…";
  text: string;
}

/** How many unchanged lines are shown around a change. */
const AROUND = 3;
/** How many lines are shown until somebody asks for the rest; of what is to be approved nearly always all. */
const MOST_LINES = { past: 400, asked: 5000 };

/** Before and after, line by line; long stretches that did not change are left out. */
export function lines({ before: replaced, after }: Change): Line[] {
  const before = replaced ?? "";
  // A last line that only got a successor did not change; what became of its line end is said below.
  const parts = diffLines(before, after, { maxEditLength: 4000, ignoreNewlineAtEof: true });
  // Too different to compare: then everything went and everything is new.
  const known = parts ?? [{ value: before, removed: true, added: false }, { value: after, added: true, removed: false }];
  const shown = known.flatMap((part, index) => {
    const text = part.value.replace(/\n$/, "").split("\n");
    if (part.added || part.removed) return part.value === "" ? [] : text.map((line): Line => ({ sign: part.added ? "+" : "-", text: line }));
    return shorten(text, index === 0, index === known.length - 1);
  });
  return [...shown, ...lineEnd(before, after)];
}

/** Whether the text ends with a line end, if that is not as it was. */
function lineEnd(before: string, after: string): Line[] {
  if (before === "" || after === "" || before.endsWith("\n") === after.endsWith("\n")) return [];
  return [{ sign: "…", text: after.endsWith("\n") ? "a newline at the end now" : "no newline at the end any more" }];
}

function shorten(text: string[], isFirst: boolean, isLast: boolean): Line[] {
  const same = (all: string[]) => all.map((line): Line => ({ sign: " ", text: line }));
  const head = isFirst ? 0 : AROUND;
  const tail = isLast ? 0 : AROUND;
  if (text.length <= head + tail + 1) return same(text);
  const left = text.length - head - tail;
  return [...same(text.slice(0, head)), { sign: "…", text: `${left} lines unchanged` }, ...same(tail ? text.slice(-tail) : [])];
}

const WORDS = { "+": "added", "-": "removed", " ": "", "…": "" };

/** `name`: which of the changes of a call it is. */
export const Diff = memo(function Diff({ change, name }: { change: Change; name: string }) {
  const [isWhole, setWhole] = useState(false);
  const isAsked = use(Witnessed) !== undefined;
  const all = useMemo(() => lines(change), [change]);
  const left = isWhole ? 0 : Math.max(0, all.length - (isAsked ? MOST_LINES.asked : MOST_LINES.past));
  const count = (sign: string) => all.filter((line) => line.sign === sign).length;
  return (
    <figure className="overflow-hidden rounded border border-line">
      <figcaption className="said flex flex-wrap justify-between gap-2 border-b border-line bg-raised px-2 py-1 font-mono text-xs">
        <Plain text={change.path || "a file"} />
        <span>
          <span className="text-good">+{count("+")}</span> <span className="text-bad">−{count("-")}</span>
        </span>
      </figcaption>
      <ScrollBox name={name} more={left} className="font-mono text-xs leading-5">
        {all.slice(0, all.length - left).map(({ sign, text }, index) => (
          <div key={index} className={`said whitespace-pre-wrap px-2 ${sign === "+" ? "bg-added" : sign === "-" ? "bg-removed" : "text-dim"}`}>
            <span aria-hidden="true" className="inline-block w-4 select-none">
              {sign}
            </span>
            {WORDS[sign] && <span className="sr-only">{WORDS[sign]}: </span>}
            <Plain text={text} />
          </div>
        ))}
      </ScrollBox>
      {left > 0 && (
        <button type="button" className="link min-h-6 px-2 text-xs" onClick={() => setWhole(true)}>
          {left.toLocaleString()} more lines are not shown: show them
        </button>
      )}
    </figure>
  );
});
