import { expect, test } from "vitest";

import { byNumber, shared } from "./batch";
import type { Question } from "./question";

const question = (id: string, options: [string, string, string?][]): Question => ({ id, kind: "choice", state: "open", question: "Which?", responseType: "choice", way: "ask_user", blocking: true, onDeadline: "fail", team: "atlas", session: "s", openedAt: 1000, options: options.map(([label, value, description]) => ({ label, value, description })) });

test("one answer for several is what each of them says by it", () => {
  const keep = question("a", [["Keep them", "a"], ["Delete them", "b"], ["Ask me", "c"]]);
  const drop = question("b", [["Drop it", "a"], ["Ask me", "c"], ["Leave it", "b"]]);
  expect(shared([keep, drop]).map(({ label }) => label)).toEqual(["Ask me"]);
  expect(byNumber([keep, drop], 0), "the same word for machines is another answer").toBeUndefined();
  expect(byNumber([keep, drop], 2)?.value).toBe("c");
  expect(shared([keep, question("c", [["Keep them", "z"]])])).toEqual([]);
  const [files, backups] = [question("d", [["Plan A", "a", "keep all"], ["Plan B", "b"]]), question("e", [["Plan A", "a", "delete all"], ["Plan B", "b"]])];
  expect(shared([files, backups]).map(({ label }) => label), "the same name for something else is another answer").toEqual(["Plan B"]);
});
