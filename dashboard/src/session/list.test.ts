import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";

import { type Item, type ItemKeys, keysOf } from "./list";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const listOf = (count: number): Item[] => Array.from({ length: count }, (_, at) => ({ kind: "end", key: String(at), part: {} }) as Item);

test("the keys of a conversation that grows hold on to nothing that it was before", async () => {
  let keys: ItemKeys | undefined;
  const before: WeakRef<Item[]>[] = [];
  for (let count = 1; count <= 5; count++) {
    const items = listOf(count);
    before.push(new WeakRef(items));
    keys = keysOf(items, keys);
  }
  // What was looked at just now is kept until then.
  await new Promise((done) => setTimeout(done));
  collect();
  expect(before.map((items) => items.deref()?.length)).toEqual([undefined, undefined, undefined, undefined, 5]);
  expect(keys?.keyOf(4)).toBe("4");
});
