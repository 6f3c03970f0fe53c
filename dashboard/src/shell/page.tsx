// The parts every page is made of.
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";

import { Refusal } from "@/api/call";
import { connection } from "@/api/live";
import { useWatched } from "@/api/watch";
import { Plain } from "@/text/plain";
import { zone } from "@/text/time";

export function Page({ title, isWide = false, tabs, tools, error, children }: { title: string; /** It is made of rows, for which there is never too much room. */ isWide?: boolean; tabs?: ReactNode; tools?: ReactNode; error?: Error | null; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Iris`;
  }, [title]);
  return (
    <div className={`mx-auto flex w-full flex-col gap-3 p-3 md:p-5 ${isWide ? "max-w-7xl" : "max-w-5xl"}`}>
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h1 className="said min-w-0 text-lg font-semibold">{title}</h1>
        {tools}
      </header>
      {tabs}
      {error && <Failure error={error} />}
      {children}
      <p className="text-xs text-dim md:hidden" title={zone()}>
        Times are in {zone()}.
      </p>
    </div>
  );
}

/** What went wrong and what to do about it. That the daemon is gone is said on top of every page, once. */
export function Failure({ error }: { error: Error }) {
  const isLost = useWatched(connection).state === "lost";
  if (isLost && error instanceof Refusal && error.status === 0) return null;
  const hint = (error as Error & { hint?: string }).hint;
  return (
    <div role="alert" className="card said border-bad bg-bad-soft p-3">
      <p className="text-bad">
        <Plain text={error.message} />
      </p>
      {hint && (
        <p>
          <Plain text={hint} />
        </p>
      )}
    </div>
  );
}

/** Nothing is here, and that is said in a way that helps. */
export function Empty({ title, text, children }: { title: string; text?: string | undefined; children?: ReactNode }) {
  return (
    <div className="card flex flex-col items-center px-4 py-10 text-center">
      <p className="text-base font-medium">{title}</p>
      {text && <p className="mt-1 max-w-md text-dim">{text}</p>}
      {children}
    </div>
  );
}

/** How one comes to a team. */
export function NoTeams({ what = "A team is a project folder and the agent that works in it." }: { what?: string }) {
  return (
    <Empty title="No teams yet" text={what}>
      <p className="mt-3 text-dim">In a terminal, in the folder of a project:</p>
      <pre className="mt-1 rounded bg-raised p-3 text-left font-mono text-xs">iris teams add .</pre>
      <p className="mt-3 text-dim">Or, to look around with scripted agents that need no account:</p>
      <pre className="mt-1 rounded bg-raised p-3 text-left font-mono text-xs">iris up --demo</pre>
    </Empty>
  );
}

export interface Tab {
  to: string;
  search: Record<string, unknown>;
  label: string;
  /** Where there is little room. */
  short?: string;
  count?: number;
  accent?: boolean;
  isActive: boolean;
}

export function Tabs({ tabs, label }: { tabs: Tab[]; label: string }) {
  return (
    <nav aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ to, search, label: name, short = name, count, accent, isActive }) => (
        <Link key={name} to={to} search={search} aria-current={isActive ? "page" : undefined} className={`flex min-h-9 items-center rounded-t -outline-offset-2 gap-1.5 border-b-2 px-2 whitespace-nowrap ${isActive ? "border-ink font-medium" : "border-transparent text-dim hover:text-ink"}`}>
          <span className="max-md:hidden">{name}</span>
          <span className="md:hidden">{short}</span>
          {count !== undefined && count > 0 && <Count number={count} accent={accent ?? false} />}
        </Link>
      ))}
    </nav>
  );
}

export function Count({ number, accent }: { number: number; accent: boolean }) {
  return <span className={`min-w-5 rounded-full px-1.5 text-center text-xs leading-5 font-semibold tabular-nums ${accent ? "bg-accent-solid text-accent-on" : "bg-raised text-dim"}`}>{number > 999 ? "999+" : number}</span>;
}
