// Where somebody wanted to go when they were asked to sign in: a link to a question leads to it, also after a sign-in.
import { kept } from "@/shell/keep";

const INBOX = "/inbox";

const wanted = kept("wanted", INBOX, () => sessionStorage);

export const remember = wanted.set;

/** Once: who signs in again begins at the inbox. */
export function takeWanted(): string {
  const place = wanted.get();
  wanted.set(INBOX);
  return place;
}
