import { Ellipsis } from "lucide-react";
import { Dialog, DropdownMenu } from "radix-ui";
import { useState } from "react";

import { DialogContent } from "@/shell/dialog";
import { Plain } from "@/text/plain";
import { visible } from "@/text/visible";

import { useWithdraw } from "./ask";
import { deedLine } from "./deed";
import { type Question, isBlocking } from "./question";

/** What one seldom does to a question. */
export function QuestionMenu({ question }: { question: Question }) {
  const [isAsking, setAsking] = useState(false);
  const withdraw = useWithdraw();
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="-my-2 flex size-11 md:my-0 md:size-6 items-center justify-center rounded text-dim hover:bg-raised hover:text-ink" aria-label={`More about the question of ${visible(question.team)}`}>
          <Ellipsis size={16} />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="end">
            <DropdownMenu.Item className="menu-item text-bad" onSelect={() => setAsking(true)}>
              Withdraw the question…
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Dialog.Root open={isAsking} onOpenChange={setAsking}>
        <DialogContent shade="z-50" className="card fixed inset-x-2 top-[20vh] z-60 space-y-3 p-4 md:inset-x-auto md:left-1/2 md:w-96 md:-translate-x-1/2">
          <Dialog.Title className="text-base font-semibold">Withdraw the question?</Dialog.Title>
          <Dialog.Description className="said">
            <Plain text={deedLine(question)} /> Nobody can answer it any more.
            {isBlocking(question) && " Its agent is told that nobody will answer, and goes on without."}
            {question.action && " What it asked leave for is not done."}
          </Dialog.Description>
          <div className="flex justify-end gap-2">
            <Dialog.Close className="button">Keep it open</Dialog.Close>
            <Dialog.Close className="button border-bad text-bad" onClick={() => withdraw.mutate(question.id)}>
              Withdraw
            </Dialog.Close>
          </div>
        </DialogContent>
      </Dialog.Root>
    </>
  );
}
