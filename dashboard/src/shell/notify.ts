// Notifications of the desktop, if they were asked for: when a question comes and nobody looks.
import { useEffect } from "react";

import { queries } from "@/api/ask";
import { api, body } from "@/api/call";
import { onEvent, wantsNotifications } from "@/api/live";
import { meQuery } from "@/api/me";
import { deedLine } from "@/question/deed";
import { needsMe } from "@/question/question";
import { visible } from "@/text/visible";

export function canNotify(): boolean {
  return "Notification" in window && Notification.permission === "granted" && wantsNotifications.get();
}

export function notify(title: string, text: string, path: string) {
  const shown = new Notification(title, { body: text, tag: path, icon: "/icon-192.png" });
  shown.onclick = () => {
    window.focus();
    location.assign(path);
  };
}

export function useNotifications() {
  useEffect(
    () =>
      onEvent((event) => {
        if (document.hasFocus() || !canNotify()) return;
        const { id, ...put } = event.data as { id: string; askedOf?: string | null; job?: string | null };
        const tell = (line: string) => notify(`${event.team ?? "An agent"} needs you`, visible(line), `/inbox?question=${encodeURIComponent(id)}`);
        const isPutToUs = event.kind === "question.opened" && needsMe(put, queries.getQueryData(meQuery.queryKey)?.party ?? "user");
        // Shown: nobody else has answered, and it is there for everybody now. What it comes to is not in its events; that it
        // waits is said also if that cannot be read.
        if (isPutToUs || event.kind === "question.shown") void body(api.GET("/api/questions/{id}", { params: { path: { id } } })).then((question) => tell(deedLine(question)), () => tell("What it asks could not be read yet; the inbox has it."));
      }),
    [],
  );
}
