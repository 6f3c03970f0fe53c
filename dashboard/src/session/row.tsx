// One row of a conversation.
import { Bot, ChevronRight, Eye, Mail, TriangleAlert, Wrench } from "lucide-react";
import { type ReactNode, createContext, memo, use, useState } from "react";

import { deciderWords, verdict } from "@/question/decisions";
import type { Question } from "@/question/question";
import { Avatar } from "@/shell/avatar";
import { Markdown } from "@/text/markdown";
import { Block, Plain } from "@/text/plain";
import { took } from "@/text/time";
import { headline } from "@/text/visible";
import { words } from "@/text/words";

import type { Call, Row } from "./fold";
import { ToolInput } from "./tool-input";
import { countLooks, reply, subject, toolName } from "./tool";

interface RowGiven {
  row: Row;
  team: string;
  /** Whom a call that has not come back waits for. */
  waits: string | undefined;
  /** The question by which a call was not let. */
  refused: Question | undefined;
  /** What is said of work that has not come back and never will: its turn is over. */
  lost: string | undefined;
  /** What is looked for is in it. */
  isFound: boolean;
  onOpen: (key: string, isOpen: boolean) => void;
}

/** Whether what can be opened is open because something in it was looked for. */
const Found = createContext(false);

export const RowView = memo(function RowView(given: RowGiven) {
  const { row, isFound } = given;
  return (
    <Found value={isFound}>
      <div style={{ marginLeft: `${Math.min(row.depth, 6) * 1.25}rem` }} className={row.depth > 0 ? "border-l-2 border-line pl-3" : ""}>
        {content(given)}
      </div>
    </Found>
  );
});

function content({ row, team, waits, refused, lost, onOpen }: RowGiven): ReactNode {
  switch (row.kind) {
    case "say":
      return (
        <div className="py-1.5">
          <Markdown text={row.text} />
        </div>
      );
    case "think":
      return (
        <Folded id={row.key} icon={<span className="w-3.5 text-center">∴</span>} title="Thought" detail={row.text}>
          <div className="border-l-2 border-line pl-3 text-dim italic">
            <Block text={row.text} />
          </div>
        </Folded>
      );
    case "tool":
      return <ToolRow call={row.call} waits={waits} refused={refused} lost={lost} />;
    case "looks":
      return (
        <Folded id={row.key} icon={<Eye size={14} />} title={countLooks(row.calls.map(({ meaning }) => meaning))} detail={row.calls.map((call) => headline(subject(call), 60)).join(" · ")}>
          {row.calls.map((call) => (
            <ToolRow key={call.id} call={call} lost={lost} />
          ))}
        </Folded>
      );
    case "letter":
      return <LetterRow row={row} team={team} lost={lost} />;
    case "agent":
      return <AgentBanner row={row} lost={lost} onOpen={onOpen} />;
    case "note":
      return (
        <p className={`said flex items-start gap-2 py-0.5 text-xs ${row.type === "garbage" ? "text-bad" : "text-dim"}`}>
          <TriangleAlert size={13} className="mt-0.5 shrink-0" aria-hidden="true" />
          <span className="min-w-0">
            {words(row.type)}: <Plain text={row.text.length > 2000 ? `${row.text.slice(0, 2000)}…` : row.text} />
          </span>
        </p>
      );
  }
}

function ToolRow({ call, waits, refused, lost }: { call: Call; waits?: string | undefined; refused?: Question | undefined; lost: string | undefined }) {
  const { input, meaning, result } = call;
  const isBad = result?.isError === true && !refused;
  return (
    <Folded
      id={call.id}
      icon={<Wrench size={14} className={isBad ? "text-bad" : ""} />}
      title={toolName(call)}
      detail={subject(call)}
      startsOpen={(meaning.changes ?? []).length > 0}
      end={<CallEnd call={call} waits={waits} refused={refused} lost={lost} />}
    >
      <div className="space-y-2 rounded border border-line bg-surface p-2">
        <ToolInput input={input} meaning={meaning} isPast />
        {result && (
          <div className="border-t border-line pt-2">
            <p className="label">{refused ? "It was not done; its agent was told" : isBad ? "It failed with" : "It gave back"}</p>
            <Block text={result.text || "(nothing)"} className={isBad ? "text-bad" : ""} />
          </div>
        )}
      </div>
    </Folded>
  );
}

