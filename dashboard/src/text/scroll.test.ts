import { expect, test } from "vitest";

import { count } from "./scroll";

test("lines below what is in view are counted, and none when the end is nearly reached", () => {
  const box = { scrollHeight: 62 * 20, clientHeight: 19 * 20, scrollTop: 0 };
  expect(count(box, 20)).toEqual({ all: 62, below: 43 });
  expect(count({ ...box, scrollTop: 43 * 20 - 3 }, 20)).toEqual({ all: 62, below: 0 });
  expect(count({ ...box, scrollTop: 43 * 20 - 6 }, 20), "half a line is a line").toEqual({ all: 62, below: 1 });
});
