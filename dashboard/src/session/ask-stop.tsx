import { useQuery } from "@tanstack/react-query";
import { Dialog } from "radix-ui";

import type { Session } from "@/api/ask";
import { meQuery } from "@/api/me";
import { about, turnsQuery } from "@/fleet/last-turn";
import { DialogContent } from "@/shell/dialog";
import { Plain } from "@/text/plain";

import { useAct } from "./act";
import { PartyName } from "./party";

/** To stop at once breaks off what is under way, so it is asked for twice. */
export function AskStop({ session, onClose }: { session: Session; onClose: () => void }) {
  const act = useAct();
  const me = useQuery(meQuery).data?.party ?? "user";
  const what = about(useQuery(turnsQuery(session)).data, 120);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DialogContent className="card fixed inset-x-2 top-[20vh] z-50 space-y-3 p-4 md:inset-x-auto md:left-1/2 md:w-96 md:-translate-x-1/2">
        <Dialog.Title className="said text-base font-semibold">
          Stop <Plain text={session.to} /> for <PartyName party={session.from} me={me} /> at once?
        </Dialog.Title>
        {what && (
          <p className="said text-dim">
            <Plain text={what} />
          </p>
        )}
        <Dialog.Description>
          {session.running == null ? "Its process is ended" : "Its process is ended in the middle of a turn, which ends as stopped"}, with everything it started. The conversation is kept.
        </Dialog.Description>
        <div className="flex justify-end gap-2">
          <Dialog.Close className="button">Keep it running</Dialog.Close>
          <Dialog.Close className="button border-bad text-bad" onClick={() => act.mutate({ verb: "stop", party: { to: session.to, from: session.from } })}>
            Stop at once
          </Dialog.Close>
        </div>
      </DialogContent>
    </Dialog.Root>
  );
}
