// Who is signed in.
import { queryOptions } from "@tanstack/react-query";

import { api, body, signs } from "./call";

export const meQuery = queryOptions({ queryKey: ["me"], queryFn: () => body(api.GET("/api/me")) });

let isKnown = false;

/** The daemon has turned us away: it is asked again before anything else is. */
export const doubt = () => void (isKnown = false);

/** Whether this browser is signed in; undefined if that cannot be asked just now. Asked before anything else is: a browser
 * complains in its console of every request that is turned away, and this one never is. */
export async function isSignedIn(): Promise<boolean | undefined> {
  if (Object.keys(signs()).length === 0) return false;
  if (isKnown) return true;
  const answer = await body(api.GET("/api/login")).catch(() => undefined);
  isKnown = answer?.signedIn === true;
  return answer?.signedIn;
}
