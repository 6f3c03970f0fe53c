// Asking for questions, and answering them.
import { infiniteQueryOptions, queryOptions, useMutation, useQuery } from "@tanstack/react-query";

import { queries, refresh } from "@/api/ask";
import { Refusal, type Shapes, UNKNOWN, api, body } from "@/api/call";
import { meQuery } from "@/api/me";
import { connection, onEvent } from "@/api/live";
import { once } from "@/api/once";
import { Watched, throttle } from "@/api/watch";
import { setDraft } from "@/shell/draft";
import { complain, say } from "@/shell/notices";
import { clock, zone } from "@/text/time";

import { answeredLine } from "./decisions";
import { type Question, type Value, byUrgency, needsMe } from "./question";
import { isOver, isRepeatable, refusedLine } from "./refused";
import { mayStick, sayRules } from "./rule";

export const pendingQuery = queryOptions({
  queryKey: ["questions", "pending"],
  queryFn: async (): Promise<Question[]> => (await body(api.GET("/api/questions/pending"))).questions,
});

/** Questions that are open, ours and those of others. */
export function useOpenQuestions() {
  const party = useQuery(meQuery).data?.party ?? "user";
  const { data, error, isPending } = useQuery(pendingQuery);
  const open = (data ?? []).toSorted(byUrgency);
  return {
    mine: open.filter((question) => needsMe(question, party)),
    others: open.filter((question) => !needsMe(question, party)),
    error,
    isPending,
    /** Else none is known, which is not that there is none. */
    isRead: data !== undefined,
  };
}

