// Notifications of the desktop, if they were asked for: when a question comes and nobody looks.
import { useEffect } from "react";

import { queries } from "@/api/ask";
import { onEvent, wantsNotifications } from "@/api/live";
import { meQuery } from "@/api/me";
import { openedLine } from "@/question/decisions";
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
        if (event.kind !== "question.opened" || document.hasFocus() || !canNotify()) return;
        const { id, ...put } = event.data as { id: string; askedOf?: string | null; job?: string | null };
        if (!needsMe(put, queries.getQueryData(meQuery.queryKey)?.party ?? "user")) return;
        notify(`${event.team ?? "An agent"} needs you`, visible(openedLine(event)), `/inbox?question=${encodeURIComponent(id)}`);
      }),
    [],
  );
}
