import { Link } from "@tanstack/react-router";
import { ChevronLeft, Search } from "lucide-react";
import { useEffect } from "react";

import type { Session } from "@/api/ask";
import type { Question } from "@/question/question";
import { Avatar } from "@/shell/avatar";
import { Plain } from "@/text/plain";
import { Moment } from "@/text/time";

import { SessionActions } from "./actions";
import { mood } from "./mood";
import { MoodChip } from "./mood-chip";
import { PartyName } from "./party";

export function SessionHead({ session, open, me, onFind }: { session: Session; open: Question[]; me: string; onFind: () => void }) {
  useEffect(() => {
    document.title = `${session.to} · Iris`;
  }, [session.to]);
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-3 py-2 md:px-5">
      <Link to="/fleet" className="-mx-2 flex size-11 items-center justify-center rounded text-dim hover:bg-raised hover:text-ink md:-mx-1 md:size-8" aria-label="Back to the fleet">
        <ChevronLeft size={18} />
      </Link>
      <Avatar name={session.to} />
      <h1 className="said text-base font-semibold max-md:min-w-0 max-md:flex-1">
        <Plain text={session.to} />
        <span className="font-normal text-dim"> for <PartyName party={session.from} me={me} /></span>
      </h1>
      <span className="h-0 basis-full max-md:order-1 md:hidden" aria-hidden="true" />
      <span className="max-md:order-1">
        <MoodChip mood={mood(session, open, me)} hasSource isRoomy />
      </span>
      {session.heldUntil != null && (
        <span className="text-xs text-held max-md:order-1">
          until <Moment at={session.heldUntil} />
        </span>
      )}
      {session.queued > 0 && <span className="text-xs text-held max-md:order-1">{session.queued} waiting</span>}
      <span className="text-xs text-dim max-md:order-1">
        {session.turns} turn{session.turns === 1 ? "" : "s"}
        {session.pid != null && <> · process {session.pid}</>}
        {session.forkOf && (
          <>
            {" "}
            · copy of{" "}
            <Link className="link" to="/session/$id" params={{ id: session.forkOf }}>
              another session
            </Link>
          </>
        )}
      </span>
      {/* On a phone beside the name, where there is room. */}
      <span className="ml-auto flex items-center">
        <button type="button" className="flex size-8 items-center justify-center rounded text-dim hover:bg-raised hover:text-ink" aria-label="Find" title="Find (/)" onClick={onFind}>
          <Search size={16} />
        </button>
        <SessionActions session={session} />
      </span>
    </header>
  );
}
