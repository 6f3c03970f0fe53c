// Where the one-time link leads. The code is behind the `#`, which a browser never sends, and is given up at once.
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { queries } from "@/api/ask";
import { api, body, keepWord, onWord } from "@/api/call";
import { doubt, isSignedIn } from "@/api/me";
import { router } from "@/router";

import { takeWanted } from "./wanted";

type State = { is: "out" } | { is: "trying" } | { is: "refused"; why: string; /** By a link of before. */ isSignedIn: boolean };

export function Login() {
  const [state, setState] = useState<State>(() => (location.hash.length > 1 ? { is: "trying" } : { is: "out" }));
  useEffect(() => {
    document.title = "Sign in · Iris";
    const enter = async () => {
      doubt();
      const code = takeCode();
      if (!code) return void ((await isSignedIn()) && goOn());
      setState({ is: "trying" });
      await signIn(code).then(goOn, async (error: Error) => setState({ is: "refused", why: error.message, isSignedIn: (await isSignedIn()) === true }));
    };
    void enter();
    // A link that is opened in this very tab changes nothing but what is behind the `#`.
    addEventListener("hashchange", enter);
    const end = onWord(() => void enter());
    return () => {
      removeEventListener("hashchange", enter);
      end();
    };
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
          {state.is === "refused" && state.isSignedIn && (
            <p>
              This browser is signed in already.{" "}
              <Link to="/inbox" className="link">
                To the inbox
              </Link>
            </p>
          )}
          <p>
            Run <code className="rounded bg-raised px-1.5 py-0.5 font-mono">iris link</code> on the machine where Iris runs, and open the link it prints.
          </p>
          <p className="max-w-md text-dim">A link works once and for a short time, so it is safe in a history or a chat. Iris has no passwords.</p>
        </>
      )}
    </main>
  );
}

/** Out of the address bar before anything else happens. */
function takeCode(): string | undefined {
  const code = location.hash.slice(1);
  if (code) history.replaceState(history.state, "", "/login");
  return code || undefined;
}

async function signIn(code: string) {
  const me = await body(api.POST("/api/login", { body: { code } }));
  keepWord(me.csrf);
}

function goOn() {
  queries.clear();
  router.history.replace(takeWanted());
}
