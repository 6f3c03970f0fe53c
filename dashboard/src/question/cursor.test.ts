import { expect, test } from "vitest";

import { cursorAt, isSeen } from "./cursor";

test("the cursor stays with its question, and goes to what takes its place", () => {
  const before = ["a", "b", "c", "d"];
  const at = (now: string[], cursor?: string) => now[cursorAt(now, before, cursor)];
  expect(at(before)).toBe("a");
  expect(at(["new", "a", "b", "c", "d"], "c"), "one comes in above").toBe("c");
  expect(at(["a", "b", "d"], "c"), "it was answered: the next").toBe("d");
  expect(at(["a", "b", "c"], "d"), "the last was answered: the one above").toBe("c");
  expect(at(["b", "d"], "c"), "some above went with it").toBe("d");
  expect(at(["a"], "c")).toBe("a");
  expect(at(["x", "y"], "c"), "another list").toBe("x");
  expect(cursorAt([], before, "c")).toBe(-1);
  expect(cursorAt([], [], undefined)).toBe(-1);
});

test("what is not before one's eyes is not answered", () => {
  const room = { top: 0, bottom: 800 };
  expect(isSeen({ top: 100, bottom: 300 }, room)).toBe(true);
  expect(isSeen({ top: 900, bottom: 1100 }, room), "below").toBe(false);
  expect(isSeen({ top: -300, bottom: -100 }, room), "above").toBe(false);
  expect(isSeen({ top: 700, bottom: 900 }, room), "half of it").toBe(false);
  expect(isSeen({ top: 0, bottom: 2000 }, room), "longer than the room").toBe(true);
  expect(isSeen({ top: 700, bottom: 2000 }, room), "the beginning of it").toBe(false);
});
