// A session: the conversation as it happens.
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";

import { type Session, sessionQuery } from "@/api/ask";
import { meQuery } from "@/api/me";
import { useWatched } from "@/api/watch";
import { useOpenQuestions } from "@/question/ask";
import { Failure, Page } from "@/shell/page";

import { Composer } from "./composer";
import { Conversation } from "./conversation";
import { SessionHead } from "./head";
import { listItems } from "./list";
import { Transcript } from "./transcript";

const route = getRouteApi("/frame/session/$id");

export function SessionPage() {
  const { id } = route.useParams();
  const { turn, find } = route.useSearch();
  const { data: session, error } = useQuery(sessionQuery(id));
  const me = useQuery(meQuery).data?.party ?? "user";
  const { mine, others } = useOpenQuestions();
  if (error)
    return (
      <Page title="Session" error={error}>
        {null}
      </Page>
    );
  if (!session) return null;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <SessionHead session={session} open={[...mine, ...others].filter((question) => question.session === id)} me={me} />
      <Followed key={id} session={session} startAt={turn} find={find} hasRail />
      <div className="border-t border-line bg-surface px-3 py-2 md:px-5">
        <Composer party={{ to: session.to, from: session.from }} isBusy={session.running != null} />
      </div>
    </div>
  );
}

/** The conversation alone, for other pages. */
export function SessionLog({ id }: { id: string }) {
  const { data: session, error } = useQuery(sessionQuery(id));
  if (error) return <Failure error={error} />;
  return session ? <Followed key={id} session={session} startAt={undefined} find={undefined} hasRail={false} /> : null;
}

function Followed({ session, startAt, find, hasRail }: { session: Session; startAt: string | undefined; find: string | undefined; hasRail: boolean }) {
  const me = useQuery(meQuery).data?.party ?? "user";
  const { mine, others } = useOpenQuestions();
  const [transcript] = useState(() => new Transcript(session.id));
  useEffect(() => transcript.open(), [transcript]);
  const version = useWatched(transcript.version);
  const failure = useWatched(transcript.failure);
  const open = useMemo(() => [...mine, ...others].filter((question) => question.session === session.id), [mine, others, session.id]);
  // The version stands for everything in the transcript, which is changed in place.
  const items = useMemo(() => (void version, listItems(transcript, open)), [transcript, version, open]);
  return (
    <>
      {failure && (
        <div className="p-3">
          <Failure error={failure} />
        </div>
      )}
      <Conversation transcript={transcript} items={items} session={session} me={me} startAt={startAt} find={find} hasRail={hasRail} />
    </>
  );
}