/** What was decided, newest first, a page at a time. */
export const decidedQuery = infiniteQueryOptions({
  queryKey: ["questions", "decided"],
  queryFn: ({ pageParam: after }) => body(api.GET("/api/questions/decided", { params: { query: { limit: 100, ...(after && { after }) } } })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next ?? undefined,
});

/** How many ran out since a moment. What is decided is listed newest first, so it is looked back to that moment. */
export async function countRanOut(since: number, page: (after: string | undefined) => Promise<Pick<Shapes["Page_Question"], "items" | "next">>): Promise<number> {
  let count = 0;
  for (let after: string | undefined; ; ) {
    const { items, next } = await page(after);
    const within = items.filter(({ closedAt }) => (closedAt ?? 0) >= since);
    count += within.filter(({ state }) => state === "expired").length;
    if (!next || within.length < items.length) return count;
    after = next;
  }
}

/** Only what runs out changes it: not every answer makes the day be read again. */
export const ranOutQuery = (since: number) =>
  queryOptions({ queryKey: ["ran-out", since], queryFn: () => countRanOut(since, (after) => body(api.GET("/api/questions/decided", { params: { query: { limit: 1000, ...(after && { after }) } } }))) });

const refreshRanOut = throttle(() => void refresh({ queryKey: ["ran-out"] }), 1000);
onEvent(({ kind }) => kind === "question.expired" && refreshRanOut());

/** What was decided in a session: the newest thousand, which is more than anybody scrolls to. */
export const decidedOfQuery = (session: string) =>
  queryOptions({
    queryKey: ["questions", "decided-of", session],
    queryFn: async () => (await body(api.GET("/api/questions/decided", { params: { query: { session, limit: 1000 } } }))).items,
  });

/** Where what is being written to a question is kept meanwhile. */
export const draftOf = ({ id }: Pick<Question, "id">) => `reply ${id}`;

/** The same of one that is a form. */
export const formOf = ({ id }: Pick<Question, "id">) => `form ${id}`;

export function forgetDrafts(question: Pick<Question, "id">) {
  setDraft(draftOf(question), "");
  setDraft(formOf(question), "");
}

/** The questions whose answer is on its way, or was taken. */
export const sending = new Watched<ReadonlySet<string>>(new Set());

/** Why the last answer to a question was not taken. */
export const refusals = new Watched<ReadonlyMap<string, Refusal>>(new Map());

// That the daemon was away is over when it is back: the question is there to be answered. Of what is not known, that stays.
let wasLive = false;
connection.subscribe(() => {
  const isLive = connection.get().state === "live";
  if (isLive && !wasLive) refusals.update((all) => new Map([...all].filter(([, { status, kind }]) => status !== 0 || kind === UNKNOWN)));
  wasLive = isLive;
});

/** How long an answer is to hold, where that was chosen. Beside the card and not in it: a key sends it as well. */
export const holding = new Watched<ReadonlyMap<string, Shapes["Remember"]>>(new Map());

export const hold = (id: string, remember: Shapes["Remember"] | undefined) => holding.update((all) => (remember ? new Map(all).set(id, remember) : without(all, id)));

const without = <T>(all: ReadonlyMap<string, T>, id: string) => new Map([...all].filter(([other]) => other !== id));

export interface Answer {
  question: Question;
  value: Value;
  text?: string | undefined;
  /** Too late: the work is to be run again with it. */
  again?: boolean;
  /** One of several: whoever gives them all says what they leave behind. */
  isOneOfMany?: boolean;
}

/** Gives an answer, however it was given: by press, by key or together with others. One that is on its way is not sent a
 * second time. Whether that is settled: if not, the question says why. */
export async function answer(given: Answer): Promise<boolean> {
  const { question, value, text, again, isOneOfMany } = given;
  if (sending.get().has(question.id)) return false;
  sending.update((now) => new Set(now).add(question.id));
  refusals.update((all) => without(all, question.id));
  // What is approved is what was looked at: its digest goes along, and for how long the card says it holds.
  const sent = { response: { value, text }, digest: question.digest, remember: holding.get().get(question.id), again: again ?? false };
  try {
    await once(`answer ${question.id}`, JSON.stringify(sent), (key) => body(api.POST("/api/questions/{id}/answer", { params: { path: { id: question.id }, header: { "Idempotency-Key": key } }, body: sent })));
  } catch (error) {
    sending.update((now) => new Set([...now].filter((id) => id !== question.id)));
    return refuse(given, error as Refusal);
  }
  forgetDrafts(question);
  // It has won; the event that says so is on its way, and needs not be waited for. It stays among those that are sent, so
  // that a list which was asked for before and arrives after offers it to nobody.
  queries.setQueryData(pendingQuery.queryKey, (open) => open?.filter(({ id }) => id !== question.id));
  if (again) say({ tone: "plain", text: "Taken: the work is run again with your answer." });
  const leavesRule = sent.remember !== undefined || (value === false && mayStick(question));
  // That it is not said means only that: the settings list it.
  if (!isOneOfMany && leavesRule) void sayRules([question]).catch(() => {});
  else if (!isOneOfMany && !again) say({ tone: "plain", text: answeredLine(question, value, text) });
  return true;
}

function refuse(given: Answer, error: Refusal): boolean {
  const { question } = given;
  if (!isOver(error)) {
    refusals.update((all) => new Map(all).set(question.id, error));
    // It may be another by now: what is on the card is to be what is asked.
    if (error.status === 409) void refresh({ queryKey: ["questions"] });
    return false;
  }
  const mayRunAgain = !given.again && (error.status === 410 || isRepeatable(error.closed?.state ?? ""));
  const again = mayRunAgain ? { label: "Run it again with this answer", act: () => void answer({ ...given, again: true }) } : undefined;
  say({ tone: "plain", text: refusedLine("Not needed any more", error), hint: `Asked at ${clock(question.openedAt)} ${zone()}.`, button: again });
  void refresh({ queryKey: ["questions"] });
  return true;
}

/** Withdraws a question: nobody needs the answer any more. */
export function useWithdraw() {
  return useMutation({
    mutationFn: (id: string) => body(api.POST("/api/questions/{id}/cancel", { params: { path: { id } } })),
    onError: complain,
  });
}
