// What can be done to a session or a team.
import { useMutation } from "@tanstack/react-query";

import { api, body } from "@/api/call";
import { once } from "@/api/once";
import { complain, say } from "@/shell/notices";

export interface Party {
  to: string;
  from: string;
}

const team = (name: string) => ({ params: { path: { name } } });

const verbs = {
  wake: async ({ to, from }: Party) => {
    const { wasAwake } = await body(api.POST("/api/teams/{name}/wake", { ...team(to), body: { fromTeam: from, all: false, force: false } }));
    return wasAwake ? `${to} was awake` : `${to} is awake`;
  },
  sleep: async ({ to, from }: Party) => {
    const { stopped } = await body(api.POST("/api/teams/{name}/sleep", { ...team(to), body: { fromTeam: from, all: false, force: false } }));
    return stopped ? `${to} sleeps` : `${to} was asleep`;
  },
  stop: async ({ to, from }: Party) => {
    const { stopped } = await body(api.POST("/api/teams/{name}/sleep", { ...team(to), body: { fromTeam: from, all: false, force: true } }));
    return stopped ? `${to} was stopped` : `${to} was asleep`;
  },
  cancel: async ({ to, from }: Party) => {
    const { turns } = await body(api.POST("/api/teams/{name}/cancel", { ...team(to), body: { fromTeam: from, all: false, force: false } }));
    return turns.length ? `${turns.length} turn${turns.length > 1 ? "s" : ""} cancelled` : `nothing to cancel in ${to}`;
  },
};

export type Verb = keyof typeof verbs;

export function useAct() {
  return useMutation({
    mutationFn: ({ verb, party }: { verb: Verb; party: Party }) => verbs[verb](party),
    onSuccess: (text) => say({ tone: "plain", text }),
    onError: complain,
  });
}

/** Tells, without waiting for the end: what comes of it is seen in the session. */
export function useTell() {
  return useMutation({
    mutationFn: ({ to, from, text }: Party & { text: string }) => once(`tell ${from} ${to}`, text, (key) => body(api.POST("/api/teams/tell", { params: { header: { "Idempotency-Key": key } }, body: { toTeam: to, fromTeam: from, message: text, timeout: -1 } }))),
    onError: complain,
  });
}
