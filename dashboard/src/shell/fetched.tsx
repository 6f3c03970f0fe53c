// Parts of the dashboard that are files of their own: fetched when they are first needed, or before, when there is nothing
// else to do. One that cannot be fetched is not the end of the page.
import { type ComponentType, type ReactNode, useEffect, useState } from "react";

import { connection } from "@/api/live";
import { useWatched } from "@/api/watch";

import { Empty, Page } from "./page";

export type Fetched<Given> = ((given: Given) => ReactNode) & { preload: () => Promise<void> };

const all = new Set<() => Promise<void>>();

/** `Missing` is shown instead of it when it could not be fetched. */
export function fetched<Given extends object>(load: () => Promise<ComponentType<Given>>, Missing: ComponentType<Given & { again: () => void }>): Fetched<Given> {
  let Part: ComponentType<Given> | undefined;
  let loading: Promise<void> | undefined;
  const preload = () =>
    Part
      ? Promise.resolve()
      : (loading ??= load()
          .then((part) => void (Part = part))
          .catch(() => {})
          .finally(() => (loading = undefined)));
  all.add(preload);
  function Shown(given: Given) {
    const [isTried, setTried] = useState(false);
    const [, show] = useState(0);
    const again = () => void preload().then(() => (setTried(true), show((times) => times + 1)));
    useEffect(() => void (Part ?? again()), []);
    if (Part) return <Part {...given} />;
    return isTried ? <Missing {...given} again={again} /> : null;
  }
  return Object.assign(Shown, { preload });
}

/** A page of the dashboard. */
export const fetchedPage = (load: () => Promise<ComponentType>) => fetched(load, MissingPage);

function MissingPage({ again }: { again: () => void }) {
  const { state } = useWatched(connection);
  useEffect(() => {
    if (state !== "live") return;
    again();
    // The daemon is heard and the file is not there: it is another version by now, whose files have other names.
    const anew = setTimeout(reloadOnce, 3000);
    return () => clearTimeout(anew);
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [state]);
  return (
    <Page title="Not here yet">
      <Empty title="This page could not be fetched" text="The daemon cannot be reached. The page comes by itself as soon as it can be.">
        <button type="button" className="button mt-3" onClick={again}>
          Try again
        </button>
      </Empty>
    </Page>
  );
}

const RELOADED = "iris.reloaded";
const NOT_AGAIN_FOR = 60_000;

function reloadOnce() {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED) ?? 0) < NOT_AGAIN_FOR) return;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
}

/** How long after the first page the others may wait, in milliseconds. */
const AFTER = 1000;

/** Fetches what is not here yet, one after the other, when the browser has nothing else to do. Gives the way to stop. */
export function fetchWhenIdle(): () => void {
  let isOver = false;
  const idle = () => new Promise<void>((go) => ("requestIdleCallback" in window ? requestIdleCallback(() => go(), { timeout: 5000 }) : setTimeout(go, 1000)));
  const run = async () => {
    // What is on the screen comes first.
    await new Promise((go) => setTimeout(go, AFTER));
    for (const preload of all) {
      await idle();
      if (isOver) return;
      await preload();
    }
  };
  const begin = () => void (connection.get().state === "live" && (end(), void run()));
  const end = connection.subscribe(begin);
  begin();
  return () => {
    isOver = true;
    end();
  };
}
