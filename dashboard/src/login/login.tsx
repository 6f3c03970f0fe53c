// Where the one-time link leads. The code is behind the `#`, which a browser never sends, and is given up at once.
import { useEffect, useState } from "react";

import { queries } from "@/api/ask";
import { api, body, keepWord } from "@/api/call";
import { router } from "@/router";

type State = { is: "out" } | { is: "trying" } | { is: "refused"; why: string };

export function Login() {
  const [state, setState] = useState<State>(() => (location.hash.length > 1 ? { is: "trying" } : { is: "out" }));
  useEffect(() => {
    document.title = "Sign in · Iris";
    const code = takeCode();
    if (!code) return;
    signIn(code).then(
      () => {
        queries.clear();
        void router.navigate({ to: "/inbox", replace: true });
      },
      (error: Error) => setState({ is: "refused", why: error.message }),
    );
  }, []);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-3 p-6 text-center">
      <img src="/icon.svg" alt="" className="size-14" />
      {state.is === "trying" ? (
        <p role="status">Signing in…</p>
      ) : (
        <>
          <h1 className="text-lg font-semibold">{state.is === "refused" ? "This link does not work any more" : "Signed out"}</h1>
          {state.is === "refused" && <p className="text-dim">{state.why}</p>}
          <p>
            Run <code className="rounded bg-raised px-1.5 py-0.5 font-mono">iris link</code> on the machine where Iris runs, and open the link it prints.
          </p>
          <p className="max-w-md text-dim">A link works once and for a short time, so it is safe in a history or a chat. Iris has no passwords.</p>
        </>
      )}
    </main>
  );
}

let taken: string | undefined;

/** Out of the address bar before anything else happens; kept for a second call, which React makes in development. */
function takeCode(): string | undefined {
  if (location.hash.length > 1) {
    taken = location.hash.slice(1);
    history.replaceState(history.state, "", "/login");
  }
  const code = taken;
  taken = undefined;
  return code;
}

async function signIn(code: string) {
  const me = await body(api.POST("/api/login", { body: { code } }));
  keepWord(me.csrf);
}
