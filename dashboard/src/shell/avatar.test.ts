import { expect, test } from "vitest";

import { initials } from "./avatar";

test("two of one family are told apart", () => {
  const check = (name: string, letters: string) => expect(initials(name), name).toBe(letters);
  check("demo-lead", "dl");
  check("demo-coder", "dc");
  check("atlas", "at");
  check("a", "a");
  check("job-7", "j7");
  check("\u202e--", "?");
});
