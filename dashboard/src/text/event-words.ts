// An event in a few words, as `iris events` says it. Pure. A kind that is not known here is shown as it is.
import type { Event } from "@/api/stream";

import { clock, duration, took } from "./time";
import { words } from "./words";

type Body = Readonly<Record<string, unknown>>;

export function describe({ kind, data }: Pick<Event, "kind" | "data">): string {
  const body = (data ?? {}) as Body;
  const text = (key: string) => (typeof body[key] === "string" ? body[key] : "");
  const number = (key: string) => (typeof body[key] === "number" ? body[key] : 0);
  const by = () => `by ${text("by").replace(/^rule:.*/, "a rule")}`;
  switch (kind) {
    case "message":
      return [words(text("type")), text("text")].filter(Boolean).join(": ");
    case "turn.scheduled":
      return `turn ${number("number")} is due at ${clock(number("dueMs"))}`;
    case "turn.queued":
      if (body["again"]) return `turn ${number("number")} again: ${text("again")}`;
      return `turn ${number("number")}${number("position") > 0 ? `, ${number("position")} ahead` : ""}`;
    case "turn.started":
      return `turn ${number("number")}`;
    case "turn.finished":
      return finished(body);
    case "turn.cancel_asked":
    case "trust.granted":
    case "trust.revoked":
    case "link.made":
    case "rule.revoked":
      return by();
    case "token.created":
      return `${text("name")} (${text("credential")})`;
    case "token.revoked":
      return `${text("name")}, ${by()}`;
    case "config.applied":
      return applied(body["changed"], body["needsRestart"]);
    case "config.refused":
    case "question.cancelled":
    case "question.limited":
      return text("why");
    case "daemon.halted":
      return `${by()}, ${number("agents")} agents`;
    case "session.created":
      return `from ${text("from")}`;
    case "session.waiting":
      return `${words(text("reason"))}, position ${number("position")}`;
    case "session.spawning":
      return `agent ${number("generation")}`;
    case "session.ready":
      return typeof body["pid"] === "number" ? `process ${body["pid"]}` : `agent ${number("generation")}`;
    case "session.terminating":
      return words(text("why"));
    case "session.stopped":
      return stopped(body);
    case "session.began_anew":
      return `its program does not find the conversation; ${number("turns")} turns are not known to it`;
    case "session.fell_behind":
      return `${number("turns")} turns ran at another node and may not be known to it`;
    case "session.cache_cleared":
      return `${number("turns")} turns forgotten, ${by()}`;
    case "session.deleted":
      return `from ${text("from")}, ${by()}`;
    case "question.opened":
      return `${words(text("kind"))}: ${text("text")}`;
    case "question.shown":
      return "nobody else has answered; it is there for everybody now";
    case "question.answered":
      return by();
    case "question.superseded":
      return text("why") ? `nobody answered it: ${text("why")}` : by();
    case "question.defaulted":
      return "nobody answered in time; the default holds";
    case "question.expired":
      return "nobody answered in time";
    case "question.resumed":
      return text("turn") ? "told by a turn" : "told where it asked";
    case "job.started":
      return text("goal");
    case "job.status":
      return words(text("status"));
    case "job.ended":
      return [words(text("status")), text("error")].filter(Boolean).join(": ");
    case "rule.made":
      return `about the ${text("scope")}, ${by()}`;
    case "daemon.started":
    case "daemon.stopped":
      return `iris ${text("version")}`;
    case "daemon.recovered":
      return `${number("interrupted")} turns interrupted, ${number("requeued")} queued again, ${number("processes")} processes ended`;
    case "daemon.restored":
      return `a backup; what happened after event ${number("head")} is not in it`;
    case "daemon.store_healed":
      return `after ${duration(number("lastedMs"))}: ${text("trouble")}`;
    default:
      return JSON.stringify(data);
  }
}

/** Why a turn ended badly, as far as its end says. */
export function whyEnded(body: Body): string | undefined {
  if (typeof body["error"] === "string") return body["error"];
  const cause = body["cause"] as Body | undefined;
  const reason = cause?.["reason"];
  if (typeof reason !== "string") return undefined;
  if (reason === "exited") return `its agent ended before it did${exit(cause ?? {})}`;
  if (reason === "response_timeout") return `its agent was silent for ${duration(Number(cause?.["afterMs"] ?? 0))}`;
  if (reason === "not_started") return `its agent could not be started: ${String(cause?.["why"] ?? "")}`;
  if (reason === "interrupted") return "Iris ended while it ran";
  if (reason === "stopped" && cause?.["what"] === "iris") return "Iris was stopped while it ran";
  return words(reason);
}

function finished(body: Body): string {
  const why = whyEnded(body);
  return `${words(String(body["ending"] ?? "ended"))} after ${took(Number(body["durationMs"] ?? 0))}${why ? `: ${why}` : ""}`;
}

function stopped(body: Body): string {
  return words(String(body["why"] ?? "")) + exit((body["exit"] ?? {}) as Body);
}

function exit({ signal, code }: Body): string {
  return typeof signal === "number" ? `, signal ${signal}` : typeof code === "number" && code !== 0 ? `, exit code ${code}` : "";
}

/** The keys that have changed, and which of them are not in force yet. */
function applied(changed: unknown, needsRestart: unknown): string {
  const waiting = Array.isArray(needsRestart) ? needsRestart : [];
  const keys = Array.isArray(changed) ? changed : [];
  return keys.map((key) => (waiting.includes(key) ? `${key} (waits for the next start)` : String(key))).join(", ");
}
