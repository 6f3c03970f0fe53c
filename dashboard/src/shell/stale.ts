// Nothing stale looks fresh: while the daemon is not heard, the colours of states and their beat are taken away, and the
// clock of ages stands at the last moment something was heard.
import { connection } from "@/api/live";
import type { Connection } from "@/api/stream";
import { useWatched } from "@/api/watch";
import { holdAges } from "@/text/time";

/** Since when nothing is heard any more; undefined while what is shown is as it is. */
export const staleSince = (now: Connection): number | undefined => (now.state === "lost" || now.state === "resting" ? now.since : undefined);

export const useStaleSince = () => staleSince(useWatched(connection));

export function watchStaleness() {
  const show = () => {
    const since = staleSince(connection.get());
    document.documentElement.toggleAttribute("data-stale", since !== undefined);
    holdAges(since);
  };
  show();
  return connection.subscribe(show);
}
