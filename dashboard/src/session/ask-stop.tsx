import { useQuery } from "@tanstack/react-query";
import { Dialog } from "radix-ui";

import type { Session } from "@/api/ask";
import { meQuery } from "@/api/me";
import { about, turnsQuery } from "@/fleet/last-turn";
import { DialogContent } from "@/shell/dialog";
import { Plain } from "@/text/plain";

import { useAct } from "./act";
import { PartyName } from "./party";

/** Both break off what is under way and cannot be taken back, so they are asked for twice. */
export function AskStop({ session, verb, onClose }: { session: Session; verb: "cancel" | "stop"; onClose: () => void }) {
  const act = useAct();
  const me = useQuery(meQuery).data?.party ?? "user";
  const what = about(useQuery(turnsQuery(session)).data, 120);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DialogContent className="card fixed inset-x-2 top-[20vh] z-50 space-y-3 p-4 md:inset-x-auto md:left-1/2 md:w-96 md:-translate-x-1/2">
        <Dialog.Title className="said text-base font-semibold">
          {verb === "stop" ? "Stop" : "Cancel what"} <Plain text={session.to} /> for <PartyName party={session.from} me={me} /> {verb === "stop" ? "at once?" : "does?"}
        </Dialog.Title>
        {what && (
          <p className="said text-dim">
            <Plain text={what} />
          </p>
        )}
        <Dialog.Description>
          {verb === "cancel" ? `${withdrawn(session)} Its process goes on, and the conversation is kept.` : <>{session.running == null ? "Its process is ended" : "Its process is ended in the middle of a turn, which ends as stopped"}, with everything it started. The conversation is kept.</>}
        </Dialog.Description>
        <div className="flex justify-end gap-2">
          <Dialog.Close className="button">{verb === "stop" ? "Keep it running" : "Let it go on"}</Dialog.Close>
          <Dialog.Close className="button border-bad text-bad" onClick={() => act.mutate({ verb, party: { to: session.to, from: session.from } })}>
            {verb === "stop" ? "Stop at once" : "Cancel it"}
          </Dialog.Close>
        </div>
      </DialogContent>
    </Dialog.Root>
  );
}

function withdrawn({ running, queued }: Session): string {
  const waiting = queued === 1 ? "the one that waits is withdrawn" : `the ${queued} that wait are withdrawn`;
  const parts = [running != null && "its turn is broken off", queued > 0 && waiting].filter((part) => part !== false).join(", and ");
  return `${parts.slice(0, 1).toUpperCase()}${parts.slice(1)}.`;
}
