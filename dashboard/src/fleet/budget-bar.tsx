import { money } from "@/text/time";

/** How much of its budget the process that runs now has used. The next process begins with a whole one. */
export function BudgetBar({ spent, budget }: { spent: number; budget: number }) {
  const share = Math.min(1, spent / budget);
  const colour = share >= 1 ? "bg-bad" : share >= 0.8 ? "bg-held" : "bg-work";
  const words = `${money(spent)} of ${money(budget)}`;
  return (
    <span className="mt-0.5 block" title={`This process of the agent has cost ${words}, which is what its team's config lets one process spend (maxBudgetUsd). A new process begins at nothing.`}>
      <span role="meter" aria-label={`Budget of this process: ${words}`} aria-valuemin={0} aria-valuemax={budget} aria-valuenow={Math.min(spent, budget)} className="block h-1.5 overflow-hidden rounded-full border border-edge/60 bg-raised">
        <span className={`block h-full ${colour}`} style={{ width: `${share * 100}%` }} />
      </span>
      <span className="block">{words} a process</span>
    </span>
  );
}
