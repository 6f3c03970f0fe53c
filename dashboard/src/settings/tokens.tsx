import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import { queries } from "@/api/ask";
import { type Shapes, api, body } from "@/api/call";
import { complain } from "@/shell/notices";
import { Failure } from "@/shell/page";
import { Unread } from "@/shell/unread";
import { Plain } from "@/text/plain";
import { Ago, Moment } from "@/text/time";
import { words } from "@/text/words";

import { Group, Setting } from "./settings";

const tokensQuery = queryOptions({ queryKey: ["tokens"], staleTime: 0, queryFn: async () => (await body(api.GET("/api/tokens"))).items });
const refresh = () => void queries.invalidateQueries({ queryKey: tokensQuery.queryKey });

/** Who may come in, beside the owner. */
export function Tokens({ me }: { me: Shapes["Me"] }) {
  const { data, error } = useQuery(tokensQuery);
  const [isMaking, setMaking] = useState(false);
  const revoke = useMutation({ mutationFn: (id: string) => body(api.DELETE("/api/tokens/{id}", { params: { path: { id } } })), onSuccess: refresh, onError: complain });
  // The daemon says who we are by name only; where two browsers have the same, none is marked.
  const named = (data ?? []).filter(({ kind, name }) => me.kind === "browser" && kind === "browser" && name === me.name);
  const own = named.length === 1 ? named[0] : undefined;
  return (
    <Group
      title="Tokens and browsers"
      tools={
        <button type="button" className="button" aria-expanded={isMaking} onClick={() => setMaking(!isMaking)}>
          New token
        </button>
      }
    >
      {data && error && <Failure error={error} />}
      {isMaking && <Maker />}
      {!data && <Unread what="Who may come in" error={error} isLine />}
      {data?.length === 0 && <Setting title="None yet" text="A token lets a program in with only the rights it needs. Agents get tokens of their own kind, which can never answer a question." />}
      {data?.map((token) => (
        <Setting
          key={token.id}
          title={
            <>
              <Plain text={token.name} />
              {token.id === own?.id && <span className="font-normal text-good"> · this browser</span>}
            </>
          }
          text={
            <>
              {KINDS[token.kind] ?? words(token.kind)}, as <Plain text={token.party} />, may {token.scopes.join(", ")}; made <Moment at={token.createdAt} />
              {token.usedAt != null && (
                <>
                  , used <Ago at={token.usedAt} /> ago
                </>
              )}
              {token.expiresAt != null && (
                <>
                  , good until <Moment at={token.expiresAt} />
                </>
              )}
            </>
          }
        >
          <button type="button" className="button" onClick={() => revoke.mutate(token.id)}>
            Revoke
          </button>
        </Setting>
      ))}
    </Group>
  );
}

const KINDS: Record<string, string> = { human: "for a person", agent: "for an agent", browser: "a browser" };
const SCOPES = ["read", "tell", "answer", "admin"];

function Maker() {
  const [scopes, setScopes] = useState(["read"]);
  const make = useMutation({
    mutationFn: ({ name, kind }: { name: string; kind: string }) => body(api.POST("/api/tokens", { body: { name, kind, scopes } })),
    onSuccess: refresh,
    onError: complain,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    make.mutate({ name: String(form.get("name")), kind: String(form.get("kind")) });
  };
  return (
    <form className="flex flex-wrap items-end gap-3 px-3 py-2" onSubmit={submit}>
      <label className="label">
        Name
        <input name="name" required maxLength={64} className="field min-h-9 text-sm" />
      </label>
      <label className="label">
        For
        <select name="kind" className="field min-h-9 text-sm">
          <option value="human">a person</option>
          <option value="agent">an agent</option>
        </select>
      </label>
      <fieldset className="flex min-h-9 items-center gap-3">
        <legend className="sr-only">It may</legend>
        {SCOPES.map((scope) => (
          <label key={scope} className="flex items-center gap-1">
            <input type="checkbox" className="size-6 accent-ink md:size-4" checked={scopes.includes(scope)} onChange={(event) => setScopes((now) => (event.target.checked ? [...now, scope] : now.filter((other) => other !== scope)))} />
            {scope}
          </label>
        ))}
      </fieldset>
      <button type="submit" className="button button-ink min-h-9">
        Make it
      </button>
      {make.data && (
        <label className="basis-full text-xs text-dim">
          Copy it now: it is not shown again
          <input readOnly className="field font-mono" value={make.data.secret} onFocus={(event) => event.target.select()} />
        </label>
      )}
    </form>
  );
}
