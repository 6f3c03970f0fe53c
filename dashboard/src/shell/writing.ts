// Somebody writes, and what they write in goes away: another was quicker, or it was scrolled out of what is drawn. What they
// go on typing is no command. Keys rest until they do something else on purpose: press somewhere, Escape or Tab.
import { isTyping } from "./keys";
import { say } from "./notices";

/** What is being written in, or was when it went. */
let field: Element | undefined;
let isSaid = false;

/** Whether what somebody was writing in is gone, and they may not know yet. */
export const isCutOff = () => field?.isConnected === false;

/** Gives the way to stop. */
export function watchWriting(): () => void {
  const end = () => void (field = undefined);
  const begin = ({ target }: Event) => {
    if (!isTyping(target)) return;
    field = target as Element;
    isSaid = false;
  };
  const point = (event: Event) => (end(), begin(event));
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape" || event.key === "Tab") return end();
    if (!isCutOff() || event.ctrlKey || event.metaKey || (event.key.length > 1 && event.key !== "Enter")) return;
    event.preventDefault();
    event.stopPropagation();
    if (!isSaid) say({ tone: "plain", text: "Keys rest: what you were writing in is gone", hint: "Esc, or a press anywhere, wakes them." });
    isSaid = true;
  };
  // After whoever it is for. Who has sent what they wrote, or closed what it was in by a key of ours, is done with it.
  const pressed = (event: KeyboardEvent) => {
    const isSent = event.key === "Enter" && !event.isComposing && (event.defaultPrevented || event.target instanceof HTMLInputElement);
    if (isSent || ((event.ctrlKey || event.metaKey) && event.defaultPrevented)) end();
    else if (event.key !== "Escape" && event.key !== "Tab") begin(event);
  };
  const over = new AbortController();
  const { signal } = over;
  addEventListener("focusin", begin, { signal });
  addEventListener("keydown", press, { capture: true, signal });
  addEventListener("keydown", pressed, { signal });
  for (const kind of ["pointerdown", "click"]) addEventListener(kind, point, { capture: true, signal });
  return () => over.abort();
}
