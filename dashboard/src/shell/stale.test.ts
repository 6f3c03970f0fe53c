import { expect, test } from "vitest";

import { staleSince } from "./stale";

test("only what is heard is fresh", () => {
  expect(staleSince({ state: "live", since: 5 }, undefined)).toBeUndefined();
  expect(staleSince({ state: "connecting" }, undefined), "what is there was just asked for").toBeUndefined();
  expect(staleSince({ state: "lost", since: 5, hasHeard: true, retryAt: 9, why: "" }, 7)).toBe(5);
  expect(staleSince({ state: "resting", since: 5 }, undefined)).toBe(5);
  expect(staleSince({ state: "live", since: 5 }, 3), "it is heard, and what was missed could not be read").toBe(3);
});
