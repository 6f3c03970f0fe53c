import { expect, test } from "vitest";

import { staleSince } from "./stale";

test("only what is heard is fresh", () => {
  expect(staleSince({ state: "live", since: 5 })).toBeUndefined();
  expect(staleSince({ state: "connecting" }), "what is there was just asked for").toBeUndefined();
  expect(staleSince({ state: "lost", since: 5, retryAt: 9, why: "" })).toBe(5);
  expect(staleSince({ state: "resting", since: 5 })).toBe(5);
});
