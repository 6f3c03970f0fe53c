import { expect, test } from "vitest";

import { title } from "./title";

test("a title is what Markdown says, without its marks", () => {
  const cases = [
    ["# Paint **the** door", "Paint the door"],
    ["\n\n- [ ] `make all` of [it](http://a.example)", "make all of it"],
    ["```sh\nmake\n```", "make"],
    ["*Now*, not later", "Now, not later"],
    ["2 * 3 * 4 and a_b_c and **kwargs", "2 * 3 * 4 and a_b_c and **kwargs"],
    ["rm *.o *.a", "rm *.o *.a"],
    ["See [it](https://a.example/x_(y)) now", "See it now"],
    ["call handlers[name](event) and [x](y)", "call handlers[name](event) and [x](y)"],
    ["fine? [x](javascript:alert(5))", "fine? x"],
    ["", ""],
  ] as const;
  for (const [text, shown] of cases) expect(title(text)).toBe(shown);
  expect(title("a".repeat(50), 10)).toBe("aaaaaaaaaa…");
});
