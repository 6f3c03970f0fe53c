import { Link } from "@tanstack/react-router";

import { Plain } from "@/text/plain";
import { Ago } from "@/text/time";
import { headline, visible } from "@/text/visible";

import { COLOUR, type Mood } from "./mood";

/** The state, where it is known from, and how old it is. */
export function MoodChip({ mood, hasSource = false, isRoomy = false }: { mood: Mood; /** There is room to say it without being asked. */ hasSource?: boolean; /** Nothing beside it would be pushed away by it on a wide screen. */ isRoomy?: boolean }) {
  const { word, tone, source, event, since, asks } = mood;
  const known = [source, event !== undefined && `event ${event}`].filter(Boolean).join(", ");
  return (
    <span className={`max-w-full flex-col ${hasSource ? "flex" : "inline-flex"}`} title={`known from ${visible(known)}`} data-mood={tone}>
      <span className="flex max-w-full items-baseline gap-x-1.5 whitespace-nowrap">
        <span className={`size-2 shrink-0 self-center rounded-full bg-current ${COLOUR[tone]} ${tone === "work" ? "pulse" : ""}`} aria-hidden="true" />
        <span className={`said min-w-0 truncate font-medium ${COLOUR[tone]}`}>
          <Plain text={word} />
        </span>
        {asks && (
          <Link to="/inbox" search={{ question: asks.id }} className="relative rounded-full border border-accent px-1.5 text-xs leading-4.5 text-accent pointer-coarse:px-3 pointer-coarse:after:absolute pointer-coarse:after:-inset-x-2 pointer-coarse:after:-inset-y-3" title="It has asked something and goes on meanwhile">
            asks
          </Link>
        )}
        <span className="shrink-0 text-xs text-dim tabular-nums">
          <Ago at={since} /> ago
        </span>
      </span>
      {hasSource && (
        // A line of its own, of one line whatever is in it: else the rows below would jump as ages grow.
        // It asks for no room of its own, which is for the state.
        <span className={`said block h-4.5 w-0 min-w-full truncate text-xs leading-4.5 text-dim ${isRoomy ? "md:w-auto" : ""}`}>
          {event !== undefined && (
            <Link to="/system" search={{ event: String(event) }} className="underline decoration-line underline-offset-2 hover:decoration-current">
              event {event}
            </Link>
          )}
          {event !== undefined && source && " · "}
          <Plain text={headline(source, 60)} />
        </span>
      )}
    </span>
  );
}
