import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";

import { Markdown } from "./markdown";

const html = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }));

test("what agents use is shown", () => {
  const shown = html("# Head\n\n- **one**\n- `two`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted");
  for (const part of ["<strong>", "<code>", "<li>", "<td>", "<blockquote>"]) expect(shown).toContain(part);
});

test("nothing takes effect", () => {
  const tricks = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "[x](data:text/html,<script>)", "![x](http://example.com/x.png)", "<svg/onload=alert(1)>", "[x]: javascript:alert(1)\n[x]", "<http://a.example/><iframe src=//b>", '[a](http://x "\\" onclick=alert(1) \\"")', "<style>*{display:none}</style>"];
  for (const trick of tricks) {
    const shown = html(trick);
    expect(shown).not.toMatch(/<(script|img|svg|iframe|style)/i);
    expect(shown).not.toMatch(/href="(?!https?:)/i);
    expect(shown).not.toMatch(/<[^>]+ on\w+=/i);
  }
});

test("a link says where it goes", () => {
  expect(html("[your bank](https://evil.example/login)")).toContain("evil.example");
  expect(html("https://docs.example/a")).not.toContain("(docs.example)");
});

test("quotes and lists in each other are indented a few times, and lose nothing", () => {
  for (const marks of ["> ".repeat(300), "- ".repeat(300), "1. ".repeat(300), "> - ".repeat(150), ">".repeat(9000), "- ".repeat(5000)]) {
    const shown = html(`before\n\n${marks}the database`);
    expect(shown).toContain("the database");
    expect(shown.match(/<(blockquote|ul|ol)/g)?.length ?? 0).toBeLessThanOrEqual(4);
  }
  expect(html("- a\n  - b\n    - c\n      - d\n        - e\n          - f\n        - g").replace(/<[^>]+>/g, " ")).toMatch(/a\s+b\s+c\s+d\s+• +e\s+• +f\s+• +g/);
});
