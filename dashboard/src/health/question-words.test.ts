import { expect, test } from "vitest";

import { figuresLine } from "./question-words";

test("a share is said of how many it is", () => {
  const kinds = [
    { answered: 2, expired: 0, defaulted: 0, open: 5 },
    { answered: 0, expired: 1, defaulted: 1, open: 1 },
  ];
  expect(figuresLine({ answerMs: 61_000, responseRate: 0.5, timeoutRate: 0.5, kinds })).toBe("answered after 1 m 1 s on average · of 4 that ended, 50 % answered, 50 % ran out of time · 6 open");
  expect(figuresLine({ kinds: [{ answered: 0, expired: 0, defaulted: 0, open: 1 }] })).toBe("1 open");
});
