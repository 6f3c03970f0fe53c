import { infiniteQueryOptions, queryOptions, useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { queries } from "@/api/ask";
import { type Shapes, api, body, missing } from "@/api/call";
import { once } from "@/api/once";
import { setDraft } from "@/shell/draft";
import { complain } from "@/shell/notices";
import { words } from "@/text/words";

export type Job = Shapes["Job"];

const PAGE = 50;

export const jobsQuery = infiniteQueryOptions({
  queryKey: ["jobs", "list"],
  queryFn: ({ pageParam }) => body(api.GET("/api/jobs", { params: { query: { limit: PAGE, ...(pageParam !== undefined && { after: pageParam }) } } })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next ?? undefined,
});

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ["jobs", id],
    queryFn: async () => {
      if (!(await isListed(id))) throw missing("job", id, "`iris jobs list` prints what there is, and so does the page of the jobs.");
      return body(api.GET("/api/jobs/{id}", { params: { path: { id } } }));
    },
  });

/** A browser complains in its console of what it asks for and does not get: what is not listed is not asked for. */
async function isListed(id: string): Promise<boolean> {
  const has = ({ items }: { items: Job[] }) => items.some((job) => job.id === id);
  if (queries.getQueryData(["jobs", id]) || queries.getQueryData(jobsQuery.queryKey)?.pages.some(has)) return true;
  for (let after: string | undefined; ; ) {
    const page: Shapes["Page_Job"] = await body(api.GET("/api/jobs", { params: { query: { limit: PAGE, ...(after && { after }) } } }));
    const last = page.items.at(-1);
    // The newest come first, and their ids are in that order.
    if (has(page) || !page.next || (last && last.id < id)) return has(page);
    after = page.next;
  }
}

export const jobQuestionsQuery = (id: string) =>
  queryOptions({ queryKey: ["jobs", id, "questions"], queryFn: async () => (await body(api.GET("/api/jobs/{id}/questions", { params: { path: { id } } }))).questions });

/** What is written of a job that is to be started. */
export const GOAL = "job";

const refresh = () => void queries.invalidateQueries({ queryKey: ["jobs"] });

/** Starts a job and goes to it, also when the page it was started from has changed meanwhile. */
export function useStart() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (job: { team: string; goal: string }) => once("job", JSON.stringify(job), (key) => body(api.POST("/api/jobs", { params: { header: { "Idempotency-Key": key } }, body: job }))),
    onSuccess: ({ id }) => {
      setDraft(GOAL, "");
      refresh();
      void navigate({ to: "/job/$id", params: { id } });
    },
    onError: complain,
  });
}

export function useStop() {
  return useMutation({
    mutationFn: (id: string) => body(api.POST("/api/jobs/{id}/stop", { params: { path: { id } } })),
    onSuccess: refresh,
    onError: complain,
  });
}

export const isOver = ({ endedAt }: Job) => endedAt != null;

/** The status in a word for people, and what it means to them. */
export function statusWord({ status }: Job): { word: string; colour: string } {
  const colour = { running: "text-work", waiting_for_input: "text-accent", waiting_for_approval: "text-accent", completed: "text-good", failed: "text-bad" }[status] ?? "text-dim";
  return { word: words(status), colour };
}
