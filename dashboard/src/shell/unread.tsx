import { connection } from "@/api/live";
import { useWatched } from "@/api/watch";

import { Empty, Failure } from "./page";

interface UnreadGiven {
  /** What is to be here: "What was decided". */
  what: string;
  /** Why it could not be read. */
  error?: Error | null | undefined;
  /** The page says that by itself. */
  isSaid?: boolean;
  /** It is a line among others, and not all there is. */
  isLine?: boolean;
}

/** In the place of what was never read. What is not known is not said to be empty, and not left out without a word. */
export function Unread({ what, error, isSaid = false, isLine = false }: UnreadGiven) {
  const isLost = useWatched(connection).state === "lost";
  const text = `The connection is lost. ${what} is read as soon as it is back.`;
  if (isLost && !isLine) return <Empty title="Nothing known" text={text} />;
  if (isLost) return <p className="px-3 py-2 text-dim"><span className="text-ink">Nothing known.</span> {text}</p>;
  if (error) return isSaid ? null : <Failure error={error} />;
  return <p className={isLine ? "px-3 py-2 text-dim" : "py-6 text-center text-dim"} aria-busy="true"><span className="busy">loading…</span></p>;
}
