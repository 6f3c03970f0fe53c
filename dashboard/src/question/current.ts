// Which question of the inbox is the current one: the one that keys are for.
import { useEffect, useRef, useState } from "react";

import { useLostFocus } from "@/shell/focus";

import { cursorAt, isCardSeen } from "./cursor";
import { latest } from "./edit";
import type { Question } from "./question";

/** How long what has moved by itself is left alone: a key or a press in that moment was meant for what was there before. */
export const SETTLES = 500;

export const cardOf = ({ id }: Pick<Question, "id">) => document.getElementById(`question-${id}`);

export function useCursor(questions: Question[], linked: string | undefined) {
  const [cursor, setCursor] = useState(linked);
  // A link to what is not here leads to nothing else: then no question is current until somebody goes to one.
  const [isAdrift, setAdrift] = useState(() => linked !== undefined && !questions.some(({ id }) => id === latest(linked)));
  const ids = questions.map(({ id }) => id);
  const before = useRef<readonly string[]>(ids);
  const at = isAdrift ? ids.indexOf(latest(cursor) ?? "") : cursorAt(ids, before.current, latest(cursor));
  const current = questions[at];

  // The cursor stays with its question when a more urgent one comes in above it. When it has to go to another by itself,
  // number keys are deaf for a moment: they were meant for what was there before.
  const moved = useRef({ to: current?.id, at: 0 });
  useEffect(() => {
    before.current = ids;
    if (current && cursor !== current.id) setCursor(current.id);
    if (current && moved.current.to !== current.id) moved.current = { to: current.id, at: Date.now() };
  });

  // The focus went with a card. Nobody has gone to the one that takes its place: keys stay deaf for the moment.
  const isHandedOn = useRef(false);
  useLostFocus(() => {
    isHandedOn.current = true;
    if (current) cardOf(current)?.focus({ preventScroll: true });
    isHandedOn.current = false;
  });

  // By somebody who went there, so nothing is kept from them.
  const goTo = (id: string | undefined) => {
    if (isHandedOn.current) return;
    setCursor(id);
    setAdrift(false);
    moved.current = { to: id, at: 0 };
  };
  const move = (by: number) => {
    const next = questions[Math.min(questions.length - 1, Math.max(0, at + by))];
    goTo(next?.id);
    if (next) show(next)?.focus({ preventScroll: true });
  };
  // A key is for what is before one's eyes. If the cursor is elsewhere, it shows where it is, and the next press counts.
  const onSeen = (act: (question: Question) => void) => {
    const card = current && cardOf(current);
    if (!current || !card) return;
    if (isCardSeen(card)) return act(current);
    show(current);
    moved.current = { to: current.id, at: Date.now() };
  };
  const isSettled = () => Date.now() - moved.current.at >= SETTLES;
  return { current, goTo, move, onSeen, isSettled };
}

/** Brings a card into view. Of one that is longer than the screen, its head: who asks is read before what. */
function show(question: Question): HTMLElement | null {
  const card = cardOf(question);
  const room = card?.closest("main")?.clientHeight ?? innerHeight;
  card?.scrollIntoView({ block: card.offsetHeight > room * 0.75 ? "start" : "nearest" });
  return card;
}
