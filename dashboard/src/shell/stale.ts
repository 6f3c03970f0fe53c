// Nothing stale looks fresh: while the daemon is not heard, or was and not everything could be read since, the colours of states and their beat are taken away, and the
// clock of ages stands at the last moment something was heard.
import { behindSince } from "@/api/behind";
import { connection } from "@/api/live";
import type { Connection } from "@/api/stream";
import { useWatched } from "@/api/watch";
import { holdAges } from "@/text/time";

/** Since when nothing is heard any more, or read; undefined while what is shown is as it is. */
export const staleSince = (now: Connection, behind: number | undefined): number | undefined => (now.state === "lost" || now.state === "resting" ? now.since : behind);

export const useStaleSince = () => staleSince(useWatched(connection), useWatched(behindSince));

export function watchStaleness() {
  const show = () => {
    const since = staleSince(connection.get(), behindSince.get());
    document.documentElement.toggleAttribute("data-stale", since !== undefined);
    holdAges(since);
  };
  show();
  const ends = [connection.subscribe(show), behindSince.subscribe(show)];
  return () => ends.forEach((end) => end());
}
