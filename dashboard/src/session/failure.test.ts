import { expect, test } from "vitest";

import { failureHint, isFailed } from "./failure";

test("what somebody ended is no failure", () => {
  expect(["failed", "terminated", "cancelled", "completed"].map((state) => isFailed({ state }))).toEqual([true, true, false, false]);
  expect(isFailed({ state: "terminated", reason: "stopped" })).toBe(false);
  expect(isFailed({ state: "terminated", reason: "exited" })).toBe(true);
});

test("a failure says what to do, as far as is known", () => {
  expect(failureHint({ reason: "not_started" })).toContain("iris doctor");
  expect(failureHint({ error: "API Error: 529 overloaded" })).toContain("passes");
  expect(failureHint({ error: "Invalid API key" })).toContain("signed in");
  expect(failureHint({ error: "the model would not" })).toBeUndefined();
});
