import { useQuery } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useState } from "react";

import type { Session } from "@/api/ask";
import { meQuery } from "@/api/me";
import { about, turnsQuery } from "@/fleet/last-turn";
import { visible } from "@/text/visible";

import { type Verb, useAct } from "./act";
import { AskStop } from "./ask-stop";
import { partyName } from "./party-name";

/** What can be done now; what would do nothing is not offered. */
export function offered({ state, running, queued }: Session): { verb: Verb; label: string; isHard?: boolean }[] {
  const isBusy = running != null || queued > 0;
  const isAwake = state !== "stopped";
  return [
    ...(isBusy ? [{ verb: "cancel" as const, label: "Cancel what it does…", isHard: true }] : []),
    ...(isAwake ? [] : [{ verb: "wake" as const, label: "Wake" }]),
    ...(isAwake && !isBusy ? [{ verb: "sleep" as const, label: "Put to sleep" }] : []),
    ...(isAwake ? [{ verb: "stop" as const, label: "Stop at once…", isHard: true }] : []),
  ];
}

export function SessionActions({ session }: { session: Session }) {
  const act = useAct();
  const [asked, setAsked] = useState<"cancel" | "stop">();
  const me = useQuery(meQuery).data?.party ?? "user";
  const what = about(useQuery(turnsQuery(session)).data, 60);
  const party = { to: session.to, from: session.from };
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="flex size-8 items-center justify-center rounded text-dim hover:bg-raised hover:text-ink" aria-label={visible(`Actions for ${session.to} for ${partyName(session.from, me)}${what ? `: ${what}` : ""}`)}>
          <Ellipsis size={18} />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="end">
            {offered(session).map(({ verb, label, isHard }) => (
              <DropdownMenu.Item key={verb} className={`menu-item ${isHard ? "text-bad" : ""}`} onSelect={() => (isHard ? setAsked(verb === "cancel" ? "cancel" : "stop") : act.mutate({ verb, party }))}>
                {label}
              </DropdownMenu.Item>
            ))}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {asked && <AskStop session={session} verb={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}
