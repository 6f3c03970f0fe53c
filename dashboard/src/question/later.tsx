import { Clock } from "lucide-react";
import { DropdownMenu } from "radix-ui";

import { exactly } from "@/text/time";

import type { Question } from "./question";
import { laterTimes, snoozed, wake } from "./snooze";

export function Later({ question, onLater }: { question: Question; onLater: (until: number) => void }) {
  const isAside = (snoozed.get()[question.id] ?? 0) > Date.now();
  const times = laterTimes(question, new Date());
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="-my-2 flex size-11 md:my-0 md:size-6 items-center justify-center rounded text-dim hover:bg-raised hover:text-ink" aria-label="Put aside until later" title="Put aside (s)">
        <Clock size={15} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end">
          {isAside && (
            <DropdownMenu.Item className="menu-item" onSelect={() => wake(question.id)}>
              Back to the inbox
            </DropdownMenu.Item>
          )}
          {times.length === 0 && (
            <DropdownMenu.Item disabled className="menu-item text-dim opacity-100!">
              It runs out too soon to be put aside.
            </DropdownMenu.Item>
          )}
          {times.map(({ label, until }) => (
            <DropdownMenu.Item key={label} className="menu-item" onSelect={() => onLater(until)}>
              <span title={exactly(until)}>{label}</span>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
