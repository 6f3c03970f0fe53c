// The list of questions in the inbox: one of them is current, some may be selected, and keys are for those.
import { type ComponentProps, useEffect, useLayoutEffect, useRef, useState } from "react";

import { useWatched } from "@/api/watch";
import { numbers, useKeys } from "@/shell/keys";
import { say } from "@/shell/notices";
import { clock, zone } from "@/text/time";
import { headline } from "@/text/visible";

import { sending } from "./ask";
import { Batch, answerAll, byNumber } from "./batch";
import { QuestionBody, QuestionHead } from "./card";
import { SETTLES, cardOf, useCursor } from "./current";
import { deedLine } from "./deed";
import { latest } from "./edit";
import { focusReply, listed, pressNumber, useSeen } from "./in-view";
import { Later } from "./later";
import type { Question } from "./question";
import { comesBack, snooze, wake } from "./snooze";

export function Cards({ questions, linked }: { questions: Question[]; /** The one that a link leads to. */ linked: string | undefined }) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const cursor = useCursor(questions, linked);
  const isSlip = useSlips(questions);
  const toggle = (id: string) => setSelected((all) => (all.has(id) ? new Set([...all].filter((other) => other !== id)) : new Set(all).add(id)));
  const clear = () => setSelected(new Set());
  const chosen = questions.filter(({ id }) => selected.has(id));
  const gone = useGone(selected, questions);
  const hasSelected = chosen.length + gone.count > 0;
  // The only one is at the cursor as well: then its card is pressed, which may want a second press.
  const isCurrent = gone.count === 0 && chosen.length === 1 && chosen[0]?.id === cursor.current?.id;
  // Then the numbers are those of the bar, and no card shows any: also if some of them, or all, have gone from the list.
  const isTogether = hasSelected && !isCurrent;
  const pressTogether = (index: number) => {
    const choice = gone.isSettled() ? byNumber(chosen, index) : undefined;
    if (choice) void answerAll(chosen, choice.value).then((isDone) => isDone && clear());
  };
  const pressOne = (index: number) =>
    cursor.onSeen((question) => {
      // Whole, so that why it failed is seen as well.
      if (pressNumber(question, index)) cardOf(question)?.scrollIntoView({ block: "nearest" });
    });
  useKeys({
    j: () => cursor.move(1),
    k: () => cursor.move(-1),
    x: () => cursor.onSeen(({ id }) => toggle(id)),
    s: () => cursor.onSeen((question) => putAside(question)),
    r: () => cursor.current && focusReply(cursor.current.id),
    ...numbers((index) => cursor.isSettled() && (isTogether ? pressTogether(index) : pressOne(index))),
  });
  useEffect(() => {
    if (linked) document.getElementById(`question-${linked}`)?.scrollIntoView({ block: "center" });
  }, [linked]);
  return (
    <>
      {hasSelected && <Batch questions={chosen} gone={gone.count} onDone={clear} />}
      <ul className="space-y-3" onClickCapture={(event) => isSlip(event.target as Element) && event.stopPropagation()}>
        {questions.map((question) => (
          <li key={question.id}>
            <Card question={question} isCurrent={question.id === cursor.current?.id} hasKeys={!isTogether} isSelected={selected.has(question.id)} onSelect={() => toggle(question.id)} onGoTo={() => cursor.goTo(question.id)} />
          </li>
        ))}
      </ul>
    </>
  );
}

interface CardGiven {
  question: Question;
  isCurrent: boolean;
  /** Numbers are keys for the card that is current. */
  hasKeys: boolean;
  isSelected: boolean;
  onSelect: () => void;
  onGoTo: () => void;
}

function Card({ question, isCurrent, hasKeys, isSelected, onSelect, onGoTo }: CardGiven) {
  // Who has had it before their eyes here is not interrupted for it when they go elsewhere.
  const seen = useSeen<HTMLElement>(question.id);
  const card: ComponentProps<"article"> = { id: `question-${question.id}`, tabIndex: -1, "aria-label": `Question of ${question.team}`, className: `card @container space-y-2 border-l-4 p-3 outline-offset-0 ${isCurrent ? "border-l-accent-solid" : "border-l-line"}` };
  return (
    // A press goes to it too: not every browser gives the focus to what is pressed.
    <article ref={seen} {...card} onPointerDown={onGoTo} onFocus={onGoTo}>
      <QuestionHead question={question}>
        <Later question={question} onLater={(until) => putAside(question, until)} />
        <label className="flex size-11 items-center justify-center md:size-6">
          <input type="checkbox" className="size-6 accent-ink md:size-4" aria-label="Select, to answer several together" checked={isSelected} onChange={onSelect} />
        </label>
      </QuestionHead>
      <QuestionBody question={question} keys={isCurrent && hasKeys} />
    </article>
  );
}

function putAside(question: Question, until = Date.now() + 60 * 60_000) {
  const back = comesBack(question, until, Date.now());
  if (back === undefined) return say({ tone: "plain", text: "Not put aside: it runs out too soon", hint: `at ${clock(question.deadline ?? 0)} ${zone()}` });
  snooze(question.id, back);
  say({ tone: "plain", text: `Put aside until ${clock(back)} ${zone()}${back < until ? ", 5 minutes before it runs out" : ""}: ${headline(`${question.team}: ${deedLine(question)}`, 70)}`, undo: () => wake(question.id) });
}

/** How many of those that were selected are not in the list any more, and were not answered by us: another has, or they were put
 * aside. Just after one went, a number was meant for what was selected before. */
function useGone(selected: ReadonlySet<string>, listed: Question[]) {
  const sent = useWatched(sending);
  const count = [...selected].filter((id) => latest(id) === id && !sent.has(id) && !listed.some((question) => question.id === id)).length;
  const changed = useRef(0);
  useLayoutEffect(() => () => void (changed.current = Date.now()), [count]);
  return { count, isSettled: () => Date.now() - changed.current >= SETTLES };
}

/** When a card goes or comes, those below it move under the pointer. A press in that moment was meant for what was there. */
function useSlips(questions: Question[]): (target: Element) => boolean {
  const order = questions.map(({ id }) => id).join();
  useEffect(() => {
    listed.set(new Set(order === "" ? [] : order.split(",")));
    return () => listed.set(new Set());
  }, [order]);
  const shifted = useRef(0);
  useLayoutEffect(() => () => void (shifted.current = Date.now()), [order]);
  return (target) => Date.now() - shifted.current < SETTLES && target.closest("button") !== null;
}
