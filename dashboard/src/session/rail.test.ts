import { expect, test } from "vitest";

import { foundWords } from "./find";
import { nearestTurn } from "./rail";
import type { Part } from "./transcript";

test("any turn is gone to by its number", () => {
  const parts = [3, 4, 9].map((number) => ({ turn: { id: `t${number}`, number } }) as Part);
  expect([1, 4, 5, 9, 99].map((number) => nearestTurn(parts, number))).toEqual(["t3", "t4", "t9", "t9", "t9"]);
  expect(nearestTurn([], 1)).toBeUndefined();
});

test("what is too short to be looked for is not said to be missing", () => {
  const said = (text: string, at: number[] = [], current?: number) => foundWords({ text, at, current }, false);
  expect(said("")).toBe("");
  expect(said(" a ")).toBe("two letters at least");
  expect(said("ab")).toBe("0 found");
  expect(said("ab", [4, 7], 7)).toBe("2 of 2 found");
  expect(foundWords({ text: "ab", at: [], current: undefined }, true)).toBe("0 found so far, still reading…");
});
