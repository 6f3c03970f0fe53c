// Health: whether the daemon is well, how full it is, and how it has gone lately.
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";

import { statusQuery, teamsQuery } from "@/api/ask";
import { useWatched } from "@/api/watch";
import { useOpenQuestions } from "@/question/ask";
import { Empty, Page } from "@/shell/page";
import { Unread } from "@/shell/unread";
import { theme } from "@/shell/theme";
import { duration, money, took, useKnownNow } from "@/text/time";

import { Chart } from "./chart";
import { Log } from "./log";
import { Parts } from "./parts";
import { QuestionFigures, figuresQuery } from "./questions";
import { type TurnFigures, weekQuery } from "./turns";

const route = getRouteApi("/frame/system");

export function Health() {
  const wanted = Number(route.useSearch().event);
  const event = Number.isSafeInteger(wanted) && wanted > 0 ? wanted : undefined;
  const { data: status, error, dataUpdatedAt } = useQuery(statusQuery);
  const week = useQuery(weekQuery);
  const queued = useQuery(teamsQuery).data?.reduce((sum, team) => sum + team.queued, 0);
  const now = useKnownNow();
  const { mine, others, isRead } = useOpenQuestions();
  const answered = (useQuery(figuresQuery).data?.kinds ?? []).reduce((sum, kind) => sum + kind.answered + kind.byRule, 0);
  return (
    <Page title="Health" error={error ?? week.error}>
      {event !== undefined && <Log event={event} />}
      {status && (
        <dl className="grid grid-cols-2 gap-2 md:grid-cols-5">
          <Fact name="Agents alive" tone={status.agents >= status.maxAgents ? "held" : undefined}>
            {status.agents} of {status.maxAgents}
          </Fact>
          <Fact name="Sessions waiting for a place" tone={status.waitingSessions ? "held" : undefined}>
            {status.waitingSessions}
          </Fact>
          <Fact name="Questions open" tone={mine.length ? "accent" : undefined}>
            {isRead ? mine.length + others.length : NOT_KNOWN}
            {answered > 0 && <span className="text-sm font-normal text-dim">, {answered} answered this week</span>}
          </Fact>
          <Fact name="Turns waiting their turn" tone={queued ? "held" : undefined}>
            {queued ?? NOT_KNOWN}
          </Fact>
          <Fact name="Up for">{duration(status.uptimeMs + Math.max(0, now - dataUpdatedAt))}</Fact>
        </dl>
      )}
      {status ? <Parts status={status} /> : <Unread what="How the daemon is" error={error} isSaid />}
      {week.data ? <Charts figures={week.data} /> : <Unread what="How the turns of the week went" error={week.error} isSaid />}
      <QuestionFigures />
      {event === undefined && <Log event={undefined} />}
    </Page>
  );
}

const NOT_KNOWN = "not known";

function Charts({ figures }: { figures: TurnFigures }) {
  const look = useWatched(theme);
  const charts = useMemo(() => {
    const all = figures.slots;
    const number = (value: number) => (Number.isInteger(value) ? String(value) : "");
    return {
      times: all.map(({ at }) => at),
      turns: [
        { label: "done", values: all.map(({ ended, bad }) => ended - bad), colour: "good" as const, show: number },
        { label: "failed or ended early", values: all.map(({ bad }) => bad || null), colour: "bad" as const, show: number },
      ],
      took: [
        { label: "median", values: all.map(({ medianMs }) => medianMs ?? null), colour: "work" as const, show: took },
        { label: "slowest twentieth", values: all.map(({ slowMs }) => slowMs ?? null), colour: "held" as const, show: took },
      ],
      cost: [{ label: "cost", values: all.map(({ costUsd }) => costUsd), colour: "work" as const, show: money }],
    };
    // Colours are read when a chart is drawn, so another look is another drawing.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [figures, look]);
  const { ended, bad, costUsd, medianMs, longestMs } = figures;
  if (ended === 0) return <Empty title="No turn has ended in seven days" text="Once agents have worked, this shows how many turns there were, how long they took and what they cost." />;
  return (
    <div className="grid gap-3 md:grid-cols-2 lg:grid-cols-3 md:max-lg:[&>:first-child]:col-span-2">
      <Chart title="Turns of seven days" summary={`${ended} ended, ${bad} of them badly`} times={charts.times} series={charts.turns} bars />
      <Chart title="How long they took" summary={`median ${took(medianMs ?? 0)}, longest ${took(longestMs ?? 0)}`} times={charts.times} series={charts.took} />
      <Chart title="Cost" summary={`${money(costUsd)} in all`} times={charts.times} series={charts.cost} bars />
    </div>
  );
}

function Fact({ name, tone, children }: { name: string; tone?: "good" | "bad" | "held" | "accent" | undefined; children: ReactNode }) {
  const colour = tone && { good: "text-good", bad: "text-bad", held: "text-held", accent: "text-accent" }[tone];
  return (
    // However many lines its name takes, the figures stand in one line.
    <div className="card row-span-2 grid grid-rows-subgrid gap-y-0 px-3 py-2">
      <dt className="label">{name}</dt>
      <dd className={`said text-base font-semibold tabular-nums ${colour ?? ""}`}>{children}</dd>
    </div>
  );
}
