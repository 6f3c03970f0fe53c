// Health: whether the daemon is well, how full it is, and how it has gone lately.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";

import { statusQuery, teamsQuery } from "@/api/ask";
import { useWatched } from "@/api/watch";
import { decidedQuery, useOpenQuestions } from "@/question/ask";
import { Empty, Page } from "@/shell/page";
import { theme } from "@/shell/theme";
import { duration, money, took, useNow } from "@/text/time";

import { Chart } from "./chart";
import { slots } from "./figures";
import { Log } from "./log";
import { Parts } from "./parts";
import { QuestionFigures } from "./questions";
import { type TurnEnd, recentQuery } from "./recent";

export function Health() {
  const { data: status, error, dataUpdatedAt } = useQuery(statusQuery);
  const recent = useQuery(recentQuery);
  const queued = (useQuery(teamsQuery).data ?? []).reduce((sum, team) => sum + team.queued, 0);
  const now = useNow();
  const { mine, others } = useOpenQuestions();
  const decided = useQuery(decidedQuery).data ?? [];
  return (
    <Page title="Health" error={error ?? recent.error}>
      {status && (
        <dl className="grid grid-cols-2 gap-2 md:grid-cols-5">
          <Fact name="Agents alive" tone={status.agents >= status.maxAgents ? "held" : undefined}>
            {status.agents} of {status.maxAgents}
          </Fact>
          <Fact name="Sessions waiting for a place" tone={status.waitingSessions ? "held" : undefined}>
            {status.waitingSessions}
          </Fact>
          <Fact name="Questions open" tone={mine.length ? "accent" : undefined}>
            {mine.length + others.length}
            {decided.length > 0 && <span className="text-sm font-normal text-dim">, {decided.filter(({ outcome }) => outcome === "answered").length} answered lately</span>}
          </Fact>
          <Fact name="Turns waiting their turn" tone={queued ? "held" : undefined}>
            {queued}
          </Fact>
          <Fact name="Up for">{duration(status.uptimeMs + Math.max(0, now - dataUpdatedAt))}</Fact>
        </dl>
      )}
      {status && <Parts status={status} />}
      {recent.data && <Charts ends={recent.data} />}
      <QuestionFigures />
      <Log />
    </Page>
  );
}

function Charts({ ends }: { ends: TurnEnd[] }) {
  const look = useWatched(theme);
  const charts = useMemo(() => {
    const all = slots(ends, Date.now());
    const times = all.map(({ at }) => at);
    const number = (value: number) => (Number.isInteger(value) ? String(value) : "");
    return {
      times,
      turns: [
        { label: "done", values: all.map(({ done }) => done), colour: "good" as const, show: number },
        { label: "failed or ended early", values: all.map(({ bad }) => bad || null), colour: "bad" as const, show: number },
      ],
      took: [
        { label: "median", values: all.map(({ median }) => median), colour: "work" as const, show: took },
        { label: "slowest twentieth", values: all.map(({ slow }) => slow), colour: "held" as const, show: took },
      ],
      cost: [{ label: "cost", values: all.map(({ cost }) => cost), colour: "work" as const, show: money }],
    };
    // Colours are read when a chart is drawn, so another look is another drawing.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [ends, look]);
  if (ends.length === 0) return <Empty title="No turn has ended yet" text="Once agents have worked, this shows how many turns there were, how long they took and what they cost." />;
  const bad = ends.filter(({ ending }) => ending === "failed" || ending === "terminated").length;
  const sorted = ends.map(({ durationMs }) => durationMs).sort((one, other) => one - other);
  const total = ends.reduce((sum, { costUsd }) => sum + costUsd, 0);
  return (
    <div className="grid gap-3 md:grid-cols-2 lg:grid-cols-3 md:max-lg:[&>:first-child]:col-span-2">
      <Chart title="Turns" summary={`${ends.length} ended, ${bad} of them badly`} times={charts.times} series={charts.turns} bars />
      <Chart title="How long they took" summary={`median ${took(sorted[Math.floor(sorted.length / 2)] ?? 0)}, longest ${took(sorted.at(-1) ?? 0)}`} times={charts.times} series={charts.took} />
      <Chart title="Cost" summary={`${money(total)} in all`} times={charts.times} series={charts.cost} bars />
    </div>
  );
}

function Fact({ name, tone, children }: { name: string; tone?: "good" | "bad" | "held" | "accent" | undefined; children: ReactNode }) {
  const colour = tone && { good: "text-good", bad: "text-bad", held: "text-held", accent: "text-accent" }[tone];
  return (
    <div className="card px-3 py-2">
      <dt className="label">{name}</dt>
      <dd className={`said text-base font-semibold tabular-nums ${colour ?? ""}`}>{children}</dd>
    </div>
  );
}
