import { expect, test } from "vitest";

import { countRanOut } from "./ask";
import type { Question } from "./question";

test("what ran out today is counted however much was decided since", async () => {
  const closed = (state: string, closedAt: number) => ({ state, closedAt }) as Question;
  const pages: Record<string, { items: Question[]; next: string | null }> = {
    first: { items: Array.from({ length: 100 }, () => closed("answered", 900)), next: "second" },
    second: { items: [closed("expired", 600), closed("answered", 550), closed("expired", 500)], next: "third" },
    third: { items: [closed("expired", 501), closed("expired", 499)], next: "fourth" },
  };
  const asked: string[] = [];
  const page = async (after = "first") => (asked.push(after), pages[after] ?? { items: [], next: null });
  expect(await countRanOut(500, page)).toBe(3);
  expect(asked, "no further than to yesterday").toEqual(["first", "second", "third"]);
});
