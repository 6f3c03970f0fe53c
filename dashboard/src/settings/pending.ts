import type { Shapes } from "@/api/call";

/** A setting that the next start brings: what holds now, and what will. */
export const pendingLine = ({ key, now, next }: Shapes["PendingSetting"]) => `${key}: ${now} → ${next}`;
