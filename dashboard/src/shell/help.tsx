import { Dialog } from "radix-ui";

import { useWatched } from "@/api/watch";

import { DialogContent } from "./dialog";
import { wantsKeys } from "./keys";

const KEYS: [string, [string, string][]][] = [
  ["Anywhere", [["⌘ K / Ctrl K", "command palette"], ["g then i, f, j, h, s", "inbox, fleet, jobs, health, settings"], ["u", "take back what was done last, if it can be"], ["?", "this help"]]],
  ["Inbox", [["j / k", "next, previous question"], ["1 … 9", "give that answer; of a form, go to its first field"], ["r", "write an answer, or begin to fill in its form, also over another page"], ["s", "put aside for an hour"], ["x", "select, to answer several together"]]],
  ["Fleet", [["j / k", "next, previous session"], ["Enter", "open it"]]],
  ["Session", [["j / k", "next, previous turn"], ["/", "find in the conversation"], ["n / N", "next, previous find"], ["f", "follow the newest"], ["1 … 9", "answer the question in view"]]],
];

export default function Help({ onClose }: { onClose: () => void }) {
  const isOn = useWatched(wantsKeys);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <DialogContent aria-describedby={undefined} className="card fixed inset-x-2 top-[10vh] z-50 max-h-[80dvh] overflow-auto p-4 md:inset-x-auto md:left-1/2 md:w-[32rem] md:-translate-x-1/2">
        <Dialog.Title className="mb-3 text-base font-semibold">Keys</Dialog.Title>
        {!isOn && <p className="mb-3 text-held">Single keys are switched off in the settings: only those with Ctrl or ⌘ do anything.</p>}
        {KEYS.map(([where, keys]) => (
          <section key={where} className="mb-3">
            <h3 className="label mb-1">{where}</h3>
            <dl className="grid grid-cols-[10rem_1fr] gap-1">
              {keys.map(([key, what]) => (
                <div key={key} className="contents">
                  <dt>
                    <kbd className="key">{key}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <Dialog.Close className="button">Close</Dialog.Close>
      </DialogContent>
    </Dialog.Root>
  );
}
