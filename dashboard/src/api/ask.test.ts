import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";

import { refresh } from "./ask";

test("what was asked before an event is asked again, also if it is the first time", async () => {
  const client = new QueryClient();
  const asked: ((value: string) => void)[] = [];
  const queryFn = () => new Promise<string>((answer) => asked.push(answer));
  const observer = new QueryObserver(client, { queryKey: ["questions"], queryFn, staleTime: Infinity });
  const end = observer.subscribe(() => {});
  await Promise.resolve();
  expect(asked).toHaveLength(1);
  // The event comes while the first answer, which is older, is on its way.
  const refreshed = refresh({ queryKey: ["questions"] }, client);
  asked[0]?.("old");
  while (asked.length < 2) await new Promise((next) => setTimeout(next, 1));
  asked[1]?.("new");
  await refreshed;
  expect(observer.getCurrentResult().data).toBe("new");
  end();
});
