import { Link } from "@tanstack/react-router";

import { Plain } from "@/text/plain";

/** Who decided: somebody, or what somebody had decided before. */
export function By({ by }: { by: string }) {
  const rule = /^rule:(.+)$/.exec(by)?.[1];
  if (rule === undefined) return <> by <Plain text={by} /></>;
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
