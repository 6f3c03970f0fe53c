import { QuestionBody, QuestionHead } from "./card";
import { useSeen } from "./in-view";
import type { Question } from "./question";

/** A question on the page of what it belongs to: in a conversation where it was asked, or on top of its job. */
export function InlineQuestion({ question, keys, on }: { question: Question; keys: boolean; on: "session" | "job" }) {
  const card = useSeen<HTMLElement>(question.id);
  return (
    <article ref={card} tabIndex={-1} aria-label={`Question of ${question.team}`} className="card @container my-2 space-y-2 border-l-4 border-l-accent-solid p-3">
      <QuestionHead question={question} on={on} />
      <QuestionBody question={question} keys={keys} />
    </article>
  );
}
