import { expect, test } from "vitest";

import { title, unmarked } from "./title";

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
    ["**Now**, **not later**: ~~never~~ (**really**)? __do not__ ***stop***", "Now, not later: never (really)? do not stop"],
    ["**run `make **all**` now**", "run make **all** now"],
    ["Should it live in `__init__.py` or in `__main__.py`?", "Should it live in __init__.py or in __main__.py?"],
    ["__init__ or __main__.py or __init__.py?", "__init__ or __main__.py or __init__.py?"],
    ["Shall I format src/**/*.ts or only lib/**/*.ts?", "Shall I format src/**/*.ts or only lib/**/*.ts?"],
    ["**/*.ts, **/*.css or **?", "**/*.ts, **/*.css or **?"],
    ["Is the limit 2**16 or 2**32?", "Is the limit 2**16 or 2**32?"],
    ["rm *.o lib/* and f(**a, **b) and a~~b~~c", "rm *.o lib/* and f(**a, **b) and a~~b~~c"],
    [">5 MB or less?", ">5 MB or less?"],
    ["`[x](/y)` and `*a*`", "[x](/y) and *a*"],
    ["", ""],
  ] as const;
  for (const [text, shown] of cases) expect(title(text)).toBe(shown);
  expect(title("a".repeat(50), 10)).toBe("aaaaaaaaaa…");
});

test("what is shown whole says where its links lead", () => {
  const cases = [
    ["Shall I merge [PR 12](https://evil.example/steal?x=1) now?", "Shall I merge PR 12 (https://evil.example/steal?x=1) now?"],
    ["**Which**?\n- [**one** `a`](/a/__b__/*c*), or\n- ![two](//b.example)", "Which?\none a (/a/__b__/*c*), or\ntwo (//b.example)"],
    ["**See [it](https://a.example/x_(y))**, [x](javascript:alert(5))", "See it (https://a.example/x_(y)), x (javascript:alert(5))"],
    ["[https://a.example](https://b.example) or [https://a.example](https://a.example)?", "https://a.example (https://b.example) or https://a.example?"],
    ["[x](https://a.example/`b`) and `[x](/y)`", "[x](https://a.example/b) and [x](/y)"],
  ] as const;
  for (const [text, shown] of cases) expect(unmarked(text)).toBe(shown);
});
