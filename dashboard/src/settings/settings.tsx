// Settings: what this browser does, who may come in, and which teams there are.
import { useQuery } from "@tanstack/react-query";
import { Switch } from "radix-ui";
import { type ReactNode, useId, useState } from "react";

import { wantsNotifications } from "@/api/live";
import { meQuery } from "@/api/me";
import { type Watched, useWatched } from "@/api/watch";
import { wantsModal } from "@/question/modal";
import { wantsKeys } from "@/shell/keys";
import { complain, say } from "@/shell/notices";
import { notify } from "@/shell/notify";
import { Page } from "@/shell/page";
import { type Theme, theme } from "@/shell/theme";
import { Unread } from "@/shell/unread";

import { Config } from "./config";
import { Rules } from "./rules";
import { SignedIn } from "./signed-in";
import { Teams } from "./teams";
import { Tokens } from "./tokens";

export function Settings() {
  const { data: me, error } = useQuery(meQuery);
  const isAdmin = me?.scopes.includes("admin") ?? false;
  return (
    <Page title="Settings" error={error}>
      <Group title="This browser">
        <Look />
        <Toggle watched={wantsModal} title="Interrupt me" text="A question that stops work opens over the page you look at. Never while you write, and never two at once." />
        <Toggle watched={wantsKeys} title="Single keys as commands" text="Numbers answer, j and k go on, and so forth; ? lists them. Off, only keys with Ctrl or ⌘ do anything, and those that every page knows." />
        <Notifications />
      </Group>
      {me ? (
        <SignedIn me={me} />
      ) : (
        <Group title="Signed in">
          <Unread what="Who you are here" error={error} isSaid isLine />
        </Group>
      )}
      {me && isAdmin && <Tokens me={me} />}
      <Rules />
      <Teams isAdmin={isAdmin} />
      <Config />
    </Page>
  );
}

export function Group({ title, tools, children }: { title: string; tools?: ReactNode; children: ReactNode }) {
  return (
    <section className="card" aria-label={title}>
      <header className="flex items-center justify-between gap-2 border-b border-line px-3 py-2">
        <h2 className="font-medium">{title}</h2>
        {tools}
      </header>
      <div className="divide-y divide-line">{children}</div>
    </section>
  );
}

export function Setting({ title, text, children }: { title: ReactNode; text?: ReactNode; children?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-3 py-2">
      <div className="said min-w-0 flex-1 basis-60">
        <p className="font-medium">{title}</p>
        {text && <p className="text-xs text-dim">{text}</p>}
      </div>
      {children}
    </div>
  );
}

function Look() {
  const chosen = useWatched(theme);
  return (
    <Setting title="Look">
      <select className="field w-auto" aria-label="Look" value={chosen} onChange={(event) => theme.set(event.target.value as Theme)}>
        <option value="system">As the system</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </Setting>
  );
}

function Toggle({ watched, title, text }: { watched: Watched<boolean>; title: string; text: string }) {
  const isOn = useWatched(watched);
  const id = useId();
  return (
    <Setting title={<label htmlFor={id}>{title}</label>} text={text}>
      <Flip id={id} isOn={isOn} onChange={watched.set} />
    </Setting>
  );
}

function Flip({ id, isOn, onChange }: { id: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <Switch.Root id={id} checked={isOn} onCheckedChange={onChange} className="h-6 w-11 rounded-full border border-edge bg-raised data-[state=checked]:border-ink data-[state=checked]:bg-ink">
      <Switch.Thumb className="block size-4 translate-x-1 rounded-full bg-ink transition-transform data-[state=checked]:translate-x-5.5 data-[state=checked]:bg-page" />
    </Switch.Root>
  );
}

function Notifications() {
  const isWanted = useWatched(wantsNotifications);
  const id = useId();
  const [permission, setPermission] = useState(() => ("Notification" in window ? Notification.permission : "missing"));
  const change = async (isOn: boolean) => {
    if (isOn && permission === "default") setPermission(await Notification.requestPermission());
    wantsNotifications.set(isOn);
  };
  const test = () => {
    try {
      notify("Iris", "This is what it looks like when somebody needs you.", "/inbox");
      say({ tone: "plain", text: "Sent. If nothing showed up, your system keeps it back: look at its settings for notifications." });
    } catch (error) {
      complain(error);
    }
  };
  const isOn = isWanted && permission === "granted";
  const text = {
    missing: "This browser has none.",
    denied: "This browser was told not to show them for this page. Allow them in its settings, beside the address.",
    default: "When a question comes and you look elsewhere. The browser will ask you once.",
    granted: "When a question comes and you look elsewhere.",
  }[permission];
  return (
    <Setting title={<label htmlFor={id}>Notifications on this desktop</label>} text={isOn ? text : `${text} The test works once they are on.`}>
      <span className="flex items-center gap-2">
        <button type="button" className="button" disabled={!isOn} title={isOn ? undefined : "Switch notifications on first"} onClick={test}>
          Test
        </button>
        <Flip id={id} isOn={isOn} onChange={(isOn) => void change(isOn)} />
      </span>
    </Setting>
  );
}
