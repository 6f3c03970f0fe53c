// The pages and their addresses. Each page is a file of its own.
import { Link, createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";

import { isSignedIn } from "@/api/me";
import { remember } from "@/login/wanted";
import { Inbox, type InboxSearch, WORK } from "@/question/inbox";
import { fetchedPage } from "@/shell/fetched";
import { Frame } from "@/shell/frame";
import { Empty, Failure, Page } from "@/shell/page";

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

const root = createRootRoute({ errorComponent: ({ error }) => <Failure error={error as Error} /> });

const login = createRoute({ getParentRoute: () => root, path: "/login", component: fetchedPage(async () => (await import("@/login/login")).Login) });
const frame = createRoute({
  getParentRoute: () => root,
  id: "frame",
  component: Frame,
  beforeLoad: async ({ location }) => {
    // If it cannot be known, the page says why.
    if ((await isSignedIn()) !== false) return;
    remember(location.href);
    throw redirect({ to: "/login", replace: true });
  },
});

const home = createRoute({
  getParentRoute: () => frame,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/inbox", replace: true });
  },
});

const inbox = createRoute({
  getParentRoute: () => frame,
  path: "/inbox",
  component: Inbox,
  validateSearch: (search: Record<string, unknown>): InboxSearch => ({
    view: (["others", "decided", "later"] as const).find((view) => view === search["view"]),
    question: text(search["question"]),
    team: text(search["team"]),
    kind: text(search["kind"]),
    work: WORK.find((work) => work === search["work"]),
  }),
});

const fleet = createRoute({
  getParentRoute: () => frame,
  path: "/fleet",
  component: fetchedPage(async () => (await import("@/fleet/fleet")).Fleet),
  validateSearch: (search: Record<string, unknown>): { team?: string | undefined } => ({ team: text(search["team"]) }),
});

const session = createRoute({
  getParentRoute: () => frame,
  path: "/session/$id",
  component: fetchedPage(async () => (await import("@/session/page")).SessionPage),
  validateSearch: (search: Record<string, unknown>): { turn?: string | undefined; find?: string | undefined } => ({ turn: text(search["turn"]), find: text(search["find"]) }),
});

const jobs = createRoute({
  getParentRoute: () => frame,
  path: "/jobs",
  component: fetchedPage(async () => (await import("@/job/jobs")).Jobs),
  validateSearch: (search: Record<string, unknown>): { start?: "yes" | undefined } => ({ start: search["start"] === "yes" ? "yes" : undefined }),
});
const job = createRoute({ getParentRoute: () => frame, path: "/job/$id", component: fetchedPage(async () => (await import("@/job/job")).JobPage) });
const health = createRoute({
  getParentRoute: () => frame,
  path: "/system",
  component: fetchedPage(async () => (await import("@/health/health")).Health),
  validateSearch: (search: Record<string, unknown>): { event?: string | undefined } => ({ event: text(search["event"]) }),
});
const settings = createRoute({ getParentRoute: () => frame, path: "/settings", component: fetchedPage(async () => (await import("@/settings/settings")).Settings) });

const nowhere = createRoute({
  getParentRoute: () => frame,
  path: "$",
  component: () => (
    <Page title="No such page">
      <Empty title="There is no such page" text="The address may be old, or have lost a letter.">
        <Link to="/inbox" className="link mt-2">
          To the inbox
        </Link>
      </Empty>
    </Page>
  ),
});

export const router = createRouter({
  routeTree: root.addChildren([login, frame.addChildren([home, inbox, fleet, session, jobs, job, health, settings, nowhere])]),
  defaultPreload: "intent",
  // Words in an address stay words: a team called 123 is not a number.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const words = new URLSearchParams(Object.entries(search).flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])));
    return words.size ? `?${words}` : "";
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
