import { useMutation } from "@tanstack/react-query";
import { OctagonX } from "lucide-react";
import { Dialog } from "radix-ui";
import { useState } from "react";

import { api, body } from "@/api/call";
import { DialogContent } from "@/shell/dialog";
import { complain, say } from "@/shell/notices";

/** The kill switch, behind one question. */
export function StopAll({ agents }: { agents: number }) {
  const [isAsking, setAsking] = useState(false);
  if (agents === 0) return null;
  return (
    <>
      <button type="button" className="button text-bad" onClick={() => setAsking(true)}>
        <OctagonX size={15} aria-hidden="true" /> Stop everything
      </button>
      {isAsking && <AskStopAll agents={agents} onClose={() => setAsking(false)} />}
    </>
  );
}

export function AskStopAll({ agents, onClose }: { agents: number; onClose: () => void }) {
  const stop = useMutation({
    mutationFn: () => body(api.POST("/api/agents/stop")),
    onSuccess: ({ agents: ended, withdrawn }) => say({ tone: "plain", text: `${count(ended, "agent was", "agents were")} stopped, ${count(withdrawn.length, "waiting turn was", "waiting turns were")} withdrawn` }),
    onError: complain,
  });
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DialogContent className="card fixed inset-x-2 top-[20vh] z-50 space-y-3 p-4 md:inset-x-auto md:left-1/2 md:w-96 md:-translate-x-1/2">
        <Dialog.Title className="text-base font-semibold">Stop every agent?</Dialog.Title>
        <Dialog.Description>
          {count(agents, "agent is", "agents are")} ended, with everything they started. Turns that run end as stopped, turns that wait are withdrawn. Conversations are kept.
        </Dialog.Description>
        <div className="flex justify-end gap-2">
          <Dialog.Close className="button">Keep them running</Dialog.Close>
          <Dialog.Close className="button border-bad text-bad" onClick={() => stop.mutate()}>
            Stop everything
          </Dialog.Close>
        </div>
      </DialogContent>
    </Dialog.Root>
  );
}

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;
