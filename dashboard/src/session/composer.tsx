import { useQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useEffect, useRef } from "react";

import { meQuery } from "@/api/me";
import { useDraft } from "@/shell/draft";
import { Plain } from "@/text/plain";

import { type Party, useTell } from "./act";
import { partyName } from "./party-name";

/** Words that were put here to be looked at before they are sent. Each time is another one. */
export interface Draft {
  text: string;
}

interface ComposerGiven {
  party: Party;
  isBusy: boolean;
  /** One comes here to write. */
  isFirst?: boolean;
  draft?: Draft | undefined;
  onSent?: (session: string) => void;
}

/** Puts a message into a session. While its agent is busy, it waits its turn. */
export function Composer({ party, isBusy, isFirst = false, draft, onSent }: ComposerGiven) {
  const [text, setText] = useDraft(`tell ${party.from} ${party.to}`);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!draft) return;
    // What is being written is not lost.
    setText((now) => (now.trim() && now !== draft.text ? `${now}\n\n${draft.text}` : draft.text));
    box.current?.focus();
    // Once for each that is put here, whatever is written meanwhile.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [draft]);
  const tell = useTell();
  const me = useQuery(meQuery).data?.party;
  const role = me === undefined || party.from === me ? undefined : partyName(party.from, me);
  const send = () => {
    if (!text.trim() || tell.isPending) return;
    tell.mutate(
      { ...party, text },
      {
        onSuccess: ({ sessionId }) => {
          setText("");
          onSent?.(sessionId);
        },
      },
    );
  };
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {role !== undefined && (
        <p className="said w-full text-xs text-held" data-role>
          You speak as <strong><Plain text={role} /></strong> here: <Plain text={party.to} /> takes your words for those of <Plain text={role} />.
        </p>
      )}
      <label className="min-w-0 flex-1">
        <span className="sr-only">
          Tell <Plain text={party.to} />
        </span>
        <textarea
          ref={box}
          rows={1}
          autoFocus={isFirst}
          className="field field-sizing-content block max-h-48 min-h-10 resize-none py-2"
          placeholder={isBusy ? `Tell ${party.to}: it is heard after the present turn` : `Tell ${party.to}`}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              send();
            }
          }}
        />
      </label>
      <button type="submit" className="button button-ink min-h-10" disabled={tell.isPending || !text.trim()}>
        <Send size={15} aria-hidden="true" /> Tell
      </button>
    </form>
  );
}
