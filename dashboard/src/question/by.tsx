import { Link } from "@tanstack/react-router";

import type { Shapes } from "@/api/call";
import { Plain } from "@/text/plain";
import { visible } from "@/text/visible";

export type Through = Shapes["Through"];

/** Who decided: somebody, by a credential and from somewhere, or what somebody had decided before. */
export function By({ by, through, isShort = false }: { by: string; through?: Through | null | undefined; /** By what, only on demand. */ isShort?: boolean }) {
  const rule = /^rule:(.+)$/.exec(by)?.[1];
  if (rule === undefined) {
    return (
      <>
        {" "}
        <span title={isShort && through?.name ? visible(cameThrough(through)) : undefined}>
          by <Plain text={by} />
        </span>
        {!isShort && through?.name && <Plain text={` (${cameThrough(through)})`} />}
      </>
    );
  }
  return (
    <>
      {" "}
      by{" "}
      <Link to="/settings" hash={`rule-${rule}`} className="link">
        a rule
      </Link>
    </>
  );
}

/** `dashboard, browser-1a2b3c of ci` */
function cameThrough(through: Through) {
  const token = through.signedInBy ? ` of ${through.signedInBy}` : "";
  return `${through.surface}, ${through.name}${token}`;
}
