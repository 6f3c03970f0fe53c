import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";

import type { Shapes } from "@/api/call";
import { deed, deedLine } from "@/question/deed";
import { questionQuery } from "@/question/linked";
import { labelled, spoken } from "@/question/question";
import { revoke, rulesQuery } from "@/question/rule";
import { complain } from "@/shell/notices";
import { Unread } from "@/shell/unread";
import { Plain } from "@/text/plain";
import { Moment } from "@/text/time";
import { visible } from "@/text/visible";

import { Group, Setting } from "./settings";

const SCOPES: Record<string, string> = { deed: "this very action", tool: "any use of this tool", question: "this very question" };

/** What people decided once for a while. */
export function Rules() {
  const { data, error } = useQuery(rulesQuery);
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
      {!data && <Unread what="What holds" error={error} isLine />}
      {data?.length === 0 && <Setting title="None" text="An answer can hold for a while: for the very same action, for a tool, for a question. What holds is listed here, and can be taken back." />}
      {rules.map((rule) => (
        <div key={rule.id} id={`rule-${rule.id}`} className={rule.id === linked ? "bg-raised ring-2 ring-work ring-inset" : ""}>
          <Line rule={rule} onTakeBack={() => takeBack.mutate(rule.id)} />
        </div>
      ))}
    </Group>
  );
}

function Line({ rule, onTakeBack }: { rule: Shapes["Rule"]; onTakeBack: () => void }) {
  // A rule has the number of the question that it was made from, by whose words it is known.
  const { data: question } = useQuery(questionQuery(rule.id));
  const about = question && deed(question) ? deedLine(question).replace(/\?$/, "") : rule.about;
  return (
    <Setting
      title={<span title={visible(rule.about)}><Plain text={about} /></span>}
      text={
        <>
          <Plain text={rule.team} />, {SCOPES[rule.scope] ?? rule.scope}
          {rule.risk && ` of at most ${rule.risk} risk`}: <span className="text-ink"><Plain text={question ? labelled(question, rule.answer) : spoken(rule.answer)} /></span>. Made by <Plain text={rule.madeBy} />, used {rule.uses === 1 ? "once" : `${rule.uses} times`}, holds until <Moment at={rule.expiresAt} />
        </>
      }
    >
      <button type="button" className="button" aria-label={`Take back: ${visible(about)}`} onClick={onTakeBack}>
        Take back
      </button>
    </Setting>
  );
}
