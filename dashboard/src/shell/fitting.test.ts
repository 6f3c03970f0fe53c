import { expect, test } from "vitest";

import { fitting } from "./fitting";

const entry = (label: string, key = label) => ({ label, key, act: () => {} });
const GROUPS = [
  { heading: "Pages", entries: [entry("Decided questions"), entry("Team atlas", "team-atlas")] },
  { heading: "Do", entries: [entry("Stop at once: atlas for you: paint it…", "stop-1"), entry("Tell atlas…", "tell-atlas")] },
  { heading: "Jobs", entries: [] },
];

test("the first is what was typed word by word, and not what only has its letters", () => {
  const cases = [["tell atlas", "tell-atlas"], ["atlas tell", "tell-atlas"], ["team at", "team-atlas"], ["stop atlas", "stop-1"], ["paint", "stop-1"], ["cided", "Decided questions"], ["dcdq", "Decided questions"], ["zzz", undefined]] as const;
  for (const [typed, key] of cases) expect(fitting(GROUPS, typed)[0]?.entries[0]?.key, typed).toBe(key);
  expect(fitting(GROUPS, " ").map(({ heading }) => heading), "nothing typed is everything in its order").toEqual(["Pages", "Do"]);
  expect(fitting(GROUPS, "te").flatMap(({ entries }) => entries.map(({ key }) => key)), "where words fit, scattered letters do not").toEqual(["team-atlas", "tell-atlas"]);
});
