import { queryOptions, useQuery } from "@tanstack/react-query";

import { type Shapes, api, body } from "@/api/call";
import { Unread } from "@/shell/unread";
import { Plain } from "@/text/plain";
import { duration } from "@/text/time";
import { words } from "@/text/words";

import { figuresLine } from "./question-words";

const WEEK = 7 * 24 * 60 * 60_000;
export const figuresQuery = queryOptions({ queryKey: ["questions", "figures"], queryFn: () => body(api.GET("/api/questions/figures", { params: { query: { withinMs: WEEK } } })) });

/** What came of the questions of a week. */
export function QuestionFigures() {
  const { data: figures, error } = useQuery(figuresQuery);
  if (!figures)
    return (
      <section className="card" aria-label="Questions">
        <Unread what="What came of the questions" error={error} isLine />
      </section>
    );
  if (figures.kinds.length === 0) return null;
  return (
    <section className="card" aria-label="Questions">
      <header className="flex flex-wrap justify-between gap-x-3 border-b border-line px-3 py-2">
        <h2 className="font-medium">Questions of the last seven days</h2>
        <span className="text-xs text-dim">
          {figuresLine(figures)}
        </span>
      </header>
      {figures.alerts.map(({ kind, what }) => (
        <p key={kind} role="note" className="said border-b border-line bg-bad-soft px-3 py-1.5 text-bad">
          <Plain text={what} />
        </p>
      ))}
      <Bars kinds={figures.kinds} />
      <div className="overflow-x-auto border-t border-line" tabIndex={0} role="region" aria-label="By kind">
        <table className="w-full text-right text-xs tabular-nums [&_td]:px-3 [&_td]:py-1 [&_th]:px-3 [&_th]:py-1 [&_th]:font-medium">
          <thead className="text-dim">
            <tr>
              <th className="text-left">kind</th>
              <th>asked</th>
              <th>open</th>
              <th>answered</th>
              <th>by rule</th>
              <th>told next</th>
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
                <td>{kind.byOthers}</td>
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

type Kind = Shapes["KindFigures"];

const PARTS: { name: string; of: (kind: Kind) => number; colour: string }[] = [
  { name: "answered", of: ({ answered }) => answered, colour: "bg-good" },
  { name: "by rule", of: ({ byRule }) => byRule, colour: "bg-work" },
  { name: "told next", of: ({ byOthers }) => byOthers, colour: "bg-good/50" },
  { name: "by default", of: ({ defaulted }) => defaulted, colour: "bg-held" },
  { name: "expired", of: ({ expired }) => expired, colour: "bg-bad" },
  { name: "withdrawn", of: ({ cancelled }) => cancelled, colour: "bg-edge" },
  { name: "open", of: ({ open }) => open, colour: "bg-accent-solid" },
];

/** The same as bars: what came of each kind, as long as there were many of it. */
function Bars({ kinds }: { kinds: Kind[] }) {
  const total = (kind: Kind) => PARTS.reduce((sum, part) => sum + part.of(kind), 0);
  const most = Math.max(1, ...kinds.map(total));
  const shown = PARTS.filter((part) => kinds.some((kind) => part.of(kind) > 0));
  return (
    <figure className="space-y-1.5 p-3">
      {kinds.map((kind) => {
        const parts = shown.filter((part) => part.of(kind) > 0);
        return (
          <div key={kind.kind} className="grid grid-cols-[7rem_minmax(0,1fr)_2.5rem] items-center gap-2 text-xs">
            <span className="truncate text-right text-dim">{words(kind.kind)}</span>
            <span role="img" aria-label={`${words(kind.kind)}: ${parts.map((part) => `${part.of(kind)} ${part.name}`).join(", ")}`} className="flex h-4 gap-px">
              {parts.map((part) => (
                <span key={part.name} className={`h-full first:rounded-l last:rounded-r ${part.colour}`} style={{ width: `${(part.of(kind) / most) * 100}%` }} title={`${part.of(kind)} ${part.name}`} />
              ))}
            </span>
            <span className="tabular-nums">{total(kind)}</span>
          </div>
        );
      })}
      <figcaption className="flex flex-wrap gap-x-3 pt-1 text-xs text-dim">
        {shown.map(({ name, colour }) => (
          <span key={name} className="flex items-center gap-1">
            <span className={`size-2.5 rounded-sm ${colour}`} aria-hidden="true" /> {name}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
