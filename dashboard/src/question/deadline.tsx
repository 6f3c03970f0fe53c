import { Plain } from "@/text/plain";
import { duration, exactly, useNow } from "@/text/time";

import { type Question, labelled } from "./question";

/** Until when, and what holds then. */
export function Deadline({ question }: { question: Question }) {
  const { deadline } = question;
  return deadline == null ? null : <Countdown question={question} deadline={deadline} />;
}

const SOON = 5 * 60_000;

function Countdown({ question, deadline }: { question: Question; deadline: number }) {
  const left = deadline - useNow();
  const then = question.onDeadline === "default" && question.default ? labelled(question, question.default) : undefined;
  return (
    <span className={left < SOON ? "text-bad" : ""} title={exactly(deadline)}>
      {left > 0 ? `in ${duration(left)}` : "now"} → {then === undefined ? unanswered(question) : <Plain text={then} />}
    </span>
  );
}

/** What comes of it that nobody answered. Only a job fails by it; an agent that waits is told so, and goes on. */
export function unanswered({ onDeadline, failsJob, blocking, action, way }: Pick<Question, "onDeadline" | "failsJob" | "blocking" | "action" | "way">): string {
  if (onDeadline === "wait") return "it goes on waiting";
  if (failsJob) return "the job fails";
  if (way === "detected" || !blocking) return "it is closed, and nobody is told";
  return action ? "not done; its agent is told that nobody answered" : "its agent is told that nobody answered";
}
