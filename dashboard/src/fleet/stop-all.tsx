import { useMutation } from "@tanstack/react-query";
import { OctagonX } from "lucide-react";
import { Dialog } from "radix-ui";

import { api, body } from "@/api/call";
import { complain, say } from "@/shell/notices";

/** The kill switch, behind one question. */
export function StopAll({ agents }: { agents: number }) {
  const stop = useMutation({
    mutationFn: () => body(api.POST("/api/agents/stop")),
    onSuccess: ({ agents: ended, withdrawn }) => say({ tone: "plain", text: `${ended} agents were stopped, ${withdrawn.length} waiting turns were withdrawn` }),
    onError: complain,
  });
  if (agents === 0) return null;
  return (
    <Dialog.Root>
      <Dialog.Trigger className="button text-bad">
        <OctagonX size={15} aria-hidden="true" /> Stop everything
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <Dialog.Content className="card fixed inset-x-2 top-[20vh] z-50 space-y-3 p-4 md:inset-x-auto md:left-1/2 md:w-96 md:-translate-x-1/2">
          <Dialog.Title className="text-base font-semibold">Stop every agent?</Dialog.Title>
          <Dialog.Description>
            {agents} agent{agents === 1 ? " is" : "s are"} ended, with everything they started. Turns that run end as stopped, turns that wait are withdrawn. Conversations are kept.
          </Dialog.Description>
          <div className="flex justify-end gap-2">
            <Dialog.Close className="button">Keep them running</Dialog.Close>
            <Dialog.Close className="button border-bad text-bad" onClick={() => stop.mutate()}>
              Stop everything
            </Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
