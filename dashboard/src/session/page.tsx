// A session: the conversation as it happens.
import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, getRouteApi } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";

import { type Session, sessionQuery, sessionsQuery } from "@/api/ask";
import { Refusal } from "@/api/call";
import { meQuery } from "@/api/me";
import { useWatched } from "@/api/watch";
import { decidedOfQuery, useOpenQuestions } from "@/question/ask";
import type { Question } from "@/question/question";
import { Failure, Page } from "@/shell/page";
import { Unread } from "@/shell/unread";
import { Plain } from "@/text/plain";

import { Composer, type Draft } from "./composer";
import { Conversation } from "./conversation";
import { SessionHead } from "./head";
import { listItems } from "./list";
import { PartyName } from "./party";
import { Transcript } from "./transcript";

const route = getRouteApi("/frame/session/$id");

export function SessionPage() {
  const { id } = route.useParams();
  const { turn, find } = route.useSearch();
  const { data: session, error } = useQuery(sessionQuery(id));
  const me = useQuery(meQuery).data?.party ?? "user";
  const { mine, others } = useOpenQuestions();
  const [isFinding, setFinding] = useState(find !== undefined);
  const [draft, setDraft] = useState<Draft>();
  const navigate = route.useNavigate();
  // In its place: to go through a conversation turn by turn is not to leave it turn by turn.
  const goTo = (to: string | undefined) => void navigate({ search: (now) => ({ ...now, turn: to }), replace: true });
  if (error instanceof Refusal && error.status === 404) return <ByBeginning id={id} error={error} />;
  if (!session)
    return (
      <Page title="Session" error={error}>
        <Unread what="The session" error={error} isSaid />
      </Page>
    );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <SessionHead session={session} open={[...mine, ...others].filter((question) => question.session === id)} me={me} onFind={() => setFinding(!isFinding)} />
      <Followed key={id} session={session} startAt={turn} find={find} onTurn={goTo} onAgain={(text) => setDraft({ text })} isWhole isFinding={isFinding} setFinding={setFinding} />
      <div className="border-t border-line bg-surface px-3 py-2 md:px-5">
        <Composer party={{ to: session.to, from: session.from }} isBusy={session.running != null} draft={draft} />
      </div>
    </div>
  );
}

/** `iris sessions list` prints the beginning of an id: whoever pastes that means the session that has it. */
function ByBeginning({ id, error }: { id: string; error: Refusal }) {
  const { data: sessions } = useQuery(sessionsQuery);
  const me = useQuery(meQuery).data?.party ?? "user";
  if (!sessions) return null;
  const meant = sessions.filter((session) => session.id.startsWith(id.toLowerCase()));
  const only = meant.length === 1 ? meant[0] : undefined;
  if (only) return <Navigate to="/session/$id" params={{ id: only.id }} search={(now) => now} replace />;
  if (meant.length === 0) return <Page title="Session" error={error}>{null}</Page>;
  return (
    <Page title="Session">
      <section className="card" aria-label="Which session">
        <h2 className="border-b border-line px-3 py-2 font-medium">{meant.length} sessions begin with that</h2>
        <ul className="divide-y divide-line">
          {meant.map((session) => (
            <li key={session.id} className="said px-3 py-1.5">
              <Link to="/session/$id" params={{ id: session.id }} className="link">
                <Plain text={session.to} /> for <PartyName party={session.from} me={me} />
              </Link>{" "}
              <span className="font-mono text-xs text-dim">{session.id}</span>
            </li>
          ))}
        </ul>
      </section>
    </Page>
  );
}

/** The conversation alone, for a page that shows by itself what is asked. */
export function SessionLog({ id }: { id: string }) {
  const [isFinding, setFinding] = useState(false);
  const { data: session, error } = useQuery(sessionQuery(id));
  if (!session) return <Unread what="What it did" error={error} />;
  return <Followed key={id} session={session} startAt={undefined} find={undefined} isWhole={false} isFinding={isFinding} setFinding={setFinding} />;
}

const NONE: Question[] = [];

interface FollowedGiven {
  session: Session;
  startAt: string | undefined;
  find: string | undefined;
  onTurn?: (turn: string | undefined) => void;
  onAgain?: (text: string) => void;
  isWhole: boolean;
  isFinding: boolean;
  setFinding: (isFinding: boolean) => void;
}

function Followed({ session, startAt, find, onTurn, onAgain, isWhole, isFinding, setFinding }: FollowedGiven) {
  const me = useQuery(meQuery).data?.party ?? "user";
  const { mine, others } = useOpenQuestions();
  const [transcript] = useState(() => new Transcript(session.id));
  useEffect(() => transcript.open(), [transcript]);
  const version = useWatched(transcript.version);
  const failure = useWatched(transcript.failure);
  const open = useMemo(() => [...mine, ...others].filter((question) => question.session === session.id), [mine, others, session.id]);
  const decided = useQuery(decidedOfQuery(session.id)).data ?? NONE;
  // The version stands for everything in the transcript, which is changed in place.
  const items = useMemo(() => (void version, isWhole ? listItems(transcript, open, decided) : listItems(transcript, [])), [transcript, version, open, decided, isWhole]);
  return (
    <>
      {failure && (
        <div className="p-3">
          <Failure error={failure} />
        </div>
      )}
      <Conversation transcript={transcript} items={items} asked={open} decided={decided} session={session} me={me} startAt={startAt} find={find} hasRail={isWhole} onTurn={onTurn} onAgain={onAgain} isFinding={isFinding} setFinding={setFinding} />
    </>
  );
}