function CallEnd({ call, waits, refused, lost }: { call: Call; waits: string | undefined; refused: Question | undefined; lost: string | undefined }) {
  const { at, result } = call;
  if (!result) return waits && !lost ? <span className="text-accent"><Plain text={waits} /></span> : <Underway word="running" lost={lost} />;
  if (refused) return <span className="text-held"><Plain text={headline(`${verdict(refused).word}${deciderWords(refused)}`, 40)} /></span>;
  return result.isError ? <span className="text-bad">failed</span> : <span>{took(result.at - at)}</span>;
}

/** Work that has not come back. */
function Underway({ word, lost }: { word: string; lost: string | undefined }) {
  return lost ? <span className="text-held">{lost}</span> : <span className="busy text-work">{word}</span>;
}

/** A message from one agent to another, and what came back. */
function LetterRow({ row, team, lost }: { row: Extract<Row, { kind: "letter" }>; team: string; lost: string | undefined }) {
  const { letter, call } = row;
  return (
    <div className="card my-1.5 overflow-hidden">
      <p className="said flex items-center gap-2 border-b border-line bg-raised px-2 py-1 text-xs">
        <Mail size={14} aria-hidden="true" />
        <Avatar name={team} /> <Plain text={team} /> <span aria-label="to">→</span> <Avatar name={letter.to} /> <Plain text={letter.to} />
        {!call.result && (
          <span className="ml-auto">
            <Underway word="waits for an answer" lost={lost} />
          </span>
        )}
      </p>
      <div className="p-2">
        <Markdown text={letter.text} />
      </div>
      {call.result && (
        <div className={`border-t border-line p-2 ${call.result.isError ? "text-bad" : "text-dim"}`}>
          <Folded id={`${row.key}-answer`} icon={<span aria-hidden="true">↩</span>} title="Answer" detail={reply(call.result.text)}>
            <Markdown text={reply(call.result.text)} />
          </Folded>
        </div>
      )}
    </div>
  );
}

function AgentBanner({ row, lost, onOpen }: { row: Extract<Row, { kind: "agent" }>; lost: string | undefined; onOpen: (key: string, isOpen: boolean) => void }) {
  const { call, isOpen, hidden } = row;
  const type = call.meaning.to ?? "sub-agent";
  const what = call.meaning.about ?? call.name;
  return (
    <button type="button" aria-expanded={isOpen} onClick={() => onOpen(row.key, !isOpen)} className="card my-1 flex w-full items-center gap-2 px-2 py-1.5 text-left hover:bg-raised">
      <ChevronRight size={14} className={`shrink-0 transition-transform ${isOpen ? "rotate-90" : ""}`} aria-hidden="true" />
      <Avatar name={type} />
      <span className="said min-w-0 flex-1">
        <span className="font-semibold">
          <Plain text={type} />
        </span>{" "}
        <span className="text-dim">
          <Plain text={headline(what)} />
        </span>
      </span>
      <span className="flex shrink-0 items-center gap-1 text-xs text-dim">
        <Bot size={14} aria-hidden="true" />
        {call.result === undefined ? <Underway word="at work" lost={lost} /> : call.result.isError ? <span className="text-bad">failed</span> : "done"}
        {hidden > 0 && <span>· {hidden} hidden</span>}
      </span>
    </button>
  );
}

/** Rows come and go as one scrolls; which of them were opened is remembered outside of them. */
const opened = new Map<string, boolean>();

/** A line that opens. */
export function Folded({ id, icon, title, detail, end, startsOpen = false, children }: { id: string; icon: ReactNode; title: string; detail: string; end?: ReactNode; startsOpen?: boolean; children: ReactNode }) {
  const [chosen, setOpen] = useState(() => opened.get(id));
  const isFound = use(Found);
  const isOpen = chosen ?? (startsOpen || isFound);
  const toggle = () => {
    opened.set(id, !isOpen);
    setOpen(!isOpen);
  };
  return (
    <div className="py-0.5">
      <button type="button" aria-expanded={isOpen} onClick={toggle} className="flex min-h-6 w-full items-center gap-2 rounded text-left text-xs text-dim hover:text-ink">
        <ChevronRight size={13} className={`shrink-0 transition-transform ${isOpen ? "rotate-90" : ""}`} aria-hidden="true" />
        <span className="shrink-0" aria-hidden="true">
          {icon}
        </span>
        <span className="said max-w-[40%] shrink-0 truncate font-medium text-ink">
          <Plain text={headline(title, 60)} />
        </span>
        <span className="said min-w-0 flex-1 truncate font-mono">
          <Plain text={headline(detail)} />
        </span>
        {end && <span className="shrink-0 tabular-nums">{end}</span>}
      </button>
      {isOpen && <div className="mt-1 ml-5">{children}</div>}
    </div>
  );
}
