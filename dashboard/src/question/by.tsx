import { Link } from "@tanstack/react-router";

import type { Shapes } from "@/api/call";
import { Plain } from "@/text/plain";

export type Through = Shapes["Through"];

/** Who decided: somebody, by a credential and from somewhere, or what somebody had decided before. */
export function By({ by, through }: { by: string; through?: Through | null | undefined }) {
  const rule = /^rule:(.+)$/.exec(by)?.[1];
  if (rule === undefined) {
    return (
      <>
        {" "}
        by <Plain text={by} />
        {through?.name && <Plain text={` (${cameThrough(through)})`} />}
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
