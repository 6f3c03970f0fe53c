import { expect, test } from "vitest";

import { Refusal } from "./call";
import { once } from "./once";

test("what is sent again because its answer was lost has the same key", async () => {
  const keys: string[] = [];
  const send = (words: string, error?: Refusal) =>
    once("here", words, async (key) => {
      keys.push(key);
      if (error) throw error;
    }).catch(() => {});
  await send("deploy", new Refusal(0, {}));
  await send("deploy", new Refusal(502, {}));
  await send("deploy");
  expect(new Set(keys).size).toBe(1);
  await send("deploy");
  expect(new Set(keys).size, "the same once more is another wish").toBe(2);
  await send("deploy now", new Refusal(0, {}));
  await send("deploy");
  await send("deploy now");
  expect(new Set(keys).size, "other words, other keys").toBe(5);
  await send("no", new Refusal(422, {}));
  await send("no");
  expect(new Set(keys).size, "refused is over").toBe(7);
});
