import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Refusal } from "./call";
import { heal } from "./heal";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const watch = (queries: QueryClient, queryFn: () => Promise<string>) => {
  const observer = new QueryObserver(queries, { queryKey: ["x"], queryFn, retry: false, staleTime: Infinity });
  return { observer, end: observer.subscribe(() => {}) };
};

test("what could not be read is asked for until it is there", async () => {
  const queries = new QueryClient();
  const stop = heal(queries, () => true);
  let left = 3;
  const { observer, end } = watch(queries, async () => {
    if (left-- > 0) throw new Refusal(left === 1 ? 503 : 0, {});
    return "here";
  });
  await vi.advanceTimersByTimeAsync(100);
  expect(observer.getCurrentResult().error).not.toBeNull();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(observer.getCurrentResult()).toMatchObject({ data: "here", error: null });
  end();
  stop();
});

test("what was refused is not asked for again, and nothing is while nobody answers", async () => {
  for (const [status, isHeard] of [[403, true], [0, false]] as const) {
    const queries = new QueryClient();
    const stop = heal(queries, () => isHeard);
    let asked = 0;
    const { end } = watch(queries, async () => {
      asked++;
      throw new Refusal(status, {});
    });
    await vi.advanceTimersByTimeAsync(120_000);
    expect(asked).toBe(1);
    end();
    stop();
  }
});
