// Several questions with one press, where they take the same answers.
import { useWatched } from "@/api/watch";
import { wantsKeys } from "@/shell/keys";
import { say } from "@/shell/notices";

import { answer, refusals, sending } from "./ask";
import { togetherLine } from "./decisions";
import { type Choice, type Question, choices, isRisky } from "./question";
import { mayStick, sayRules, useRefusalsLast } from "./rule";
import { unseen } from "./seen";

/** One answer, as it is sent and as it is read: two agents may call different things by the same word for machines, or by the same
 * name and explain it otherwise. */
const isSame = (one: Choice, other: Choice) => one.value === other.value && one.label === other.label && one.description === other.description;

/** The answers that every one of the questions takes, and calls the same. */
export function shared(questions: Question[], left: ReadonlyMap<string, number> = unseen.get()): Choice[] {
  const [first, ...others] = questions.map(choices);
  // A yes to something risky, or to lines that nobody has seen, is given one by one, by whoever looked at it.
  const isAnyRisky = questions.some((question) => isRisky(question) || isUnseen(question, left));
  return (first ?? []).filter((choice) => !(isAnyRisky && choice.value === true)).filter((choice) => others.every((all) => all.some((other) => isSame(choice, other))));
}

/** What a number key means for all of them: the answer that has this number on the card of the first, if all take it. */
export function byNumber(questions: Question[], index: number): Choice | undefined {
  const meant = questions[0] && choices(questions[0])[index];
  return meant && shared(questions).find((choice) => isSame(choice, meant));
}

/** Gives all of them one answer. Whether all were taken. */
export async function answerAll(questions: Question[], value: Choice["value"]): Promise<boolean> {
  const settled = await Promise.all(questions.map((question) => answer({ question, value, isOneOfMany: true })));
  // What was taken stays among what was sent; what others had decided by then says so itself.
  const taken = questions.filter(({ id }) => sending.get().has(id));
  if (taken.length > 0) say({ tone: "plain", text: togetherLine(taken, value) });
  void sayRules(questions).catch(() => {});
  return settled.every(Boolean);
}

const isUnseen = ({ id }: Question, left: ReadonlyMap<string, number>) => (left.get(id) ?? 0) > 0;

export function Batch({ questions, gone, onDone }: { questions: Question[]; /** How many more were selected and are not in the list any more. */ gone: number; onDone: () => void }) {
  const refused = useWatched(refusals);
  const hasKeys = useWatched(wantsKeys);
  const failed = questions.filter(({ id }) => refused.has(id)).length;
  const left = useWatched(unseen);
  const offered = shared(questions, left);
  const hidden = questions.filter((question) => isUnseen(question, left)).length;
  const lasts = useRefusalsLast();
  // Those that could not be sent stay selected, to be tried again.
  const give = async (value: Choice["value"]) => void ((await answerAll(questions, value)) && onDone());
  const own = questions[0] ? choices(questions[0]) : [];
  return (
    <div role="toolbar" aria-label="Answer together" className="card sticky top-0 z-10 flex flex-wrap items-center gap-2 p-2">
      <span className="font-medium">
        {questions.length} selected
      </span>
      {gone > 0 && (
        <span role="status" className="text-held">
          {gone} not in this list any more
        </span>
      )}
      {questions.length > 0 && offered.length === 0 && <span className="text-dim">{questions.length > 1 ? "They take different answers; answer them one by one." : "It is answered on its card."}</span>}
      {offered.map((choice) => (
        <button key={String(choice.value)} type="button" className="button" onClick={() => void give(choice.value)}>
          {hasKeys && <kbd className="key hidden pointer-fine:inline-block" aria-hidden="true">{own.findIndex((other) => isSame(choice, other)) + 1}</kbd>}
          {choice.label} {questions.length > 1 ? `all ${questions.length}` : ""}
        </button>
      ))}
      {hidden > 0 && <span className="text-xs text-held">{hidden} not seen whole: scroll through {hidden === 1 ? "it" : "them"} to approve together</span>}
      {lasts && questions.some(mayStick) && offered.some(({ value }) => value === false) && <span className="text-xs text-dim">a no holds for {lasts}</span>}
      {failed > 0 && (
        <span role="alert" className="text-bad">
          {failed} not sent; each says why
        </span>
      )}
      <button type="button" className="button button-plain ml-auto" onClick={onDone}>
        Clear
      </button>
    </div>
  );
}
