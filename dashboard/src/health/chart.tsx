// A small chart. What it shows is also there as words, for whoever does not see it.
import { useEffect, useRef } from "react";
import uPlot from "uplot";

import { tick, zone } from "@/text/time";

import "uplot/dist/uPlot.min.css";

export interface Series {
  label: string;
  values: (number | null)[];
  /** A name of a colour in style.css. */
  colour: "work" | "good" | "bad" | "accent" | "held";
  show: (value: number) => string;
}

const HEIGHT = 140;

export function Chart({ title, summary, times, series, bars = false }: { title: string; summary: string; times: number[]; series: Series[]; bars?: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const axis = { stroke: colour("dim"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    // Half a step of room, so that what is at the edge is not cut in two.
    const half = ((times[1] ?? 0) - (times[0] ?? 0)) / 2000;
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, points: { size: 6 } },
        scales: { x: { range: (_, min, max) => [min - half, max + half] }, y: { range: (_, __, max) => [0, Math.max(max * 1.1, 1e-9)] } },
        axes: [{ ...axis, size: 24, space: 60, values: (_, ticks) => ticks.map((at) => tick(at * 1000)) }, { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => series[0]?.show(tick) ?? "") }],
        // A line needs two neighbours, so values are points as well: one without a neighbour is still seen.
        series: [{}, ...series.map((one) => ({ label: one.label, stroke: colour(one.colour), fill: bars ? `${colour(one.colour)}66` : "", width: 1.5, points: { show: !bars, size: 6, fill: colour(one.colour) }, ...(bars && uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.7, 40] }) }) }))],
      },
      [times.map((time) => time / 1000), ...series.map(({ values }) => values)] as uPlot.AlignedData,
      element,
    );
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [times, series, bars]);
  return (
    <figure className="card flex min-w-0 flex-col p-3">
      <figcaption className="mb-1 flex flex-1 flex-col">
        <span className="font-medium">{title}</span>
        <span className="text-xs text-dim" title={`Times are in ${zone()}`}>
          {summary}
        </span>
        {series.length > 1 && (
          <span className="flex flex-wrap gap-x-3 text-xs text-dim">
            {series.map(({ label, colour }) => (
              <span key={label} className="flex items-center gap-1">
                <span className="size-2.5 rounded-sm" style={{ background: `var(--${colour})` }} aria-hidden="true" /> {label}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <div ref={box} className="overflow-hidden" role="img" title={`Times are in ${zone()}`} aria-label={`${title}: ${summary}`} />
    </figure>
  );
}
