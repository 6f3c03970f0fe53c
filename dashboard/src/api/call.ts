// Requests to the daemon. Every one carries the cookie; one that changes something also carries the CSRF word of this
// session and a key, so that a repeated request does nothing twice.
import createClient, { type Middleware } from "openapi-fetch";

import type { components, paths } from "./types";

export type Shapes = components["schemas"];
export type Problem = Shapes["Problem"];

/** The daemon said no, or could not be reached. `hint` says what to do. */
export class Refusal extends Error {
  readonly status: number;
  readonly kind: string;
  readonly hint: string | undefined;

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? (status === 0 ? "the daemon cannot be reached" : `the daemon answered ${status}`));
    this.status = status;
    this.kind = problem.kind ?? "unknown";
    this.hint = problem.hint ?? undefined;
  }
}

/** Undefined until it is known; empty where none is wanted. */
let csrf: string | undefined;
let onSignedOut: () => void = () => {};

export function setCsrf(word: string) {
  csrf = word;
}

/** What happens when the daemon does not know us any more. */
export function whenSignedOut(act: () => void) {
  onSignedOut = act;
}

const headers: Middleware = {
  async onRequest({ request }) {
    if (request.method === "GET" || request.url.endsWith("/api/login")) return;
    // Somebody was quicker than the page: the word is asked for first.
    if (csrf === undefined) await body(api.GET("/api/me")).then((me) => setCsrf(me.csrf ?? ""));
    if (csrf) request.headers.set("Iris-Csrf", csrf);
    if (!request.headers.has("Idempotency-Key")) request.headers.set("Idempotency-Key", crypto.randomUUID());
  },
  onResponse({ response }) {
    if (response.status === 401) onSignedOut();
  },
};

export const api = createClient<paths>({ baseUrl: "/", credentials: "same-origin" });
api.use(headers);

/** The body of an answer, or a refusal thrown. */
export async function body<T>(asked: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await asked.catch(() => {
    throw new Refusal(0, { hint: "Is it running? `iris up` starts it." });
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
