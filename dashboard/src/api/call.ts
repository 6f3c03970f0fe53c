// Requests to the daemon. Every one carries the cookie and the word that was said at the sign-in; one that changes
// something also carries a key, so that a repeated request does nothing twice.
import createClient, { type Middleware } from "openapi-fetch";

import type { components, paths } from "./types";

export type Shapes = components["schemas"];
export type Problem = Shapes["Problem"];

/** The daemon said no, or could not be reached. `hint` says what to do. */
export class Refusal extends Error {
  readonly status: number;
  readonly kind: string;
  readonly hint: string | undefined;
  /** For an answer that came too late: how the question was closed. */
  readonly closed: Shapes["Closed"] | undefined;

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? (status === 0 ? "the daemon cannot be reached" : `the daemon answered ${status}`));
    this.status = status;
    this.kind = problem.kind ?? "unknown";
    this.hint = problem.hint ?? undefined;
    this.closed = problem.closed ?? undefined;
  }
}

/** It may well go the next time: the daemon could not be reached, or could not do it just then. */
export const isPassing = (error: unknown) => error instanceof Refusal && (error.status === 0 || error.status >= 500);

/** How long to wait before it is tried again. */
export const pauseAfter = (failures: number, longest = 10_000) => Math.min(longest, 300 * 2 ** failures);

/** There is no such thing, as the daemon would say it. */
export const missing = (noun: string, id: string, hint: string) => new Refusal(404, { detail: `there is no ${noun} ${id}`, kind: "not_found", hint });

/** Where the word of this browser's sign-in is kept. It is good for nothing without the cookie, which no script can read. */
const WORD = "iris.word";
let onSignedOut: () => void = () => {};

export function keepWord(word: string | null | undefined) {
  if (word) localStorage.setItem(WORD, word);
  else localStorage.removeItem(WORD);
}

/** Another tab of this browser has signed in, or out. */
export function onWord(act: () => void): () => void {
  const hear = ({ key }: StorageEvent) => key === WORD && act();
  addEventListener("storage", hear);
  return () => removeEventListener("storage", hear);
}

/** What goes along with every request: a cookie alone may come from anybody whom this browser listens to. */
export function signs(): Record<string, string> {
  const word = localStorage.getItem(WORD);
  return word ? { "Iris-Csrf": word } : {};
}

/** What happens when the daemon does not know us any more. */
export function whenSignedOut(act: () => void) {
  onSignedOut = act;
}

/** Not signed in, or without the word that was said at the sign-in. */
export async function isSignedOut(answer: Response): Promise<boolean> {
  if (answer.status === 401) return true;
  return answer.status === 403 && (await answer.clone().text()).includes("Iris-Csrf");
}

const headers: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(signs())) request.headers.set(name, value);
    // A browser calls every refusal an error of the page, in its console; asked like this they come as 200, see `meant`.
    request.headers.set("Iris-Quiet", "1");
    if (request.method !== "GET" && !request.headers.has("Idempotency-Key")) request.headers.set("Idempotency-Key", crypto.randomUUID());
  },
  async onResponse({ response }) {
    if (await isSignedOut(response)) onSignedOut();
  },
};

/** How long nothing may be heard before a request counts as lost: a network may swallow one without a word. What changes
 * something may have to wait for an agent to end. */
const SILENCE = { read: 15_000, write: 60_000 };

/** The kind of refusal of what may have been done: it was sent, and nothing was heard since. */
export const UNKNOWN = "outcome_unknown";

let reads = new AbortController();

/** Gives up what is being read. Whoever asked may ask again, by another way. */
export function abandonReads() {
  reads.abort();
  reads = new AbortController();
}

const meant = (answer: Response) => Number(answer.headers.get("Iris-Status") ?? answer.status);

/** The time runs from the last piece, not from the first: what is long may take long. */
async function fetchHeard(request: Request): Promise<Response> {
  const isRead = request.method === "GET";
  const cut = new AbortController();
  let limit: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(limit);
    limit = isRead ? setTimeout(() => cut.abort(), SILENCE.read) : setTimeout(() => cut.abort(UNKNOWN), SILENCE.write);
  };
  heard();
  try {
    const answer = await fetch(request, { signal: AbortSignal.any([cut.signal, ...(isRead ? [reads.signal] : [])]) });
    const pieces = answer.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ transform: (piece, next) => (heard(), next.enqueue(piece)), flush: () => clearTimeout(limit) }));
    if (!pieces) clearTimeout(limit);
    return new Response(pieces ?? null, { status: meant(answer), headers: answer.headers });
  } catch (error) {
    clearTimeout(limit);
    throw error;
  }
}

export const api = createClient<paths>({ baseUrl: "/", credentials: "same-origin", fetch: fetchHeard });
api.use(headers);

/** The body of an answer, or a refusal thrown. */
export async function body<T>(asked: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await asked.catch((error: unknown) => {
    throw new Refusal(0, error === UNKNOWN ? { kind: UNKNOWN, detail: "the daemon has not answered", hint: "It may have been done all the same: look before you try again." } : { hint: "Is it running? `iris up` starts it." });
  });
  if (!response.ok) throw new Refusal(response.status, (error ?? {}) as Partial<Problem>);
  return data as T;
}

/** Reads a list to its end, page by page. */
export async function everything<T>(page: (after: string | undefined) => Promise<{ items: T[]; next?: string | null }>): Promise<T[]> {
  const all: T[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await page(after);
    all.push(...items);
    after = next ?? undefined;
  } while (after);
  return all;
}
