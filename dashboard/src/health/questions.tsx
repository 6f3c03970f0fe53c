import { queryOptions, useQuery } from "@tanstack/react-query";

import { api, body } from "@/api/call";
import { Plain } from "@/text/plain";
import { duration } from "@/text/time";
import { words } from "@/text/words";

const WEEK = 7 * 24 * 60 * 60_000;
const figuresQuery = queryOptions({ queryKey: ["questions", "figures"], queryFn: () => body(api.GET("/api/questions/figures", { params: { query: { withinMs: WEEK } } })) });

const share = (part: number) => `${Math.round(part * 100)} %`;

/** What came of the questions of a week. */
export function QuestionFigures() {
  const figures = useQuery(figuresQuery).data;
  if (!figures || figures.kinds.length === 0) return null;
  return (
    <section className="card" aria-label="Questions">
      <header className="flex flex-wrap justify-between gap-x-3 border-b border-line px-3 py-2">
        <h2 className="font-medium">Questions of the last seven days</h2>
        <span className="text-xs text-dim">
          {[
            figures.answerMs != null && `answered after ${duration(figures.answerMs)} on average`,
            figures.responseRate != null && `${share(figures.responseRate)} answered`,
            figures.timeoutRate != null && `${share(figures.timeoutRate)} ran out of time`,
            figures.questionsPerJob != null && `${figures.questionsPerJob.toFixed(1)} for each job`,
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </header>
      {figures.alerts.map(({ kind, what }) => (
        <p key={kind} role="note" className="said border-b border-line bg-bad-soft px-3 py-1.5 text-bad">
          <Plain text={what} />
        </p>
      ))}
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="By kind">
        <table className="w-full text-right text-xs tabular-nums [&_td]:px-3 [&_td]:py-1 [&_th]:px-3 [&_th]:py-1 [&_th]:font-medium">
          <thead className="text-dim">
            <tr>
              <th className="text-left">kind</th>
              <th>asked</th>
              <th>open</th>
              <th>answered</th>
              <th>by rule</th>
              <th>by default</th>
              <th>expired</th>
              <th>withdrawn</th>
              <th>after</th>
            </tr>
          </thead>
          <tbody>
            {figures.kinds.map((kind) => (
              <tr key={kind.kind} className="border-t border-line">
                <td className="text-left">{words(kind.kind)}</td>
                <td>{kind.asked}</td>
                <td>{kind.open}</td>
                <td>{kind.answered}</td>
                <td>{kind.byRule}</td>
                <td>{kind.defaulted}</td>
                <td>{kind.expired}</td>
                <td>{kind.cancelled}</td>
                <td>{kind.answerMs == null ? "–" : duration(kind.answerMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
