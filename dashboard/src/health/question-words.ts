import type { Shapes } from "@/api/call";
import { duration } from "@/text/time";

type Figures = Pick<Shapes["QuestionFigures"], "answerMs" | "responseRate" | "timeoutRate" | "questionsPerJob"> & { kinds: Pick<Shapes["KindFigures"], "answered" | "expired" | "defaulted" | "open">[] };

const share = (part: number) => `${Math.round(part * 100)} %`;

/** How it went with them, in a line. Shares are of those that came to an end, so it is said how many those are. */
export function figuresLine({ answerMs, responseRate, timeoutRate, questionsPerJob, kinds }: Figures): string {
  const ended = kinds.reduce((sum, { answered, expired, defaulted }) => sum + answered + expired + defaulted, 0);
  const open = kinds.reduce((sum, kind) => sum + kind.open, 0);
  const shares = [responseRate != null && `${share(responseRate)} answered`, timeoutRate != null && `${share(timeoutRate)} ran out of time`].filter(Boolean).join(", ");
  const parts = [
    answerMs != null && `answered after ${duration(answerMs)} on average`,
    shares && `of ${ended} that ended, ${shares}`,
    open > 0 && `${open} open`,
    questionsPerJob != null && `${questionsPerJob.toFixed(1)} for each job`,
  ];
  return parts.filter(Boolean).join(" · ");
}
