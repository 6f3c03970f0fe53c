// The frame around every page: where one can go, whether what is shown is true, and what comes up by itself.
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { Activity, Command, Inbox, ListChecks, Settings, Users } from "lucide-react";
import { useEffect, useRef, useState } from "react";

import { Refusal } from "@/api/call";
import { stream } from "@/api/live";
import { meQuery } from "@/api/me";
import { Watched, useWatched } from "@/api/watch";
import { useOpenQuestions } from "@/question/ask";
import { QuestionModal } from "@/question/modal";
import { Overtaken } from "@/question/overtaken";
import { isSnoozed, snoozed } from "@/question/snooze";
import { useAtNow, zone } from "@/text/time";

import { ConnectionState, ConnectionStrip } from "./connection";
import { focusMain, useLostFocus, watchFocus } from "./focus";
import { useKeys, useNoRepeats } from "./keys";
import { fetchWhenIdle, fetched } from "./fetched";
import { Notices, complain, dismissAbove, isSlip, undoLast } from "./notices";
import { useNotifications } from "./notify";
import { Count } from "./page";
import { useScrolled } from "./scrolled";
import { watchStaleness } from "./stale";
import { watchWriting } from "./writing";

/** What cannot be fetched just now is said and not opened. */
function Unfetched({ onClose }: { onClose: () => void }) {
  useEffect(() => {
    complain(new Refusal(0, { hint: "Try again when the connection is back." }));
    onClose();
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return null;
}

const Palette = fetched(async () => (await import("./palette")).default, Unfetched);
const Help = fetched(async () => (await import("./help")).default, Unfetched);

const PAGES = [
  { to: "/inbox", label: "Inbox", Icon: Inbox },
  { to: "/fleet", label: "Fleet", Icon: Users },
  { to: "/jobs", label: "Jobs", Icon: ListChecks },
  { to: "/system", label: "Health", Icon: Activity },
  { to: "/settings", label: "Settings", Icon: Settings },
] as const;

/** What lies over the page because somebody asked for it. */
const overlay = new Watched<"palette" | "help" | undefined>(undefined);

/** How a page is named in the bar of pages, and what else is in it. */
const PLACE = "relative flex h-14 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-xs text-dim hover:text-ink md:h-auto md:min-h-8 md:flex-none md:flex-row md:justify-start md:gap-2 md:rounded-md md:px-2 md:text-sm";

export function Frame() {
  const { mine } = useOpenQuestions();
  const aside = useWatched(snoozed);
  // What is put aside does not need anybody until it is back.
  const needs = useAtNow((now) => mine.filter((question) => !isSnoozed(question, aside, now)).length);
  useQuery(meQuery);
  useTitle(needs);
  useNotifications();
  useNoRepeats();
  useEffect(watchFocus, []);
  useLostFocus(focusMain);
  const main = useRef<HTMLElement>(null);
  useScrolled(main);
  useEffect(watchWriting, []);
  useEffect(fetchWhenIdle, []);
  useEffect(() => {
    const end = watchStaleness();
    stream.start();
    return () => {
      stream.stop();
      end();
    };
  }, []);
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a href="#main" className="button button-ink absolute top-2 left-2 z-70 -translate-y-20 focus:translate-y-0">
        Skip to content
      </a>
      <nav aria-label="Pages" className="order-last flex shrink-0 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:order-first md:w-50 md:flex-col md:border-t-0 md:border-r md:p-2">
        <div className="hidden items-center gap-2 px-2 py-2 text-base font-semibold md:flex">
          <img src="/icon.svg" alt="" className="size-6" /> Iris
        </div>
        {PAGES.map(({ to, label, Icon }) => (
          <Link key={to} to={to} className={PLACE} activeProps={{ className: "text-ink! font-medium md:bg-raised" }}>
            <Icon size={18} aria-hidden="true" />
            <span className="flex items-center gap-1">
              {label}
              {label === "Inbox" && needs > 0 && (
                // In the narrow bar beside the picture and not beside the word: there is no room for both.
                <span aria-label={`${needs} need you`} data-badge className="max-md:absolute max-md:top-1 max-md:left-[calc(50%+0.375rem)]">
                  <Count number={needs} accent />
                </span>
              )}
            </span>
          </Link>
        ))}
        <button type="button" className={PLACE} aria-haspopup="dialog" aria-keyshortcuts="Control+K Meta+K" onClick={() => overlay.set("palette")}>
          <Command size={18} className="shrink-0" aria-hidden="true" />
          <span className="md:hidden">Go to</span>
          <span className="hidden md:inline">Commands</span>
          <kbd className="key ml-auto hidden whitespace-nowrap md:pointer-fine:inline-block" aria-hidden="true">
            {/Mac|iP(hone|ad)/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K"}
          </kbd>
        </button>
        <div className="mt-auto hidden px-2 py-1 md:block">
          <ConnectionState />
          <p className="text-xs text-dim">Times in {zone()}</p>
        </div>
      </nav>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ConnectionStrip />
        <Overtaken />
        <Notices />
        <main ref={main} id="main" tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none" onClickCapture={(event) => isSlip(event.target as Element) ? event.stopPropagation() : dismissAbove()}>
          <Outlet />
        </main>
      </div>
      <QuestionModal />
      <Overlays />
    </div>
  );
}

/** Command palette and help: fetched when first asked for. */
function Overlays() {
  const shown = useWatched(overlay);
  const show = overlay.set;
  const navigate = useNavigate();
  const [isGoing, setGoing] = useState(false);
  const go = (to: string) => {
    setGoing(false);
    void navigate({ to });
  };
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      overlay.update((now) => (now === "palette" ? undefined : "palette"));
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, []);
  // `g` and then the first letter of a page.
  useKeys(isGoing ? { i: () => go("/inbox"), f: () => go("/fleet"), j: () => go("/jobs"), h: () => go("/system"), s: () => go("/settings"), Escape: () => setGoing(false) } : { g: () => setGoing(true), "?": () => show("help"), u: undoLast });
  useEffect(() => {
    if (!isGoing) return;
    const end = setTimeout(() => setGoing(false), 1500);
    return () => clearTimeout(end);
  }, [isGoing]);
  return (
    <>
      {shown === "palette" && <Palette onClose={() => show(undefined)} onHelp={() => show("help")} />}
      {shown === "help" && <Help onClose={() => show(undefined)} />}
    </>
  );
}

function useTitle(count: number) {
  useEffect(() => {
    const name = document.title.replace(/^\(\d+\) /, "");
    document.title = count ? `(${count}) ${name}` : name;
    // Pages set the title when they are shown; the number is put back in front.
    const watcher = new MutationObserver(() => {
      const wanted = count ? `(${count}) ${document.title.replace(/^\(\d+\) /, "")}` : document.title.replace(/^\(\d+\) /, "");
      if (document.title !== wanted) document.title = wanted;
    });
    const title = document.querySelector("title");
    if (title) watcher.observe(title, { childList: true });
    return () => watcher.disconnect();
  }, [count]);
}
