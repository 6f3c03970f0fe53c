import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { type Shapes, api, body, keepWord } from "@/api/call";
import { complain } from "@/shell/notices";
import { Plain } from "@/text/plain";
import { Moment, duration, useNow } from "@/text/time";

import { Group, Setting } from "./settings";

export function SignedIn({ me }: { me: Shapes["Me"] }) {
  const [link, setLink] = useState<{ url: string; until: number }>();
  const make = useMutation({
    mutationFn: () => body(api.POST("/api/links")),
    onSuccess: ({ path, expiresInMs }) => setLink({ url: location.origin + path, until: Date.now() + expiresInMs }),
    onError: complain,
  });
  const leave = useMutation({ mutationFn: () => body(api.POST("/api/logout")), onSuccess: () => (keepWord(null), location.assign("/login")), onError: complain });
  return (
    <Group title="Signed in">
      <Setting
        title={
          <>
            As <Plain text={me.party} />
          </>
        }
        text={`${me.name}, may ${me.scopes.join(", ")}`}
      >
        {me.kind === "browser" && (
          <button type="button" className="button" onClick={() => leave.mutate()}>
            Sign out
          </button>
        )}
      </Setting>
      <Setting title="Another browser or phone" text={isOwnMachine() ? `A link that signs it in, once. It leads to ${location.host}, which only browsers on this machine reach; for another one, open this page by a name that it reaches (docs/doors.md says how).` : "A link that signs it in, once."}>
        <button type="button" className="button" onClick={() => make.mutate()}>
          Make a link
        </button>
        {link && (
          <label className="basis-full text-xs text-dim">
            <GoodFor until={link.until} />
            <input readOnly className="field font-mono" value={link.url} onFocus={(event) => event.target.select()} />
          </label>
        )}
      </Setting>
    </Group>
  );
}

/** This page was opened by an address that means another machine on every machine. */
const isOwnMachine = () => /^(localhost|.*\.localhost|127\..*|\[::1\])$/.test(location.hostname);

function GoodFor({ until }: { until: number }) {
  const left = until - useNow();
  return left > 0 ? <>Good once, for <Moment at={until} text={duration(left)} /></> : <>Not good any more: make another</>;
}
