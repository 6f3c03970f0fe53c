// What one process of a team's agent may spend. What it has spent is counted by the daemon. Pure.

/** What each team's config lets one process spend. */
export function budgets(config: unknown): ReadonlyMap<string, number> {
  const { teams } = (config ?? {}) as { teams?: Record<string, { maxBudgetUsd?: number }> };
  return new Map(Object.entries(teams ?? {}).flatMap(([name, { maxBudgetUsd }]) => (typeof maxBudgetUsd === "number" ? [[name, maxBudgetUsd] as const] : [])));
}
