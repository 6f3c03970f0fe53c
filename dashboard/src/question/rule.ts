// What an answer leaves behind: a rule, by which the same is answered for a while without anybody being asked.
import { queryOptions, useQuery } from "@tanstack/react-query";

import { queries } from "@/api/ask";
import { type Shapes, api, body } from "@/api/call";
import { configQuery } from "@/api/config";
import { complain, say } from "@/shell/notices";
import { clock, duration, zone } from "@/text/time";

import type { Question } from "./question";

type Rule = Shapes["Rule"];

export const rulesQuery = queryOptions({ queryKey: ["questions", "rules"], queryFn: async () => (await body(api.GET("/api/rules"))).rules });

export async function revoke(ids: string[]): Promise<void> {
  await Promise.all(ids.map((id) => body(api.DELETE("/api/rules/{id}", { params: { path: { id } } }))));
  await queries.invalidateQueries({ queryKey: rulesQuery.queryKey });
}

export const HOUR = 60 * 60_000;
export const TIMES = [
  { label: "an hour", forMs: HOUR },
  { label: "a day", forMs: 24 * HOUR },
  { label: "30 days", forMs: 30 * 24 * HOUR },
];

/** A no to what has a digest holds for a while, also if nobody chose that. */
export const mayStick = ({ digest }: Pick<Question, "digest">) => digest != null;

/** How long a no holds, in words; undefined if it does not. */
export function useRefusalsLast(): string | undefined {
  const config = useQuery(configQuery).data?.config as { questions?: { refusalsLast?: number } } | undefined;
  const lasts = config?.questions?.refusalsLast;
  if (lasts === 0) return undefined;
  return lasts === undefined ? "a while" : (TIMES.find(({ forMs }) => forMs === lasts)?.label ?? duration(lasts));
}

/** What the rules are that were made from these questions, once for all of them. A rule has the number of its question. */
export async function sayRules(questions: Question[]): Promise<void> {
  const ids = new Set(questions.map(({ id }) => id));
  const rules = (await queries.fetchQuery({ ...rulesQuery, staleTime: 0 })).filter(({ id }) => ids.has(id));
  const [first] = rules;
  if (!first) return;
  const take = async () => {
    await revoke(rules.map(({ id }) => id));
    say({ tone: "plain", text: "Taken back: the next time somebody is asked" });
  };
  say({ tone: "plain", text: ruleWords(first), hint: "Settings lists what holds.", button: { label: rules.length > 1 ? `Take the ${rules.length} rules back` : "Take the rule back", takesBack: true, act: () => void take().catch(complain) } });
}

export function ruleWords({ answer, scope, team, expiresAt }: Pick<Rule, "answer" | "scope" | "team" | "expiresAt">): string {
  const [done, is] = answer.value === true ? ["Approved", "approved"] : answer.value === false ? ["Refused", "refused"] : ["Answered", "answered the same"];
  const asks = scope === "tool" ? "asks for any use of this tool that risks no more" : "asks the same";
  return `${done}. Until ${clock(expiresAt)} ${zone()}, whoever in ${team} ${asks} is ${is} without anybody being asked`;
}
