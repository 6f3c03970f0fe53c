// A session: the conversation as it happens.
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";

import { sessionQuery } from "@/api/ask";
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
  return <OneSession key={id} id={id} />;
}

function OneSession({ id }: { id: string }) {
  const { turn, find } = route.useSearch();
  const { data: session, error } = useQuery(sessionQuery(id));
  const me = useQuery(meQuery).data?.party ?? "user";
  const { mine, others } = useOpenQuestions();
  const [transcript] = useState(() => new Transcript(id));
  useEffect(() => transcript.open(), [transcript]);
  const version = useWatched(transcript.version);
  const failure = useWatched(transcript.failure);
  const open = useMemo(() => [...mine, ...others].filter((question) => question.session === id), [mine, others, id]);
  const items = useMemo(() => listItems(transcript, open), [transcript, version, open]);

  if (error) return <Page title="Session" error={error}>{null}</Page>;
  if (!session) return null;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <SessionHead session={session} open={open} me={me} />
      {failure && (
        <div className="p-3">
          <Failure error={failure} />
        </div>
      )}
      <Conversation transcript={transcript} items={items} session={session} me={me} startAt={turn} find={find} />
      <div className="border-t border-line bg-surface px-3 py-2 md:px-5">
        <Composer party={{ to: session.to, from: session.from }} isBusy={session.state === "processing"} />
      </div>
    </div>
  );
}
