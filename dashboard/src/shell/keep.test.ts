import { beforeEach, expect, test, vi } from "vitest";

import { kept } from "./keep";

/** What a browser keeps, and the tabs that hear of it: each all changes but its own. */
const world = { kept: new Map<string, string>(), tabs: [] as ((event: { key: string; newValue: string | null }) => void)[] };

beforeEach(() => {
  world.kept.clear();
  world.tabs = [];
  vi.stubGlobal("addEventListener", (_: string, hear: (typeof world.tabs)[number]) => world.tabs.push(hear));
  vi.stubGlobal("localStorage", { getItem: (key: string) => world.kept.get(key) ?? null, setItem: (key: string, text: string) => void world.kept.set(key, text) });
});

type Times = Readonly<Record<string, number>>;
const tell = (tab: number) => world.tabs[tab]?.({ key: "iris.aside", newValue: world.kept.get("iris.aside") ?? null });

test("what one tab puts aside is put aside in the other", () => {
  const [one, other] = [kept<Times>("aside", {}), kept<Times>("aside", {})];
  one.update((all) => ({ ...all, a: 1 }));
  expect(other.get(), "not heard yet").toEqual({});
  // Before that is heard.
  other.update((all) => ({ ...all, b: 2 }));
  expect(other.get(), "nothing of the other tab is lost").toEqual({ a: 1, b: 2 });
  let heard = 0;
  one.subscribe(() => heard++);
  tell(0);
  expect([one.get(), heard]).toEqual([{ a: 1, b: 2 }, 1]);
  world.kept.delete("iris.aside");
  tell(0);
  expect(one.get(), "forgotten").toEqual({});
});

test("without a storage it holds until the page is closed", () => {
  const fail = () => {
    throw new Error("switched off");
  };
  vi.stubGlobal("localStorage", { getItem: fail, setItem: fail });
  const choice = kept("choice", 1);
  choice.set(2);
  choice.update((now) => now + 1);
  expect(choice.get()).toBe(3);
});
