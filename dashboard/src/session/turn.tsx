// The rows around what was said in a turn: what was told, and how it ended.
import { useEffect } from "react";

import { Avatar } from "@/shell/avatar";
import { Markdown } from "@/text/markdown";
import { Plain } from "@/text/plain";
import { Moment, money, took, zone } from "@/text/time";

import type { Session } from "@/api/ask";
import { useDue } from "./due";
import { failureHint, isFailed } from "./failure";
import { PartyName } from "./party";
import { partyName } from "./party-name";
import type { Part, Transcript } from "./transcript";
import { beganWith, stateWord } from "./turn-words";

export function TellRow({ part, session, me }: { part: Part; session: Session; me: string }) {
  const { turn } = part;
  const due = useDue(turn);
  const from = turn.origin ? session.to : session.from;
  return (
    <section aria-label={`Turn ${turn.number}`} className="mt-4 rounded-lg border border-line bg-raised p-2.5">
      <header className="said mb-1 flex flex-wrap items-center gap-2 text-xs text-dim">
        <Avatar name={partyName(from, me)} />
        <span className="font-semibold text-ink first-letter:uppercase">
          <PartyName party={from} me={me} />
        </span>
        {turn.origin ? (
          <span>
            <Plain text={beganWith(turn.origin)} />
          </span>
        ) : (
          <span>
            → <Plain text={session.to} />
          </span>
        )}
        <span className="ml-auto flex gap-2">
          {turn.attempts > 1 && <span className="text-held">run {turn.attempts} times</span>}
          <span>turn {turn.number}</span>
          <Moment at={turn.acceptedAt} />
        </span>
      </header>
      {turn.message && <Markdown text={turn.message} />}
      {(turn.state === "queued" || turn.state === "scheduled") && (
        <p className="mt-1 text-xs text-held">
          {stateWord(turn)}
          {due !== undefined && (
            <>
              : <Moment at={due} /> <span title={zone()}>{zone()}</span>
            </>
          )}
        </p>
      )}
    </section>
  );
}

/** Whose words follow: the agent of the session. */
export function SpeakerRow({ part, team }: { part: Part; team: string }) {
  const model = part.turn.usage?.model ?? part.fold.model;
  return (
    <p className="said flex items-center gap-2 pt-3 pb-1 text-xs text-dim">
      <Avatar name={team} />
      <span className="font-semibold text-ink">
        <Plain text={team} />
      </span>
      {model && <Plain text={model} />}
    </p>
  );
}

/** A turn whose messages are not here yet: its answer is, and the rest comes when it is looked at. */
export function UnreadRow({ part, transcript }: { part: Part; transcript: Transcript }) {
  const { id, response } = part.turn;
  useRead(id, transcript);
  return (
    <div className="py-1.5" aria-busy="true">
      {response && <Markdown text={response} />}
      <p className="busy text-xs text-dim">reading what it did…</p>
    </div>
  );
}

/** Some of a turn is here, and what belongs in this place is on its way. */
export function GapRow({ part, most, transcript }: { part: Part; most: number | undefined; transcript: Transcript }) {
  useRead(part.turn.id, transcript);
  return (
    <p className="my-2 border-y border-dashed border-edge/60 py-2 text-center text-xs text-dim" aria-busy="true">
      <span className="busy">{most === undefined ? "loading more…" : `loading up to ${most.toLocaleString()} more…`}</span>
    </p>
  );
}

/** Only for a turn that is looked at, not for one that is scrolled past. */
function useRead(id: string, transcript: Transcript) {
  useEffect(() => {
    const wait = setTimeout(() => void transcript.read(id), 80);
    return () => clearTimeout(wait);
  }, [transcript, id]);
}

export function EndRow({ part, onAgain }: { part: Part; /** Puts the same words where one tells; absent where one cannot. */ onAgain: ((text: string) => void) | undefined }) {
  const { turn } = part;
  const { usage, startedAt, finishedAt } = turn;
  const isBad = isFailed(turn);
  const hint = isBad ? failureHint(turn) : undefined;
  return (
    <footer className="pt-1 pb-2 text-xs text-dim">
      {turn.error && (
        <div role="note" className={`said mb-1 flex flex-wrap items-center gap-x-3 gap-y-1 rounded border px-2 py-1 ${isBad ? "border-bad bg-bad-soft text-bad" : "border-line"}`}>
          <span className="min-w-0 flex-1 basis-60">
            <Plain text={turn.error} />
            {hint && <span className="block text-ink">{hint}</span>}
          </span>
          {isBad && turn.message && onAgain && (
            <button type="button" className="button text-ink" onClick={() => onAgain(turn.message)}>
              Tell it again
            </button>
          )}
        </div>
      )}
      <p className="flex flex-wrap gap-x-3">
        <span className={isBad ? "text-bad" : turn.state === "completed" ? "text-good" : ""}>{stateWord(turn)}</span>
        {startedAt != null && finishedAt != null && <span>{took(finishedAt - startedAt)}</span>}
        {usage && (
          <>
            <span>{usage.incomplete ? "cost not known" : money(usage.costUsd)}</span>
            <span>
              {(usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens).toLocaleString()} in, {usage.outputTokens.toLocaleString()} out
            </span>
          </>
        )}
      </p>
    </footer>
  );
}
