import { Dialog } from "radix-ui";
import { type ComponentProps, useLayoutEffect, useRef, useState } from "react";

import { giveBack, holder, remember } from "./focus";

type Given = ComponentProps<typeof Dialog.Content>;

/** What every dialog is in: it dims the page, and gives the focus back to what had it. Radix does so only for a dialog that
 * has a button of its own to open it, and ours are opened by keys, by menus and by themselves. */
export function DialogContent({ shade = "z-40", ...given }: Given & { /** Where the page is dimmed. */ shade?: string }) {
  return (
    <Dialog.Portal>
      <Dialog.Overlay className={`fixed inset-0 bg-black/50 ${shade}`} />
      <Content {...given} />
    </Dialog.Portal>
  );
}

/** By itself, as it is there only while the dialog is open. */
function Content(given: Given) {
  const content = useRef<HTMLDivElement>(null);
  // While it is drawn for the first time, before anything in it takes the focus.
  const [origin] = useState(holder);
  useLayoutEffect(() => {
    if (content.current) remember(content.current, origin);
  }, [origin]);
  return (
    <Dialog.Content
      {...given}
      ref={content}
      onCloseAutoFocus={(event) => {
        event.preventDefault();
        giveBack(event.currentTarget as Element);
      }}
    />
  );
}
