// Times: how long ago at a glance, the exact moment with its zone on demand. One clock ticks for the whole page.
import { memo, useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let now = Date.now();
let ticking: ReturnType<typeof setInterval> | undefined;
/** Where the clock of ages stands, while nothing is heard of what they are the ages of. */
let heldAt: number | undefined;

function subscribe(listener: () => void) {
  listeners.add(listener);
  // Nobody may have looked at the clock for a while.
  if (ticking === undefined) now = Date.now();
  ticking ??= setInterval(() => {
    now = Date.now();
    listeners.forEach((tell) => tell());
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(ticking);
      ticking = undefined;
    }
  };
}

/** The time, once a second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** The time up to which something is known: what is shown is this old, and does not grow older by nobody saying anything. */
export function useKnownNow(): number {
  return useSyncExternalStore(subscribe, () => knownNow());
}

const knownNow = () => (heldAt === undefined ? now : Math.min(now, heldAt));

/** Holds the clock of ages, or lets it go on. */
export function holdAges(at: number | undefined) {
  heldAt = at;
  listeners.forEach((tell) => tell());
}

/** What the time makes of something; whoever asks is only told when that has changed. */
export function useAtNow<T>(look: (now: number) => T): T {
  return useSyncExternalStore(subscribe, () => look(now));
}

export const Ago = memo(function Ago({ at }: { at: number }) {
  return <Moment at={at} text={duration(Math.max(0, useKnownNow() - at))} />;
});

export function Moment({ at, text }: { at: number; text?: string }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactly(at)} className="tabular-nums">
      {text ?? clock(at)}
    </time>
  );
}

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const MINUTE = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });

const DATE = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

/** With its zone. */
export const exactly = (at: number) => EXACT.format(at);

/** The zone of every time that is shown, in short. */
export const zone = () => new Intl.DateTimeFormat(undefined, { timeZoneName: "short" }).formatToParts(Date.now()).find(({ type }) => type === "timeZoneName")?.value ?? "local time";

export function clock(at: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return (isToday ? CLOCK : DAY).format(at);
}

/** To the minute, where the second says nothing. */
export const minute = (at: number) => MINUTE.format(at);

/** Where days go by: the day at its beginning, else the hour. */
export const tick = (at: number) => (new Date(at).getHours() === 0 && new Date(at).getMinutes() === 0 ? DATE.format(at) : MINUTE.format(at));

/** In the largest two units that say something: 4 s, 3 m, 1 h 5 m, 2 d 3 h. */
export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes < 5 && seconds % 60 ? `${minutes} m ${seconds % 60} s` : `${minutes} m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} m` : `${hours} h`;
  const days = Math.floor(hours / 24);
  return hours % 24 ? `${days} d ${hours % 24} h` : `${days} d`;
}

/** How long something took, down to milliseconds. */
export function took(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms);
}

export function money(usd: number): string {
  if (usd === 0) return "$0";
  return usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}
