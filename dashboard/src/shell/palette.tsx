// Everything by name: pages, teams, sessions, questions.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { Dialog } from "radix-ui";

import { sessionsQuery, teamsQuery } from "@/api/ask";
import { meQuery } from "@/api/me";
import { useOpenQuestions } from "@/question/ask";
import { deedLine } from "@/question/deed";
import { partyName } from "@/session/party-name";
import { visible } from "@/text/visible";

import { theme } from "./theme";

export default function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const navigate = useNavigate();
  const teams = useQuery(teamsQuery).data ?? [];
  const sessions = useQuery(sessionsQuery).data ?? [];
  const me = useQuery(meQuery).data?.party ?? "user";
  const { mine } = useOpenQuestions();
  const item = (label: string, act: () => void, key = label) => (
    <Command.Item key={key} value={`${label} ${key}`} onSelect={() => (onClose(), act())} className="said flex min-h-8 items-center rounded px-2 data-[selected=true]:bg-raised">
      {visible(label)}
    </Command.Item>
  );
  const go = (to: string, search: Record<string, string> = {}) => () => void navigate({ to, search });
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <Dialog.Content aria-describedby={undefined} className="card fixed inset-x-2 top-[12vh] z-50 overflow-hidden shadow-2xl md:inset-x-auto md:left-1/2 md:w-[34rem] md:-translate-x-1/2">
          <Dialog.Title className="sr-only">Commands</Dialog.Title>
          <Command label="Commands">
            <Command.Input autoFocus placeholder="Go to, or do…" className="w-full border-b border-line bg-transparent px-4 py-3 outline-none" />
            <Command.List className="max-h-80 overflow-auto p-2 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-dim">
              <Command.Empty className="p-3 text-dim">Nothing by that name.</Command.Empty>
              {mine.length > 0 && <Command.Group heading="Needs you">{mine.slice(0, 20).map((question) => item(`${question.team}: ${deedLine(question)}`, go("/inbox", { question: question.id }), question.id))}</Command.Group>}
              <Command.Group heading="Pages">
                {item("Inbox", go("/inbox"))}
                {item("Decided questions", go("/inbox", { view: "decided" }))}
                {item("Fleet", go("/fleet"))}
                {item("Jobs", go("/jobs"))}
                {item("Health", go("/system"))}
                {item("Settings", go("/settings"))}
                {item("Keys", onHelp)}
              </Command.Group>
              <Command.Group heading="Look">
                {item("Dark", () => theme.set("dark"))}
                {item("Light", () => theme.set("light"))}
                {item("As the system", () => theme.set("system"))}
              </Command.Group>
              <Command.Group heading="Sessions">
                {sessions.slice(0, 200).map((session) => item(`${session.to} for ${partyName(session.from, me)}`, () => void navigate({ to: "/session/$id", params: { id: session.id } }), session.id))}
              </Command.Group>
              <Command.Group heading="Teams">{teams.map((team) => item(`Team ${team.name}`, go("/fleet"), `team-${team.name}`))}</Command.Group>
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
