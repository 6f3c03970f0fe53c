/** A setting that the next start brings: what holds now, and what will. A daemon that is older than this page gives its name
 * alone. */
export function pendingLine(pending: unknown): string {
  if (typeof pending === "string") return pending;
  const { key, now, next } = pending as { key: string; now: string; next: string };
  return `${key}: ${now} → ${next}`;
}
