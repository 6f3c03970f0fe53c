import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";

import { spoken } from "@/question/question";
import { revoke, rulesQuery } from "@/question/rule";
import { complain } from "@/shell/notices";
import { Plain } from "@/text/plain";
import { Moment } from "@/text/time";
import { visible } from "@/text/visible";

import { Group, Setting } from "./settings";

const SCOPES: Record<string, string> = { deed: "this very action", tool: "any use of this tool", question: "this very question" };

/** What people decided once for a while. */
export function Rules() {
  const { data } = useQuery(rulesQuery);
  const rules = data ?? [];
  const takeBack = useMutation({ mutationFn: (id: string) => revoke([id]), onError: complain });
  // What was decided by a rule leads to it.
  const linked = useRouterState({ select: ({ location }) => /^rule-(.+)$/.exec(location.hash)?.[1] });
  const isThere = rules.some(({ id }) => id === linked);
  useEffect(() => {
    if (data && linked) document.getElementById(isThere ? `rule-${linked}` : "no-rule")?.scrollIntoView({ block: "center" });
  }, [data, linked, isThere]);
  return (
    <Group title="Rules">
      {data && linked && !isThere && (
        <div id="no-rule" className="bg-raised">
          <Setting title="The rule that the link leads to does not hold any more" text="It was taken back, another took its place, or its time is over.">
            <Link to="/inbox" search={{ question: linked }} className="link text-xs">
              what it was made from
            </Link>
          </Setting>
        </div>
      )}
      {rules.length === 0 && <Setting title="None" text="An answer can hold for a while: for the very same action, for a tool, for a question. What holds is listed here, and can be taken back." />}
      {rules.map((rule) => (
        <div key={rule.id} id={`rule-${rule.id}`} className={rule.id === linked ? "bg-raised ring-2 ring-work ring-inset" : ""}>
          <Setting
            title={<Plain text={rule.about} />}
            text={
              <>
                <Plain text={rule.team} />, {SCOPES[rule.scope] ?? rule.scope}
                {rule.risk && ` of at most ${rule.risk} risk`}: <span className="text-ink"><Plain text={spoken(rule.answer)} /></span>. Made by <Plain text={rule.madeBy} />, used {rule.uses} times, holds until <Moment at={rule.expiresAt} />
              </>
            }
          >
            <button type="button" className="button" aria-label={`Take back: ${visible(rule.about)}`} onClick={() => takeBack.mutate(rule.id)}>
              Take back
            </button>
          </Setting>
        </div>
      ))}
    </Group>
  );
}
