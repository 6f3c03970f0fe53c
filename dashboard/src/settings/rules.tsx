import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";

import { queries } from "@/api/ask";
import { api, body } from "@/api/call";
import { spoken } from "@/question/question";
import { complain } from "@/shell/notices";
import { Plain } from "@/text/plain";
import { Moment } from "@/text/time";
import { visible } from "@/text/visible";

import { Group, Setting } from "./settings";

const rulesQuery = queryOptions({ queryKey: ["questions", "rules"], queryFn: async () => (await body(api.GET("/api/rules"))).rules });

const SCOPES: Record<string, string> = { deed: "this very action", tool: "any use of this tool", question: "this very question" };

/** What people decided once for a while. */
export function Rules() {
  const rules = useQuery(rulesQuery).data ?? [];
  const revoke = useMutation({
    mutationFn: (id: string) => body(api.DELETE("/api/rules/{id}", { params: { path: { id } } })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: rulesQuery.queryKey }),
    onError: complain,
  });
  return (
    <Group title="Rules">
      {rules.length === 0 && <Setting title="None" text="An answer can hold for a while: for the very same action, for a tool, for a question. What holds is listed here, and can be taken back." />}
      {rules.map((rule) => (
        <Setting
          key={rule.id}
          title={<Plain text={rule.about} />}
          text={
            <>
              <Plain text={rule.team} />, {SCOPES[rule.scope] ?? rule.scope}
              {rule.risk && ` of at most ${rule.risk} risk`}: <span className="text-ink"><Plain text={spoken(rule.answer)} /></span>. Made by <Plain text={rule.madeBy} />, used {rule.uses} times, holds until <Moment at={rule.expiresAt} />
            </>
          }
        >
          <button type="button" className="button" aria-label={`Take back: ${visible(rule.about)}`} onClick={() => revoke.mutate(rule.id)}>
            Take back
          </button>
        </Setting>
      ))}
    </Group>
  );
}
