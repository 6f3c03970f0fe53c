// Who is signed in.
import { queryOptions } from "@tanstack/react-query";

import { type Problem, Refusal, setCsrf } from "./call";

export interface Me {
  party: string;
  kind: string;
  name?: string | null;
  scopes: string[];
  csrf?: string | null;
}

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async (): Promise<Me> => {
    const answer = await fetch("/api/me", { cache: "no-store" });
    if (!answer.ok) throw new Refusal(answer.status, (await answer.json().catch(() => ({}))) as Partial<Problem>);
    const me = (await answer.json()) as Me;
    setCsrf(me.csrf ?? undefined);
    return me;
  },
});
