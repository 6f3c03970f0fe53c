// Whether what is shown is true: a word below the names of the pages, and a strip above the page, on every screen, when it
// may not be.
import { type ReactNode, useEffect, useLayoutEffect, useState } from "react";

import { behindSince } from "@/api/behind";
import { connection, tryNow } from "@/api/live";
import { type Connection, NOT_ANSWERED } from "@/api/stream";
import { useWatched } from "@/api/watch";
import { useNow } from "@/text/time";

import { pageMoved } from "./notices";

export const CONNECTIONS = { live: "Live", behind: "Catching up", connecting: "Connecting", lost: "Connection lost", resting: "Resting", "signed-out": "Signed out" };

export function ConnectionState() {
  const { state: heard } = useWatched(connection);
  const isBehind = useWatched(behindSince) !== undefined;
  const state = heard === "live" && isBehind ? "behind" : heard;
  const colour = { behind: "bg-held pulse", live: "bg-good", connecting: "bg-dim pulse", lost: "bg-bad pulse", resting: "bg-dim", "signed-out": "bg-bad" }[state];
  return (
    <p className="flex items-center gap-2 text-xs text-dim" data-connection={state}>
      <span className={`size-2 rounded-full ${colour}`} aria-hidden="true" />
      {CONNECTIONS[state]}
    </p>
  );
}

/** The one reason that lies in neither the daemon nor the network. */
const MANY_WINDOWS = "If six windows of Iris are in view, they take all the connections that a browser has for one address: close one.";

/** What is shown may be out of date, and that is said before anything else. */
export function ConnectionStrip() {
  const now = useWatched(connection);
  const behind = useWatched(behindSince);
  if (now.state === "lost") return <Lost {...now} />;
  if (now.state === "connecting") return <Slow key="connecting" title={CONNECTIONS.connecting} text={`The daemon has not answered yet. ${MANY_WINDOWS}`} />;
  if (now.state === "live" && behind !== undefined) return <Slow key="behind" title={CONNECTIONS.behind} text={<>Some of what you see is <Age since={behind} /> old: not everything could be read yet.</>} />;
  return null;
}

function Lost({ since, hasHeard, retryAt, why }: Extract<Connection, { state: "lost" }>) {
  const now = useNow();
  return (
    <Strip role="alert" tone="border-bad bg-bad-soft" title={<span className="font-medium text-bad">{CONNECTIONS.lost}</span>}>
      {hasHeard ? <>What you see is <Age since={since} /> old</> : "Nothing was heard yet"} ({why}). Trying again {retryAt > now ? `in ${Math.ceil((retryAt - now) / 1000)} s` : "now"}. {why === NOT_ANSWERED && MANY_WINDOWS}
    </Strip>
  );
}

/** Mostly it is over before it could be read. */
const SAID_AFTER = 2000;

function Slow({ title, text }: { title: string; text: ReactNode }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const later = setTimeout(() => setLong(true), SAID_AFTER);
    return () => clearTimeout(later);
  }, []);
  if (!isLong) return null;
  return (
    <Strip role="status" tone="border-held bg-surface" title={<span className="font-medium text-held">{title}</span>}>
      {text}
    </Strip>
  );
}

function Strip({ role, tone, title, children }: { role: "alert" | "status"; tone: string; title: ReactNode; children: ReactNode }) {
  useLayoutEffect(() => {
    pageMoved();
    return pageMoved;
  }, []);
  return (
    <div role={role} className={`flex flex-wrap items-center gap-x-3 border-b px-3 py-2 ${tone}`}>
      {title}
      {/* It counts seconds, which nobody wants to have read out. */}
      <span aria-live="off">{children}</span>
      <button type="button" className="link min-h-6 max-md:min-h-11" onClick={tryNow}>
        Try now
      </button>
    </div>
  );
}

function Age({ since }: { since: number }) {
  const now = useNow();
  return <>{Math.max(0, Math.round((now - since) / 1000))} s</>;
}
