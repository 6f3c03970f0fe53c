// Asking for questions, and answering them.
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";

import { queries } from "@/api/ask";
import { Refusal, type Shapes, api, body } from "@/api/call";
import { recently } from "@/api/log";
import { meQuery } from "@/api/me";
import { Watched } from "@/api/watch";
import { complain, say } from "@/shell/notices";
import { clock, zone } from "@/text/time";

import { decisions } from "./decisions";
import { type Question, type Value, byUrgency, needsMe } from "./question";

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
  };
}

/** How far back decisions are looked for in the log. */
const WINDOW = 20_000;

export const decidedQuery = queryOptions({
  queryKey: ["questions", "decided"],
  queryFn: async () => decisions(await recently("question", WINDOW)),
});

/** The questions whose answer is on its way. */
export const sending = new Watched<ReadonlySet<string>>(new Set());

export interface Answer {
  question: Question;
  value: Value;
  text?: string | undefined;
  /** Lets it hold for a while for whoever asks the same. */
  remember?: Shapes["Remember"] | undefined;
  /** Too late: the work is to be run again with it. */
  again?: boolean;
}

export function useAnswer() {
  const answer = useMutation({
    mutationFn: ({ question, value, text, remember, again }: Answer) => {
      // What is approved is what was looked at: its digest goes along.
      const given = { response: { value, text }, digest: question.digest, remember, again: again ?? false };
      return body(api.POST("/api/questions/{id}/answer", { params: { path: { id: question.id } }, body: given }));
    },
    onMutate: ({ question }) => sending.update((now) => new Set(now).add(question.id)),
    onSuccess: (_, { question }) => {
      // It has won; the event that says so is on its way, and needs not be waited for.
      queries.setQueryData(pendingQuery.queryKey, (open) => open?.filter(({ id }) => id !== question.id));
    },
    onError: (error, given) => {
      if (!(error instanceof Refusal) || !isOver(error)) return;
      const again = error.status === 410 && !given.again ? { label: "Run it again with this answer", act: () => answer.mutate({ ...given, again: true }) } : undefined;
      say({ tone: "plain", text: `Not needed any more: ${error.message}`, hint: error.hint ?? `asked at ${clock(given.question.openedAt)} ${zone()}`, button: again });
      void queries.invalidateQueries({ queryKey: ["questions"] });
    },
    onSettled: (_, __, { question }) =>
      sending.update((now) => {
        const left = new Set(now);
        left.delete(question.id);
        return left;
      }),
  });
  return answer;
}

/** The question is answered, gone or past its time: nothing to try again. */
export const isOver = ({ status }: Refusal) => [404, 409, 410].includes(status);

/** Withdraws a question: nobody needs the answer any more. */
export function useWithdraw() {
  return useMutation({
    mutationFn: (id: string) => body(api.POST("/api/questions/{id}/cancel", { params: { path: { id } } })),
    onError: complain,
  });
}
